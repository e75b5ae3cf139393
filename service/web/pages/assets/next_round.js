// The next pairing: shows what the server proposes, lets places be changed, and says what speaks against the result.

import { formatProblem, send } from "/assets/commands.js";
import { followEvents } from "/assets/live_page.js";
import { gettext, ngettext } from "/assets/speech.js";
import { ask } from "/assets/tournament_forms.js";

const CHECK_MS = 500;
const TRIES = 12;

const find = (id) => document.getElementById(id);
const root = find("pairing");
const { api, page } = root.dataset;
const round = Number(root.dataset.round);
const people = new Map(JSON.parse(root.dataset.present).map((each) => [each.entrant, each]));

let proposed = null;
/** The boards, each a list of entrants by seat, and after them the byes, each a list of one. */
let places = [];
let boards = 0;
let chosen = null;
let checking = 0;
let asked = 0;

load();
find("call")?.addEventListener("submit", (event) => {
  event.preventDefault();
  store(event.submitter, gettext("Call this round? It is paired at once."), { round });
});
find("by-hand")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const body = { round, ...readPairing(), why: find("why").value };
  store(event.submitter, gettext("Pair the round like this? You can take it back until a game has a result."), body);
});
find("reset")?.addEventListener("click", () => start());
root.addEventListener("click", (event) => {
  const place = event.target.closest(".place");
  if (place) choose(place.dataset.at.split("-").map(Number));
});
followEvents({
  address: (version) => `${api}/events?after=${version}`,
  types: root.dataset.live.split(" "),
  version: () => Number(root.dataset.version),
  refresh: () => (find("changed").hidden = false),
});

