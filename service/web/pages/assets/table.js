// The page to play or record a match on: sends commands, and shows what happens as it happens.

import { ask, tableCode } from "/assets/asking.js";
import { runClocks } from "/assets/clocks.js";
import { formatProblem, readForm, send } from "/assets/commands.js";
import { Composer } from "/assets/composer.js";
import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepPageFresh, swapPart } from "/assets/live_page.js";
import { swapBoard } from "/assets/motion.js";
import { gettext } from "/assets/speech.js";
import { explainRefusal, showThinking } from "/assets/suggestions.js";
import { askPosition, askSuggestion } from "/assets/variation.js";

const PARTS = ["now", "dice", "above", "below", "end", "board-text", "hint", "roll", "actions", "log", "turn", "reference"];
// People see what their own move did before the answer to it comes.
const ANSWER_MS = 700;
// Players wait for each other, so they look again sooner than spectators do.
const MAX_PAUSE_MS = 3_000;
const CHANGED = gettext("Something else happened first. Look at the board again.");
const RELATED = ["seat-offered", "entropy-due", "start-due", "your-decision", "match-started"];

const find = (id) => document.getElementById(id);
const root = find("table");
const api = `/v1/matches/${root.dataset.match}`;
const invitation = root.dataset.invitation ? `invitation=${encodeURIComponent(root.dataset.invitation)}` : "";

// How often the page was put in place, and whether the board shows an earlier position than the page.
let puts = 0;
let isBehind = false;
// When the position that the page shows was put in place: its way here is no time of the player's.
let shownAt = performance.now();

// The page of a table's code goes on without network.
const ahead = tableCode && new (await import("/assets/moves_ahead.js")).MovesAhead();
// It takes what is touched before the composer does, so both are there at once.
const recording = "record" in find("log").dataset && (await import("/assets/recorder.js"));
const refresh = keepPageFresh((page) => put(page, isBehind));
const showClocks = runClocks(Number(root.dataset.now));
const composer = new Composer(find("composer"), find("board"), {
  findTouched,
  findSteps,
  submit: makeMove,
  explainPause: () => ("waits" in root.dataset ? gettext("Steps wait for the network. Write the next one below them.") : null),
  clauses: `/rulesets/${root.dataset.ruleset}`,
});
remember(find("auto"));
composer.update(mover());
lookAhead();
let recorder = null;
if (recording) {
  recorder = new recording.Recorder({ root, api, composer, version, refresh, restore });
  recorder.update();
}
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
  return root.dataset.mover && !("waits" in root.dataset) ? Number(root.dataset.mover) : null;
}

function findTouched(touches) {
  const query = new URLSearchParams(touches.map((touch) => ["touch", touch]));
  // The board is drawn as this seat sees it.
  if (find("board").dataset.seat) query.set("seat", find("board").dataset.seat);
  const asked = read("touched", query);
  return ahead ? asked.catch((error) => ahead.touch(version(), touches, error)) : asked;
}

function findSteps(prefix) {
  return read("next", new URLSearchParams({ prefix }));
}

async function read(what, query) {
  const answered = await ask(`${api}/legal-moves/${what}?${query}&${invitation}`);
  if (!answered.ok) throw new Error(`${answered.status}`);
  return answered.json();
}

async function makeMove(move) {
  const { ok, status, answer, isKept } = await send(`${api}/moves`, { move, seat: mover() }, {
    version: version(),
    thoughtMs: performance.now() - shownAt,
  });
  if (ok || isKept) {
    composer.forget();
  } else if (status === 412) {
    composer.refuse(CHANGED);
  } else {
    composer.refuse(formatProblem(answer), answer.clause);
  }
  if (ok || status === 412 || status === 409) await refresh();
  if (ok) composer.update(mover());
}

/** Put the parts of a newer page in place; with `isOther`, of the same version with another view. */
async function put(page, isOther = false) {
  // A correction shows an earlier position meanwhile.
  if (recorder?.isMending) return;
  const fresh = page.getElementById("table");
  const before = version();
  const moverBefore = mover();
  if (!fresh || (!isOther && Number(fresh.dataset.version) <= before)) return;
  if (Number(fresh.dataset.version) < before) {
    // It was asked for before what the page shows by now.
    restore();
    return;
  }
  const news = [...page.querySelectorAll("#log [data-version]")].filter((each) => Number(each.dataset.version) > before).reverse();
  puts += 1;
  const mine = puts;
  await waitForEyes(news);
  if (mine !== puts || recorder?.isMending) {
    // Another view or a correction is shown by now. Nobody waits for this refresh: it may be the one under way.
    refresh();
    return;
  }
  isBehind = false;
  const effects = news.flatMap((each) => JSON.parse(each.dataset.effects ?? "[]"));
  putBoard(page.getElementById("board"), effects);
  for (const id of PARTS) swapPart(find(id), page.getElementById(id));
  if (Number(fresh.dataset.version) > before) shownAt = performance.now();
  root.dataset.version = fresh.dataset.version;
  // It says in the browser's tab whose turn it is.
  document.title = page.title;
  if (fresh.dataset.mover) root.dataset.mover = fresh.dataset.mover;
  else delete root.dataset.mover;
  for (const each of document.querySelectorAll("#dice [data-version], #log [data-version]")) {
    each.classList.toggle("fresh", Number(each.dataset.version) > before);
  }
  composer.update(mover());
  lookAhead();
  recorder?.update();
  announce(page, before);
  showClocks();
  if (fresh.dataset.ended) root.dataset.ended = fresh.dataset.ended;
  else delete root.dataset.ended;
  if (fresh.dataset.ended) awaitRematch(fresh.dataset.ended);
  // The header of the page counts the matches that wait.
  if (mover() !== moverBefore) document.dispatchEvent(new Event("plyscribe:turn"));
}

