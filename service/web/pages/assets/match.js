// The match page: steps through positions, plays them back, and follows a live match.

import { runClocks } from "/assets/clocks.js";
import { exploreBeside } from "/assets/explored.js";
import { fetchPart } from "/assets/fetch_part.js";
import { offerForks } from "/assets/match_fork.js";
import { keepFresh } from "/assets/live_page.js";
import { followMatch } from "/assets/match_live.js";
import { offerOversight } from "/assets/match_oversight.js";
import { swapBoard } from "/assets/motion.js";
import { gettext } from "/assets/speech.js";

const root = document.getElementById("match");
const find = (id) => document.getElementById(id);

const viewer = {
  path: `/matches/${root.dataset.match}`,
  query: root.dataset.query,
  // What parts of this page are asked for with, besides: the side of the board.
  pageQuery: root.dataset.query + (root.dataset.seen ? `&seen=${root.dataset.seen}` : ""),
  version: Number(root.dataset.version),
  last: Number(root.dataset.last),
  ply: Number(find("board")?.dataset.ply ?? 0),
  // The ply whose position was asked for last. Answers for other plies come too late.
  wanted: null,
  positions: new Map(),
  show,
  showPart: keepFresh(loadPart),
  forget,
  showPlace,
  showClocks: runClocks(Number(root.dataset.now)),
};

const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };

// The timers of playback and of the address, which changes when the reader stops stepping.
let timer = 0;
let resting = 0;

const explored = exploreBeside(() => `${find("beside").dataset.explored}&ply=${viewer.ply}`);

if (find("board")) beginStepping();
offerForks(viewer);
offerOversight();
offerReport();
if (root.dataset.live) followMatch(viewer, root.dataset.live.split(" "));

function beginStepping() {
  for (const hidden of document.querySelectorAll("#play, .speed, #ply, #keys")) hidden.hidden = false;
  showPlace();
  find("controls").addEventListener("submit", (event) => {
    event.preventDefault();
    pause();
    step(event.submitter.dataset.step);
  });
  find("play").addEventListener("click", () => (timer ? pause() : play()));
  find("ply").addEventListener("input", (event) => {
    pause();
    show(Number(event.target.value));
  });
  find("move-list").addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    pause();
    show(plyOf(link));
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-replays]")) return;
    event.preventDefault();
    pause();
    show(0).then(play);
    find("board").scrollIntoView({ block: "nearest" });
  });
  document.addEventListener("keydown", stepByKey);
  prefetch();
}