/** Ask for the pairing, which takes a worker some seconds in a large tournament. */
async function load() {
  for (let tries = TRIES; ; tries -= 1) {
    const answered = await fetch(`${api}/rounds/next`, { headers: { Accept: "application/json" } }).catch(() => null);
    const answer = (await answered?.json().catch(() => null)) ?? {};
    if (answered?.ok) {
      proposed = answer;
      break;
    }
    if (answered?.status !== 503 || tries <= 1) {
      find("state").textContent = "";
      find("refusal").textContent = answered ? formatProblem(answer) : gettext("The server cannot be reached. Try again.");
      return;
    }
    const pauseS = Number(answered.headers.get("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseS, 10) * 1000));
  }
  if (proposed.boards === null) {
    find("state").textContent = gettext("No round is left: if you call it, the tournament ends.");
    if (!find("call")) return;
    find("boards-part").hidden = false;
    if (find("by-hand")) find("by-hand").hidden = true;
    return;
  }
  find("state").textContent = gettext("This is how the server would pair the round now.");
  find("boards-part").hidden = false;
  start();
}

function start() {
  places = [...proposed.boards.map((board) => [...board]), ...proposed.byes.map((entrant) => [entrant])];
  boards = proposed.boards.length;
  chosen = null;
  find("moved").textContent = "";
  show();
}

function isChanged() {
  return JSON.stringify(readPairing()) !== JSON.stringify({ boards: proposed.boards, byes: proposed.byes });
}

function readPairing() {
  return { boards: places.slice(0, boards), byes: places.slice(boards).flat() };
}

/** Choose a place, or change the places of the chosen one and this one. */
function choose([row, at]) {
  if (!root.dataset.byHand) return;
  if (chosen === null) {
    chosen = [row, at];
    say(gettext("%(name)s is chosen. Now press the player to change places with.", { name: nameAt(row, at) }));
  } else if (chosen[0] === row && chosen[1] === at) {
    chosen = null;
    say("");
  } else {
    const [otherRow, otherAt] = chosen;
    const [one, other] = [places[otherRow][otherAt], places[row][at]];
    [places[otherRow][otherAt], places[row][at]] = [other, one];
    chosen = null;
    say(gettext("%(one)s and %(other)s have changed places.", { one: people.get(one).name, other: people.get(other).name }));
  }
  show();
  find("boards-part").querySelector(`[data-at="${row}-${at}"]`).focus();
}

function say(words) {
  find("moved").textContent = words;
}

function nameAt(row, at) {
  return people.get(places[row][at])?.name ?? `#${places[row][at]}`;
}

function show() {
  const rows = places.map((row, number) => drawRow(row, number));
  find("boards").replaceChildren(...rows.slice(0, boards));
  find("byes-list").replaceChildren(...rows.slice(boards));
  find("byes-part").hidden = rows.length === boards;
  const changed = isChanged();
  if (find("call")) {
    find("call").hidden = changed;
    if (find("by-hand")) find("by-hand").hidden = !changed;
  }
  if (find("reset")) find("reset").hidden = !changed;
  clearTimeout(checking);
  asked += 1;
  if (changed) checking = setTimeout(check, CHECK_MS);
  else showObjections(null);
}

function drawRow(row, number) {
  const item = document.createElement("li");
  if (number < boards) {
    const label = document.createElement("span");
    label.className = "board-number";
    label.textContent = `${number + 1}`;
    item.append(label);
  }
  item.append(...row.map((entrant, at) => drawPlace(entrant, number, at)));
  return item;
}

function drawPlace(entrant, row, at) {
  const { name, points } = people.get(entrant) ?? { name: `#${entrant}`, points: "" };
  const place = document.createElement("button");
  place.type = "button";
  place.className = "place";
  place.dataset.at = `${row}-${at}`;
  place.disabled = !root.dataset.byHand;
  place.setAttribute("aria-pressed", String(chosen?.[0] === row && chosen[1] === at));
  const where = row < boards ? gettext("Board %(board)s, seat %(seat)s", { board: row + 1, seat: at + 1 }) : gettext("Bye");
  place.setAttribute("aria-label", `${where}: ${name} (${points})`);
  const before = row < boards ? proposed.boards[row][at] : proposed.byes[row - boards];
  place.classList.toggle("moved", before !== entrant);
  const score = document.createElement("span");
  score.className = "points";
  score.textContent = ` ${points}`;
  place.append(name, score);
  return place;
}

/** Ask the server what speaks against the pairing, and show that unless the pairing has changed meanwhile. */
async function check() {
  const mine = asked;
  const { ok, answer } = await send(`${api}/rounds/next/check`, readPairing(), { keyed: false });
  if (mine !== asked) return;
  find("refusal").textContent = ok ? "" : formatProblem(answer);
  showObjections(ok ? answer.objections : null);
}

function showObjections(objections) {
  const part = find("objections-part");
  if (!part) return;
  part.hidden = objections === null;
  const lines = (objections ?? []).map(describeObjection);
  if (objections !== null && !lines.length) lines.push(gettext("Nothing speaks against it."));
  find("objections-list").replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })),
  );
}

function describeObjection({ kind, entrants, board, number }) {
  const names = entrants.map((entrant) => people.get(entrant)?.name ?? `#${entrant}`);
  const [name, other] = names;
  switch (kind) {
    case "rematch":
      return ngettext(
        "Board %(board)s: %(name)s and %(other)s have met before.",
        "Board %(board)s: %(name)s and %(other)s have met %(num)s times before.",
        Number(number),
        { board, name, other },
      );
    case "points":
      return gettext("Board %(board)s: %(name)s and %(other)s differ in points by %(number)s.", { board, name, other, number });
    case "seat":
      return gettext("Board %(board)s: %(name)s would then have had this seat %(number)s times, and another one less often.", { board, name, number });
    case "second-bye":
      return gettext("%(name)s would have bye number %(number)s, and others have had fewer.", { name, number });
    default:
      return [board === null ? "" : `${board}:`, kind, names.join(" – "), number].join(" ").trim();
  }
}

async function store(button, question, body) {
  if (!(await ask(question, button.textContent))) return;
  button.disabled = true;
  const { ok, answer } = await send(`${api}/rounds`, body);
  if (ok) return location.assign(page);
  button.disabled = false;
  find("refusal").textContent = formatProblem(answer);
}
