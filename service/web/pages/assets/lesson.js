// A lesson: a position in which the visitor makes moves until one does the task. The rules decide, on the server.

import { Composer } from "/assets/composer.js";
import { swapBoard } from "/assets/motion.js";
import { gettext } from "/assets/speech.js";
import { askPosition, readDrawing } from "/assets/variation.js";

const root = document.getElementById("lesson");
const find = (id) => document.getElementById(id);
const lesson = JSON.parse(root.dataset.lesson);
const { ruleset, name } = root.dataset;
const DONE = `plyscribe-lessons-${ruleset}`;
const SHOW_MS = 900;

let made = [];
let left = gather();
let chosen = [];
let tries = 0;
let isShowing = false;

// Starting again needs no server.
const first = find("board").querySelector("svg").cloneNode(true);
const composer = new Composer(find("composer"), find("board"), {
  findTouched: async (touches) => (await ask(made, { touches })).touched,
  submit: makeMove,
  clauses: `/rulesets/${ruleset}`,
});
find("typing").hidden = true;
find("again").addEventListener("click", () => startAgain());
find("show").addEventListener("click", () => show());
composer.update(lesson.seat);
markDone();

/** The position after these steps of the visitor, as the API says it. Throws Refused if a step is refused. */
function ask(steps, more = {}) {
  return askPosition(ruleset, lesson.start, [...lesson.steps, ...steps], more);
}

async function makeMove(move) {
  const [mine, before] = [tries, made.length];
  try {
    await take({ move });
    return true;
  } catch (error) {
    if (tries !== mine) return false;
    if (made.length === before) composer.refuse(error.message);
    else stop(error);
    return false;
  }
}

/** What follows a move cannot be loaded: the visitor can only start again. */
function stop(error) {
  composer.update(null);
  find("missed").textContent = error.message;
  lead(find("again"));
}

/** What the lesson itself does later: the dice that fall, and what the others answer. */
function gather() {
  return { dice: lesson.dice.map((values) => ({ values })), answers: lesson.answers.map((move) => ({ move })) };
}

/** Take a step of the visitor, and what follows without them. Stops if they start again meanwhile. */
async function take(step) {
  const mine = tries;
  find("answered").textContent = "";
  let position = await ask([...made, step], { picture: true });
  if (tries !== mine) return;
  chosen.push(step.move);
  follow(step, position);
  const told = [...position.step.sentences];
  for (let next = findNext(position); next; next = findNext(position)) {
    if (next.move) await wait();
    position = await ask([...made, next], { picture: true });
    if (tries !== mine) return;
    follow(next, position);
    told.push(...position.step.sentences);
    find("answered").append(`${position.step.sentences.join(" ")} `);
  }
  find("missed").textContent = "";
  if (isDone(position)) return finish();
  if (position.turn.decision === lesson.seat) {
    if (!isOnTheWay()) judge(told, gettext("Not done yet: go on, or start again."));
    return composer.update(lesson.seat);
  }
  composer.update(null);
  judge(told, gettext("That is a legal move, but not the task. Start again."));
  lead(find("again"));
}

/** Say what the last move did, with what followed, and what that means for the task. */
function judge(told, verdict) {
  const strong = document.createElement("strong");
  strong.textContent = verdict;
  find("missed").replaceChildren(`${told.join(" ")} `, strong);
  find("answered").textContent = "";
}

/** Focus a button, and scroll no further than to show it, so that the board stays in sight. */
function lead(button) {
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

/** The next step that is not the visitor's: a roll, or an answer of another seat. */
function findNext(position) {
  const { roll, decision } = position.turn;
  if (isDone(position)) return undefined;
  if (roll) return left.dice.shift();
  return decision && decision !== lesson.seat ? left.answers.shift() : undefined;
}

/** The step was taken: show where it led. */
function follow(step, position) {
  made = [...made, step];
  find("again").disabled = false;
  composer.forget();
  swapBoard(find("board"), readDrawing(position), position.step.effects);
}

function wait() {
  return new Promise((resolve) => setTimeout(resolve, SHOW_MS));
}

/** Whether the visitor has made the moves of the solution so far. */
function isOnTheWay() {
  return chosen.every((move, at) => move === lesson.solution[at]);
}

/** Whether the last step did the task. */
function isDone({ step }) {
  return step.effects.some((effect) => Object.entries(lesson.wanted).every(([detail, value]) => effect[detail] === value));
}

/** The task is done. Who was shown how has not done it: they can try now. */
function finish() {
  composer.update(null);
  find("done").hidden = false;
  find("praise").hidden = isShowing;
  find("shown").hidden = !isShowing;
  find("show").disabled = true;
  if (isShowing) return lead(find("again"));
  remember();
  markDone();
  lead(find("done").querySelector("a.button"));
}

function startAgain() {
  tries += 1;
  isShowing = false;
  made = [];
  chosen = [];
  left = gather();
  for (const each of ["missed", "answered"]) find(each).textContent = "";
  find("done").hidden = true;
  find("show").disabled = false;
  find("again").disabled = true;
  composer.forget();
  composer.refuse("");
  swapBoard(find("board"), first.cloneNode(true));
  composer.update(lesson.seat);
}

/** Play the solution, move by move. */
async function show() {
  startAgain();
  isShowing = true;
  find("show").disabled = true;
  find("again").disabled = false;
  const mine = tries;
  try {
    for (const move of lesson.solution) {
      composer.update(null);
      await wait();
      if (tries === mine) await take({ move });
      if (tries !== mine) return;
    }
  } catch (error) {
    if (tries === mine) stop(error);
  }
}

// -------------------------------------------------------------------------------------------- what was done before

function recall() {
  try {
    return JSON.parse(localStorage.getItem(DONE) ?? "[]");
  } catch {
    // This browser stores nothing.
    return [];
  }
}

function remember() {
  try {
    localStorage.setItem(DONE, JSON.stringify([...new Set([...recall(), name])]));
  } catch {
    // This browser stores nothing.
  }
}

function markDone() {
  const done = recall();
  for (const each of document.querySelectorAll(".lessons [data-name]")) {
    each.querySelector(".tick").hidden = !done.includes(each.dataset.name);
  }
}
