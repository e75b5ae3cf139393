// A lesson: a position in which the visitor makes moves until one does the task. The rules decide, on the server.

import { Composer } from "/assets/composer.js";
import { swapBoard } from "/assets/motion.js";
import { gettext } from "/assets/speech.js";

const root = document.getElementById("lesson");
const find = (id) => document.getElementById(id);
const lesson = JSON.parse(root.dataset.lesson);
const { ruleset, name } = root.dataset;
const DONE = `plyscribe-lessons-${ruleset}`;
const SHOW_MS = 900;

let made = [];
let left = gather();

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

/** The position after these steps of the visitor, as the API says it. Throws the problem if a step is refused. */
async function ask(steps, more = {}) {
  const answered = await fetch(`/v1/rulesets/${ruleset}/positions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...lesson.start, steps: [...lesson.steps, ...steps], ...more }),
  });
  const answer = await answered.json();
  if (!answered.ok) throw new Error(answer.detail);
  return answer;
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

/** What the lesson itself does later: the dice that fall, and what the others answer. */
function gather() {
  return { dice: lesson.dice.map((values) => ({ values })), answers: lesson.answers.map((move) => ({ move })) };
}

/** Take a step of the visitor, and what follows without them. */
async function take(step) {
  find("answered").textContent = "";
  let { turn, isDone } = await follow(step);
  for (let next = findNext(turn); next && !isDone; next = findNext(turn)) {
    await wait();
    ({ turn, isDone } = await follow(next, true));
  }
  if (isDone) return finish();
  if (turn.decision === lesson.seat) return composer.update(lesson.seat);
  composer.update(null);
  find("missed").textContent = gettext("That is a legal move, but not the task. Start again.");
  find("again").focus();
}

/** The next step that is not the visitor's: a roll, or an answer of another seat. */
function findNext(turn) {
  if (turn.roll) return left.dice.shift();
  return turn.decision && turn.decision !== lesson.seat ? left.answers.shift() : undefined;
}

/** Take one step and show it; a step of others also in words. Returns whose turn it is, and whether the task is done. */
async function follow(step, inWords = false) {
  const steps = [...made, step];
  const position = await ask(steps, { picture: true });
  made = steps;
  find("again").disabled = false;
  await put(position);
  if (inWords) find("answered").append(`${position.step.sentences.join(" ")} `);
  return { turn: position.turn, isDone: position.step.effects.some(isWanted) };
}

function wait() {
  return new Promise((resolve) => setTimeout(resolve, SHOW_MS));
}

async function put(position, direction = 1) {
  const picture = new DOMParser().parseFromString(position.picture, "image/svg+xml").documentElement;
  const board = document.createElement("div");
  board.append(document.importNode(picture, true));
  composer.forget();
  await swapBoard(find("board"), board.firstElementChild, position.step?.effects ?? [], direction);
}

function isWanted(effect) {
  return Object.entries(lesson.wanted).every(([detail, value]) => effect[detail] === value);
}

function finish() {
  composer.update(null);
  find("done").hidden = false;
  find("show").disabled = true;
  remember();
  markDone();
  find("done").querySelector("a.button").focus();
}

async function startAgain() {
  made = [];
  left = gather();
  for (const each of ["missed", "answered"]) find(each).textContent = "";
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
  for (const move of lesson.solution) {
    composer.update(null);
    await wait();
    await take({ move });
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
