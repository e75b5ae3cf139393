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
let thrown = 0;
let turn = { decision: lesson.seat };
let tries = 0;

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
  try {
    await take({ move });
    return true;
  } catch (error) {
    composer.refuse(error.message);
    return false;
  }
}

/** Take a step, and the dice that fall after it. `story` says what the steps before it did since the last move. */
async function take(step, story = []) {
  const steps = [...made, step];
  const mine = tries;
  const position = await ask(steps, { picture: true });
  if (tries !== mine) return;
  made = steps;
  turn = position.turn;
  find("again").disabled = false;
  await put(position);
  if (position.step.effects.some(isWanted)) return finish();
  const told = [...story, ...position.step.sentences];
  if (turn.roll && thrown < lesson.dice.length) {
    thrown += 1;
    return take({ values: lesson.dice[thrown - 1] }, told);
  }
  if (turn.decision === lesson.seat) {
    if (isOnTheWay()) find("missed").textContent = "";
    else judge(told, gettext("Not done yet: go on, or start again."));
    return composer.update(lesson.seat);
  }
  composer.update(null);
  judge(told, gettext("That is a legal move, but not the task. Start again."));
  lead(find("again"));
}

/** Say what the last move did, and what that means for the task. */
function judge(told, verdict) {
  const strong = document.createElement("strong");
  strong.textContent = verdict;
  find("missed").replaceChildren(`${told.join(" ")} `, strong);
}

/** Focus a button, and scroll no further than to show it, so that the board stays in sight. */
function lead(button) {
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: "nearest" });
}

async function put(position, direction = 1) {
  composer.forget();
  await swapBoard(find("board"), readDrawing(position), position.step?.effects ?? [], direction);
}

/** Whether the visitor has made the moves of the solution so far. */
function isOnTheWay() {
  return made.filter(({ move }) => move).every(({ move }, at) => move === lesson.solution[at]);
}

function isWanted(effect) {
  return Object.entries(lesson.wanted).every(([detail, value]) => effect[detail] === value);
}

function finish() {
  composer.update(null);
  find("missed").textContent = "";
  find("done").hidden = false;
  find("show").disabled = true;
  remember();
  markDone();
  lead(find("done").querySelector("a.button"));
}

async function startAgain() {
  tries += 1;
  made = [];
  thrown = 0;
  turn = { decision: lesson.seat };
  find("missed").textContent = "";
  find("done").hidden = true;
  find("show").disabled = false;
  find("again").disabled = true;
  await put(await ask([], { picture: true }));
  composer.update(lesson.seat);
}

/** Play the solution, move by move. */
async function show() {
  find("show").disabled = true;
  await startAgain();
  find("show").disabled = true;
  composer.update(null);
  const mine = tries;
  for (const move of lesson.solution) {
    await new Promise((resolve) => setTimeout(resolve, SHOW_MS));
    if (tries !== mine) return;
    await take({ move });
    if (move !== lesson.solution.at(-1)) composer.update(null);
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
