// The board in a frame of another site: steps, plays back, and follows a match under way.

import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepFresh } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";

const PAUSE_MS = 1_000;
const PARTS = ["embed-head", "embed-board", "embed-words", "embed-controls"];
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };

const root = document.getElementById("embed");
const find = (id) => document.getElementById(id);
let timer = 0;
let asked = 0;
// The ply that the reader has asked for, while it is loaded.
let wanted = null;

if (root) begin();

function begin() {
  find("embed-play").hidden = false;
  root.addEventListener("submit", (event) => {
    event.preventDefault();
    pause();
    step(event.submitter.dataset.step);
  });
  root.addEventListener("click", (event) => {
    if (event.target.closest("#embed-play")) timer ? pause() : play();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
    event.preventDefault();
    pause();
    step(KEYS[event.key]);
  });
  if (!root.dataset.live) return;
  followEvents({
    address: (version) => `/v1/matches/${root.dataset.match}/events?after=${version}`,
    types: root.dataset.live.split(" "),
    version: () => number("version"),
    refresh: keepFresh(() => show(wanted ?? (number("ply") === number("last") ? null : number("ply")))),
  });
}

function number(name) {
  return Number(root.dataset[name]);
}

function step(where) {
  const [ply, last] = [number("ply"), number("last")];
  const target = { first: 0, previous: ply - 1, next: ply + 1, last }[where];
  return go(Math.min(Math.max(target, 0), last));
}

/** Show a position, and say so if it cannot be loaded. Resolves to whether it is shown. */
async function go(ply) {
  wanted = ply;
  try {
    return await show(ply);
  } catch {
    pause();
    find("embed-words").textContent = gettext("This position cannot be loaded. Try again.");
    return false;
  } finally {
    if (wanted === ply) wanted = null;
  }
}

/** Show the position at a ply, or the last one for null. Resolves to false if another one was asked for meanwhile. */
async function show(ply) {
  const mine = (asked += 1);
  const at = ply === null ? "" : `&ply=${ply}`;
  const page = await fetchPart(`/embed/matches/${root.dataset.match}?${root.dataset.query}${at}`);
  if (mine !== asked) return false;
  const fresh = page.getElementById("embed");
  const focused = document.activeElement?.dataset?.step;
  for (const name of ["version", "ply", "last"]) root.dataset[name] = fresh.dataset[name];
  for (const id of PARTS) find(id).replaceChildren(...page.getElementById(id).childNodes);
  find("embed-play").hidden = false;
  mark();
  if (focused) root.querySelector(`[data-step="${focused}"]`)?.focus();
  return true;
}

async function play() {
  timer = setTimeout(playOn, number("ply") === number("last") ? 0 : PAUSE_MS);
  mark();
}

async function playOn() {
  const mine = timer;
  const shown = await go(number("ply") === number("last") ? 0 : number("ply") + 1);
  if (timer !== mine) return;
  if (!shown || number("ply") === number("last")) pause();
  else timer = setTimeout(playOn, PAUSE_MS);
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  mark();
}

function mark() {
  find("embed-play").setAttribute("aria-pressed", String(timer !== 0));
}