function stepByKey(event) {
  const typing = event.target.closest("input, select, textarea, pre, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
  event.preventDefault();
  pause();
  step(KEYS[event.key]);
}

function step(where) {
  const from = viewer.wanted ?? viewer.ply;
  const target = { first: 0, previous: from - 1, next: from + 1, last: viewer.last }[where];
  return show(Math.min(Math.max(target, 0), viewer.last));
}

/** Show the position at a ply. Resolves to false if another one was asked for meanwhile, or if it cannot be loaded. */
async function show(ply) {
  viewer.wanted = ply;
  try {
    const position = await load(ply);
    if (viewer.wanted !== ply) return false;
    put(position);
    viewer.wanted = null;
    prefetch();
    return true;
  } catch {
    if (viewer.wanted === ply) {
      viewer.wanted = null;
      pause();
      say(gettext("This position cannot be loaded. Try again."));
    }
    return false;
  }
}

function load(ply) {
  if (!viewer.positions.has(ply)) {
    const asked = fetchPart(`${viewer.path}/positions/${ply}${viewer.pageQuery.replace("&", "?")}`);
    asked.catch(() => viewer.positions.delete(ply));
    if (viewer.positions.size > 60) viewer.positions.delete(viewer.positions.keys().next().value);
    viewer.positions.set(ply, asked);
  }
  return viewer.positions.get(ply);
}

/** Forget the loaded positions from a ply on: they have changed. */
function forget(ply) {
  for (const known of [...viewer.positions.keys()]) if (known >= ply) viewer.positions.delete(known);
}

function prefetch() {
  for (const ply of [viewer.ply + 1, viewer.ply - 1]) if (ply >= 0 && ply <= viewer.last) load(ply).catch(() => {});
}

function put(position) {
  // During playback a screen reader should not read out every position.
  find("move-text").setAttribute("aria-live", timer ? "off" : "polite");
  const isOpen = find("forms").querySelector("details").open;
  putBoard(position.getElementById("board"));
  for (const id of ["move-text", "forms", "end"]) {
    const copy = position.getElementById(id).cloneNode(true);
    find(id).replaceChildren(...copy.childNodes);
    find(id).hidden = copy.hidden;
  }
  find("forms").querySelector("details").open = isOpen;
  viewer.ply = Number(find("board").dataset.ply);
  // At the end, new moves have been seen. An error message is out of date now.
  if (viewer.ply === viewer.last || !find("note").querySelector("button")) find("note").replaceChildren();
  showPlace();
}

/** Put a drawing in place. One step on or back is shown as motion, by the effects of the step; a jump is not. */
function putBoard(fresh) {
  const board = find("board");
  const by = Number(fresh.dataset.ply) - Number(board.dataset.ply);
  const effects = JSON.parse((by === 1 ? fresh : board).dataset.effects);
  swapBoard(board, fresh.querySelector("svg").cloneNode(true), effects, Math.abs(by) === 1 ? by : 0);
  board.dataset.ply = fresh.dataset.ply;
  board.dataset.effects = fresh.dataset.effects;
}

function showPlace() {
  const { ply, last } = viewer;
  const place = gettext("%(ply)s of %(last)s", { ply, last });
  find("place").textContent = place;
  const slider = find("ply");
  slider.max = last;
  slider.value = ply;
  slider.setAttribute("aria-valuetext", place);
  for (const button of find("controls").querySelectorAll("[data-step]")) {
    const back = button.dataset.step === "first" || button.dataset.step === "previous";
    button.setAttribute("aria-disabled", String(ply === (back ? 0 : last)));
  }
  turnHere(ply);
  explored();
  markMove(ply);
  clearTimeout(resting);
  resting = setTimeout(nameAddress, 200);
}

/** The links that turn the board and that begin a line lead to the position that is shown. */
function turnHere(ply) {
  const address = new URL(find("turn").href);
  address.searchParams.set("ply", ply);
  find("turn").href = address;
  for (const link of document.querySelectorAll("a[data-tries]")) {
    const line = new URL(link.href);
    line.searchParams.set("ply", ply);
    link.href = line;
  }
}

// Browsers limit how often a page may change its address.
function nameAddress() {
  const { ply, last } = viewer;
  const address = new URL(location.href);
  if (ply === last && root.dataset.live) address.searchParams.delete("ply");
  else if (ply !== last || address.searchParams.has("ply")) address.searchParams.set("ply", ply);
  if (address.href !== location.href) history.replaceState(null, "", address);
}

function markMove(ply) {
  const moves = find("moves");
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = findMove(ply);
  if (!link) return viewer.showPart();
  link.setAttribute("aria-current", "true");
  moves.scrollTop = link.offsetTop - (moves.clientHeight - link.offsetHeight) / 2;
}

/** The link to a position, if it is in the part of the list that is shown. */
function findMove(ply) {
  const first = Number(find("move-list").dataset.first);
  // The first part begins with the link to the starting position.
  return find("moves").getElementsByTagName("a")[first ? ply - first - 1 : ply];
}

/** Load the part of the list of moves that the shown position belongs to. */
async function loadPart() {
  const part = await fetchPart(`${viewer.path}/moves?ply=${viewer.ply}${viewer.pageQuery}`);
  const [list, fresh] = [find("move-list"), part.getElementById("move-list")];
  list.dataset.first = fresh.dataset.first;
  list.replaceChildren(...fresh.childNodes);
  if (findMove(viewer.ply)) markMove(viewer.ply);
}

function plyOf(link) {
  return Number(new URL(link.href).searchParams.get("ply"));
}

function play() {
  find("play").textContent = gettext("Pause");
  timer = setTimeout(playOn, viewer.ply === viewer.last ? 0 : pauseMs());
}

async function playOn() {
  const mine = timer;
  const next = viewer.ply === viewer.last ? 0 : viewer.ply + 1;
  const shown = await show(next);
  if (timer !== mine) return;
  if (!shown || viewer.ply === viewer.last) pause();
  else timer = setTimeout(playOn, pauseMs());
}

function pauseMs() {
  return Number(find("speed").value);
}

function pause() {
  if (!timer) return;
  clearTimeout(timer);
  timer = 0;
  find("play").textContent = gettext("Play back");
}

function say(text) {
  find("note").textContent = text;
}

function offerReport() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("#check");
    if (!link) return;
    event.preventDefault();
    const report = find("report");
    report.textContent = gettext("Checking the match …");
    try {
      report.replaceChildren((await fetchPart(link.href)).querySelector("#report-shown"));
    } catch {
      report.textContent = gettext("The match cannot be checked right now. Try again in a moment.");
    }
  });
}
