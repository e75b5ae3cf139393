// The arbiter's desk: stays up to date, opens boards in place, and shows what a ruling changes before it is sent.

import { runClocks } from "/assets/clocks.js";
import { formatProblem, readForm, send } from "/assets/commands.js";
import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepPageFresh, swapPart } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";

// Many moves may come at the same time, and a desk may have 64 boards.
const GATHER_MS = 2_000;
// How long ago something happened is told in words that grow old.
const AGAIN_MS = 30_000;
const PARTS = ["desk-head", "rounds", "boards", "panel-now", "penalties"];

const find = (id) => document.getElementById(id);
const root = find("desk");
const showClocks = runClocks(Number(root.dataset.now));
const refresh = keepPageFresh(put);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-board]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  open(link.href, true);
});
addEventListener("popstate", () => open(location.href, false));

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-post]");
  if (!form) return;
  event.preventDefault();
  if (form.dataset.preview) preview(form);
  else submit(form, readRuling(form));
});

// A ruling that was looked at and then changed is another one.
document.addEventListener("input", (event) => event.target.closest("form[data-preview]")?.querySelector(".preview")?.remove());

followEvents({
  address: () => `/v1/tournaments/${root.dataset.tournament}/stream`,
  types: ["change", "gap"],
  version: () => 0,
  refresh,
  gatherMs: GATHER_MS,
});
setInterval(() => document.hidden || refresh(), AGAIN_MS);
document.addEventListener("visibilitychange", () => document.hidden || refresh());

function put(page) {
  const [panel, fresh] = [find("panel"), page.getElementById("panel")];
  // The first round is paired, or taken back: everything looks different.
  if (Boolean(panel) !== Boolean(fresh)) return location.reload();
  if (panel && panel.dataset.key !== fresh.dataset.key) putPanel(page);
  for (const id of PARTS) if (find(id)) swapPart(find(id), page.getElementById(id));
  showClocks();
}

function putPanel(page) {
  const [panel, fresh] = [find("panel"), page.getElementById("panel")];
  // What somebody is entering on a board stays as long as it can still be decided there.
  if (panel.dataset.game === fresh.dataset.game) swapPart(panel, fresh);
  else panel.replaceWith(fresh);
  root.className = page.getElementById("desk").className;
}

let opened = 0;

async function open(address, isNew) {
  const mine = (opened += 1);
  say("");
  let page = null;
  try {
    page = await fetchPart(address);
  } catch {
    if (mine !== opened) return;
    find("refusal").textContent = gettext("The server cannot be reached. Try again.");
    return;
  }
  // Another one may have been opened meanwhile.
  if (mine !== opened) return;
  if (isNew) history.pushState(null, "", address);
  const chosen = document.querySelector(".place[aria-current]")?.id ?? "boards";
  put(page);
  // Nothing is chosen any more: back to the board that was.
  const title = find("panel-title");
  (title ?? find(chosen))?.focus();
  if (title && matchMedia("(max-width: 55rem)").matches) title.scrollIntoView();
}

/** Where a form's ruling goes, and what it says: a forfeit goes elsewhere than a result. */
function readRuling(form) {
  const { result, entrant, ...body } = readForm(form);
  Object.assign(body, result);
  let path = form.dataset.post;
  if (body.forfeited?.length) {
    delete body.ranks;
    if (form.dataset.forfeit) path = form.dataset.forfeit;
    const name = form.dataset.result;
    const losers = body.forfeited;
    delete body.forfeited;
    body[name] = losers;
  }
  if (entrant === undefined) return { path, body };
  if (path.includes("{entrant}")) return { path: path.replace("{entrant}", entrant), body };
  return { path, body: { ...body, entrant } };
}

async function submit(form, { path, body }) {
  const buttons = form.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  const { ok, answer } = await send(path, body, { method: form.dataset.method });
  for (const button of buttons) button.disabled = false;
  form.querySelector(".refusal").textContent = ok ? "" : formatProblem(answer);
  if (!ok) return;
  form.querySelector(".preview")?.remove();
  form.reset();
  showCodes(form.querySelector(".codes"), answer.codes);
  const { done, goes } = form.dataset;
  await (goes ? open(goes, true) : refresh());
  say(done ?? "");
}

/** Show the addresses of new codes, to open on a phone or to send. */
function showCodes(place, codes = []) {
  place?.replaceChildren(...codes.map(({ url }) => make("a", { href: url, textContent: url })));
}

function say(text) {
  find("done").textContent = text;
  find("refusal").textContent = "";
}

// ---- before and after

async function preview(form) {
  const ruling = readRuling(form);
  const refused = form.querySelector(".refusal");
  form.querySelector(".preview")?.remove();
  refused.textContent = "";
  const { round, board, game, ranks, forfeited } = ruling.body;
  const asked = new URLSearchParams({ round, board, game });
  if (ranks) asked.set("ranks", ranks);
  if (forfeited) asked.set("forfeited", forfeited);
  try {
    const answered = await fetch(`${form.dataset.preview}?${asked}`, { headers: { Accept: "application/json" } });
    const answer = await answered.json();
    if (answered.ok) showPreview(form, ruling, answer);
    else refused.textContent = formatProblem(answer);
  } catch {
    refused.textContent = gettext("The server cannot be reached. Try again.");
  }
}

function showPreview(form, ruling, { before, after }) {
  const shown = make("div", { className: "preview" });
  const rows = compare(before.rows, after.rows);
  const isSame = rows.every(({ was, now }) => was.rank === now.rank && was.points === now.points);
  const textContent = isSame
    ? gettext("Nothing has changed yet. This would change neither ranks nor points:")
    : gettext("Nothing has changed yet. The table would change like this:");
  const title = make("p", { tabIndex: -1, textContent });
  const confirm = make("button", { type: "button", textContent: gettext("Do it") });
  confirm.addEventListener("click", () => submit(form, ruling));
  const refrain = make("button", { type: "button", className: "second", textContent: gettext("Change nothing") });
  refrain.addEventListener("click", () => shown.remove());
  const actions = make("div", { className: "actions" }, [confirm, refrain]);
  const wide = make("div", { className: "wide", tabIndex: 0 }, [drawTable(rows)]);
  wide.setAttribute("role", "group");
  wide.setAttribute("aria-label", gettext("The table before and after"));
  shown.append(title, wide, actions);
  form.append(shown);
  title.focus();
  actions.scrollIntoView({ block: "nearest" });
}

/** The rows after, in their order, each with the row of the same entrant before. */
function compare(before, after) {
  const old = new Map(before.map((row) => [row.entrant, row]));
  return after.map((now) => ({ now, was: old.get(now.entrant) ?? now }));
}

function drawTable(rows) {
  const names = [gettext("Name"), gettext("Rank"), gettext("Points")];
  const head = make("tr", {}, names.map((textContent) => make("th", { scope: "col", textContent })));
  const body = rows.map(({ now, was }) => {
    const isChanged = was.rank !== now.rank || was.points !== now.points;
    const cells = [now.name, change(was.rank, now.rank), change(was.points, now.points)];
    return make("tr", { className: isChanged ? "changed" : "" }, cells.map((textContent) => make("td", { textContent })));
  });
  return make("table", {}, [make("thead", {}, [head]), make("tbody", {}, body)]);
}

function change(before, after) {
  return before === after ? `${after}` : gettext("%(before)s, then %(after)s", { before, after });
}

function make(name, properties, children = []) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
