// The wall screen: follows a tournament, turns its pages in a steady rhythm, and says when it has lost the connection.

import { fetchNews, followEvents, keepFresh, swapPart } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";

const GATHER_MS = 2_000;
// A silent network is noticed by asking.
const AGAIN_MS = 20_000;
const PAGE_MS = 12_000;
const TURN_MS = 600;
const FRESH_MS = 40_000;
const PATIENCE_MS = 10_000;
const PARTS = ["wall-head", "wall-games", "wall-table", "wall-foot"];

const find = (id) => document.getElementById(id);
const root = find("wall");
const language = document.documentElement.lang;
const time = new Intl.DateTimeFormat(language, { timeStyle: "short" });
const upright = matchMedia("(max-aspect-ratio: 1 / 1)");
/** The page that each part shows, by the id of the part. */
const pages = new Map();
/** The lines that have a new result, with the time until which they are marked. */
const fresh = new Map();

// The screen says what time it is in the hall, by the server's clock.
const aheadMs = Date.now() - Number(root.dataset.now);
let readAt = Date.now();

root.classList.add("paged");
showTime();
layOut();
setInterval(showTime, 1_000);
setInterval(turn, PAGE_MS);
setInterval(() => refresh(), AGAIN_MS);
addEventListener("resize", layOut);
addEventListener("online", () => refresh());
addEventListener("offline", showStale);
document.fonts?.ready.then(layOut);

const refresh = keepFresh(async () => {
  try {
    put(await fetchNews(location.href));
  } catch (error) {
    showStale();
    throw error;
  }
});

followEvents({
  address: () => `/v1/tournaments/${root.dataset.tournament}/stream`,
  types: ["change", "gap"],
  version: () => 0,
  refresh,
  gatherMs: GATHER_MS,
  maxPauseMs: PATIENCE_MS,
});

function put(page) {
  readAt = Date.now();
  find("stale").hidden = true;
  // The first round is paired: everything looks different.
  if (Boolean(find("wall-table")) !== Boolean(page.getElementById("wall-table"))) return location.reload();
  noteResults(page);
  for (const id of PARTS) if (find(id)) swapPart(find(id), page.getElementById(id));
  showTime();
  layOut();
}

function showStale() {
  const stale = find("stale");
  stale.textContent = gettext("No connection. This is how it stood at %(time)s.", { time: time.format(readAt - aheadMs) });
  stale.hidden = false;
}

function showTime() {
  const text = time.format(Date.now() - aheadMs);
  if (find("clock").textContent !== text) find("clock").textContent = text;
}

/** Remember which boards have another result than before, so that they stand out for a while. */
function noteResults(page) {
  for (const line of page.querySelectorAll("#wall-games [data-score]")) {
    const name = line.dataset.line;
    const before = document.querySelector(`#wall-games [data-line="${CSS.escape(name)}"]`);
    if (before && before.dataset.score !== line.dataset.score) fresh.set(name, Date.now() + FRESH_MS);
  }
}

// ---- pages

/** Show as many lines of each part as fit, those of its present page. */
function layOut() {
  for (const [name, until] of fresh) if (until < Date.now()) fresh.delete(name);
  for (const part of document.querySelectorAll(".part")) {
    const list = part.querySelector("[data-lines]");
    const lines = [...list.children];
    for (const line of lines) {
      line.hidden = false;
      if (part.id === "wall-games") line.classList.toggle("fresh", fresh.has(line.dataset.line));
    }
    showPage(part, list, lines, upright.matches ? [lines] : divide(list, lines));
  }
}

/** The lines in pages. A page ends where a line would not fit on the screen any more. */
function divide(list, lines) {
  const { top, height } = list.getBoundingClientRect();
  const found = [[]];
  let start = top;
  for (const line of lines) {
    const box = line.getBoundingClientRect();
    if (found.at(-1).length && box.bottom - start > height + 1) {
      found.push([]);
      start = box.top;
    }
    found.at(-1).push(line);
  }
  return found;
}

function showPage(part, list, lines, divided) {
  const at = (pages.get(part.id) ?? 0) % divided.length;
  pages.set(part.id, at);
  for (const line of lines) line.hidden = !divided[at].includes(line);
  const counter = part.querySelector(".page");
  counter.textContent = divided.length > 1 ? `${at + 1}/${divided.length}` : "";
  list.dataset.pages = divided.length;
}

function turn() {
  const turning = [...document.querySelectorAll("[data-lines]")].filter((list) => Number(list.dataset.pages) > 1);
  for (const list of turning) list.classList.add("turning");
  // The lists may be others by the time they turn.
  const ids = turning.map((list) => list.closest(".part").id);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  setTimeout(() => {
    for (const id of ids) pages.set(id, (pages.get(id) ?? 0) + 1);
    layOut();
    for (const list of turning) list.classList.remove("turning");
  }, still ? 0 : TURN_MS);
}
