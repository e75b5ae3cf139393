// The page to play or record a match on: sends commands, and shows what happens as it happens.

import { runClocks } from "/assets/clocks.js";
import { formatProblem, readForm, send } from "/assets/commands.js";
import { Composer } from "/assets/composer.js";
import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepFresh, swapPart } from "/assets/live_page.js";

const PARTS = ["now", "dice", "board", "board-text", "roll", "people", "actions", "log"];
// Players wait for each other, so they look again sooner than spectators do.
const MAX_PAUSE_MS = 3_000;
const CHANGED = "Something else happened first. Look at the board again.";

const find = (id) => document.getElementById(id);
const root = find("table");
const api = `/v1/matches/${root.dataset.match}`;
const invitation = root.dataset.invitation ? `invitation=${encodeURIComponent(root.dataset.invitation)}` : "";

const refresh = keepFresh(async () => put(await fetchPart(location.pathname + location.search)));
const showClocks = runClocks(Number(root.dataset.now));
const composer = new Composer(find("composer"), find("board"), {
  findTouched,
  findSteps,
  submit: makeMove,
  clauses: `/rulesets/${root.dataset.ruleset}`,
});
remember(find("auto"));
composer.update(mover());
if (root.dataset.live) {
  followEvents({
    address: (after) => `${api}/events?after=${after}${invitation && `&${invitation}`}`,
    types: root.dataset.live.split(" "),
    version,
    refresh,
    gatherMs: 0,
    maxPauseMs: MAX_PAUSE_MS,
  });
}

function version() {
  return Number(root.dataset.version);
}

/** The seat that this browser moves for now; null if it is nobody's turn here. */
function mover() {
  return root.dataset.mover ? Number(root.dataset.mover) : null;
}

function findTouched(touches) {
  const query = new URLSearchParams(touches.map((touch) => ["touch", touch]));
  // The board is drawn as this seat sees it.
  if (find("board").dataset.seat) query.set("seat", find("board").dataset.seat);
  return read("touched", query);
}

function findSteps(prefix) {
  return read("next", new URLSearchParams({ prefix }));
}

async function read(what, query) {
  const answered = await fetch(`${api}/legal-moves/${what}?${query}&${invitation}`);
  if (!answered.ok) throw new Error(`${answered.status}`);
  return answered.json();
}

async function makeMove(move) {
  const { ok, status, answer } = await send(`${api}/moves`, { move, seat: mover() }, { version: version() });
  if (ok) {
    composer.forget();
  } else if (status === 412) {
    composer.refuse(CHANGED);
  } else {
    composer.refuse(formatProblem(answer), answer.clause);
  }
  if (ok || status === 412 || status === 409) await refresh();
  // The page may have shown the move before the answer to it came.
  if (ok) composer.update(mover());
}

function put(page) {
  const fresh = page.getElementById("table");
  const before = version();
  if (!fresh || Number(fresh.dataset.version) <= before) return;
  for (const id of PARTS) swapPart(find(id), page.getElementById(id));
  root.dataset.version = fresh.dataset.version;
  // It says in the browser's tab whose turn it is.
  document.title = page.title;
  if (fresh.dataset.mover) root.dataset.mover = fresh.dataset.mover;
  else delete root.dataset.mover;
  for (const each of document.querySelectorAll("#dice [data-version], #log [data-version]")) {
    each.classList.toggle("fresh", Number(each.dataset.version) > before);
  }
  composer.update(mover());
  announce(page, before);
  showClocks();
}

/** Let screen readers say what others have done since this version. */
function announce(page, before) {
  const { mine } = root.dataset;
  const happened = [...page.querySelectorAll("#log li[data-version]")]
    .filter((each) => Number(each.dataset.version) > before && !(mine && each.dataset.seat === mine))
    .sort((one, other) => one.dataset.version - other.dataset.version)
    .flatMap((each) => [...each.querySelectorAll(".happened li, .happened p")].map((said) => said.firstChild.textContent.trim()));
  if (happened.length) composer.say(happened.join(" "));
}

// ----------------------------------------------------------------------------------------------------------- forms

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-post]");
  if (!form) return;
  event.preventDefault();
  const place = form.querySelector(".refusal");
  const button = event.submitter ?? form.querySelector("button");
  place.textContent = "";
  button.disabled = true;
  // A correction is meant for what the page shows.
  const version = form.dataset.expects ? Number(form.dataset.expects) : null;
  const { ok, status, answer } = await send(form.dataset.post, readForm(form), { method: form.dataset.method, version });
  button.disabled = false;
  if (!ok) {
    place.textContent = status === 412 ? CHANGED : formatProblem(answer);
    refresh();
    return;
  }
  form.closest("dialog")?.close();
  if (form.dataset.goes) location.assign(`/matches/${answer.match}${form.dataset.goes}`);
  else if (location.search && form.querySelector("[name=invitation]")) location.assign(location.pathname);
  else refresh();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) find(opener.dataset.opens).showModal();
  if (event.target.closest("[data-closes]")) event.target.closest("dialog").close();
});

/** Let this browser remember whether a checkbox is checked. */
function remember(box) {
  try {
    box.checked = localStorage.getItem(box.id) === "true";
    box.addEventListener("change", () => localStorage.setItem(box.id, box.checked));
  } catch {
    // This browser stores nothing.
  }
}