/** Load what can be done next, and say for which version it is known. */
async function lookAhead() {
  await ahead?.load(version());
  if (ahead?.known) root.dataset.ahead = ahead.known.version;
}

/** Show the present position after a correction was closed, as soon as the server can be reached. */
function restore() {
  isBehind = true;
  return refresh();
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

let ownMoveAt = 0;

/** Before the answer to a move of this browser is shown: show that move, if it has not been, and pause. */
async function waitForEyes(news) {
  const mine = root.dataset.held.split(" ");
  const own = news.findLastIndex((each) => each.dataset.ply && "move" in each.dataset && mine.includes(each.dataset.seat));
  const answered = news.slice(own + 1).some((each) => "move" in each.dataset);
  if (own >= 0) ownMoveAt = Date.now();
  if (!answered) return;
  if (own >= 0) await showStep(news.splice(0, own + 1));
  await new Promise((resolve) => setTimeout(resolve, ownMoveAt + ANSWER_MS - Date.now()));
}

/** Show the position after the last of these entries of the log. */
async function showStep(entries) {
  const query = new URLSearchParams(location.search);
  const position = await fetchPart(`/matches/${root.dataset.match}/positions/${entries.at(-1).dataset.ply}?${query}`);
  putBoard(position.getElementById("board"), entries.flatMap((each) => JSON.parse(each.dataset.effects ?? "[]")));
  ownMoveAt = Date.now();
}

/** Put a newer drawing in place, and show the motion that led to it. What is focused stays so. */
function putBoard(fresh, effects) {
  const [board, drawing] = [find("board"), fresh?.querySelector("svg")?.cloneNode(true)];
  if (!drawing) return swapPart(board, fresh);
  const touch = board.contains(document.activeElement) && document.activeElement.dataset.touch;
  swapBoard(board, drawing, effects, effects.length ? 1 : 0);
  board.dataset.seat = fresh.dataset.seat;
  const again = touch && board.querySelector(`[data-touch="${CSS.escape(touch)}"]`);
  if (!again) return;
  again.setAttribute("tabindex", "0");
  again.focus();
}

// The board is turned, and more of the list is shown, without losing what was begun on the board.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("#turn, #earlier");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  try {
    const page = await fetchPart(link.href);
    history.replaceState(null, "", link.href);
    await put(page, true);
  } catch {
    location.assign(link.href);
  }
});

// ------------------------------------------------------------------------------------------------------------ hints

document.addEventListener("click", (event) => {
  const button = event.target.closest("#ask-hint");
  if (button) giveHint(button);
});

/** Ask a bot for the best move here, show on the board what it would do, and say it. */
async function giveHint(button) {
  const [place, asked, thinking] = [find("hinted"), version(), new AbortController()];
  const { ruleset, match } = root.dataset;
  const start = { match, ply: Number(button.dataset.ply) };
  const query = invitation && `?${invitation}`;
  button.disabled = true;
  showThinking(place, () => thinking.abort());
  try {
    const { moves } = await askSuggestion(ruleset, start, [], Number(button.dataset.playouts), { query, signal: thinking.signal });
    const [best] = moves;
    const more = { picture: true, seen_from: Number(find("board").dataset.seat) };
    const { picture } = await askPosition(ruleset, start, [{ move: best.move }], more, query);
    // Another move may have been made meanwhile.
    if (version() !== asked) return;
    place.textContent = gettext("The bot would play this. The board shows what it does.");
    composer.preview({ ...best, picture });
  } catch (error) {
    place.textContent = error.name === "AbortError" ? "" : explainRefusal(error);
  } finally {
    button.disabled = false;
  }
}

// --------------------------------------------------------------------------------------------------------- rematches

let inbox = null;

/** Look again when something reaches this player's inbox after the end: it may be an offer of a rematch. */
function awaitRematch(ended) {
  if (inbox) return;
  inbox = new EventSource(`/v1/players/me/events?after=${Number(ended) * 1000}`);
  for (const type of RELATED) {
    inbox.addEventListener(type, async (event) => {
      if (JSON.parse(event.data).match === root.dataset.match) return;
      await put(await fetchPart(location.pathname + location.search), true);
      if (!root.dataset.ended) inbox.close();
    });
  }
  addEventListener("pagehide", () => inbox.close());
}

if (root.dataset.ended) awaitRematch(root.dataset.ended);

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

// What waits on a phone for the network is shown by another script. Meanwhile the board takes no move.
document.addEventListener("plyscribe:waits", () => composer.update(mover()));
document.addEventListener("plyscribe:sent", () => refresh());

/** Let this browser remember whether a checkbox is checked. */
function remember(box) {
  try {
    // It may have been checked before this script had loaded.
    if (box.checked) localStorage.setItem(box.id, true);
    else box.checked = localStorage.getItem(box.id) === "true";
    box.addEventListener("change", () => localStorage.setItem(box.id, box.checked));
  } catch {
    // This browser stores nothing.
  }
}

// From now on nothing that is clicked is lost.
root.dataset.ready = "";
document.dispatchEvent(new Event("plyscribe:ready"));
