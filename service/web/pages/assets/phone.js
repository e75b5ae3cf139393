// The page of a table's code: keeps what is entered until it is on the server, and follows the tournament.

import { tableCode } from "/assets/asking.js";
import { formatProblem, keepCommands, send } from "/assets/commands.js";
import { KeptSteps } from "/assets/kept_steps.js";
import { KeptView } from "/assets/kept_view.js";
import { fetchNews, followEvents, keepFresh, swapPart } from "/assets/live_page.js";
import { ResultEntry } from "/assets/result_entry.js";
import { SheetEntry } from "/assets/sheet_entry.js";
import { gettext } from "/assets/speech.js";
import { formatStep, readStep } from "/assets/step_texts.js";
import { TableSync } from "/assets/table_sync.js";

const PARTS = ["phone-head", "phone-result"];
const QUEUEABLE = /^\/v1\/matches\/(match-[a-z2-7]{26})\/(moves|rolls|withdrawal)$/;
const RESULTS = /^\/v1\/tournaments\/tournament-[a-z2-7]{26}\/results$/;

const OVER = ["404", "410"];
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

const find = (id) => document.getElementById(id);
const root = find("phone");
const table = find("table");
const kept = new KeptSteps(tableCode);
let waiting = [];

const sync = new TableSync(kept, {
  changed: showKept,
  sent: () => {
    document.dispatchEvent(new Event("plyscribe:sent"));
    refresh();
  },
  over: () => location.reload(),
});
const view = new KeptView(find("network"), { sync, match: () => root.dataset.match ?? null, draft: find("next-step") });
const refresh = keepFresh(load);

keepCommands((path, body, { method, version: expected }) => {
  const [, match] = QUEUEABLE.exec(path) ?? [];
  if (method !== "POST" || !(match || RESULTS.test(path))) return null;
  return match ? keepStep(match, path, body, expected) : keepResult(path, body);
});
const result = new ResultEntry(root);
new SheetEntry(root, { enter: keepText });
begin();

async function begin() {
  // Whoever entered these on an earlier visit waits for no answer here.
  for (const entry of await kept.list()) if (entry.isNow) await kept.update(entry, { isNow: false });
  await sync.tell();
  sync.start();
  for (const type of ["online", "offline"]) addEventListener(type, () => sync.tell());
  addEventListener("online", () => refresh());
  if (root.dataset.live) {
    followEvents({
      address: (after) => `/v1/tournaments/${root.dataset.tournament}/events?after=${after}`,
      types: root.dataset.live.split(" "),
      version: () => Number(root.dataset.version),
      refresh,
    });
  }
  if (find("prepared")) awaitMatch();
  await keepPage();
}

/** Look for the match at intervals that grow: it is made after the pairing, and no event of the tournament says so. */
function awaitMatch(pauseMs = FIRST_PAUSE_MS) {
  setTimeout(async () => {
    await refresh();
    awaitMatch(Math.min(2 * pauseMs, MAX_PAUSE_MS));
  }, pauseMs);
}

async function load() {
  let page;
  try {
    page = await fetchNews(location.pathname);
  } catch (error) {
    if (!OVER.includes(error.message)) throw error;
    return location.reload();
  }
  put(page);
}

/** The version of the match that the page shows; null without a match. */
function version() {
  return table ? Number(table.dataset.version) : null;
}

// ------------------------------------------------------------------------------------------------------- entering

async function keepStep(match, path, body, expected) {
  const step = readStep(path, body);
  const isFirst = !waiting.length;
  return enter({ kind: "step", match, step, text: formatStep(step), path, body, ...(isFirst ? { version: expected ?? version() } : {}), isNow: isFirst });
}

async function keepResult(path, body) {
  const text = find("result-entry")?.dataset.said ?? "";
  return enter({ kind: "result", text, path, body, isNow: !waiting.length });
}

/** Keep what was typed as on a score sheet, and send it when that is possible. */
async function keepText(text) {
  const match = root.dataset.match;
  return enter({ kind: "text", match, text, ...(waiting.length ? {} : { version: version() }), isNow: false });
}

async function enter(entry) {
  const added = await sync.enter(entry);
  const answered = await sync.settle(added);
  if (answered.status) return answered;
  await kept.update(added, { isNow: false });
  await sync.tell();
  return { ...answered, isKept: true, answer: { detail: gettext("Kept on this phone until the network is back.") } };
}

/** Show what waits. While something does, the board takes no move: nobody knows the position after it. */
function showKept(entries) {
  waiting = entries;
  const shown = entries.filter(({ isNow }) => !isNow);
  view.show(shown, { isLasting: kept.isLasting, isCut: !navigator.onLine || sync.failures > 0 });
  if (!table) return;
  const isWaiting = shown.some(({ match }) => match);
  if (isWaiting === "waits" in table.dataset) return;
  if (isWaiting) table.dataset.waits = "";
  else delete table.dataset.waits;
  document.dispatchEvent(new Event("plyscribe:waits"));
}

// ------------------------------------------------------------------------------------------------------- following

/** Show what is new in the tournament. Another match, or the end of the code, is another page. */
function put(page) {
  const fresh = page.getElementById("phone");
  if (!fresh) return location.reload();
  if (Number(fresh.dataset.version) < Number(root.dataset.version)) return;
  const isOther = ["match", "game", "shown"].some((name) => fresh.dataset[name] !== root.dataset[name]);
  if (isOther) return location.reload();
  // The form is drawn anew, but whoever has tapped a name has still tapped it.
  const show = () => result.show();
  for (const id of PARTS) swapPart(find(id), page.getElementById(id), show);
  show();
  Object.assign(root.dataset, fresh.dataset);
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("#call-form");
  if (!form) return;
  event.preventDefault();
  const { tournament, round, board, game } = root.dataset;
  const body = { round: Number(round), board: Number(board), game: Number(game), why: find("call-why").value.trim() };
  const { ok, answer } = await send(`/v1/tournaments/${tournament}/calls`, body);
  form.querySelector(".refusal").textContent = ok ? "" : formatProblem(answer);
  if (ok) refresh();
});

/** Let this browser keep the page, so that it opens without network. It can only do so over HTTPS. */
async function keepPage() {
  if (!("serviceWorker" in navigator)) return view.tell({ canReopen: false });
  try {
    await navigator.serviceWorker.register("/at/worker.js", { scope: "/at/" });
    const { active } = await navigator.serviceWorker.ready;
    // The board loads its last scripts by itself.
    if (table && !("ready" in table.dataset)) await new Promise((resolve) => document.addEventListener("plyscribe:ready", resolve, { once: true }));
    navigator.serviceWorker.addEventListener("message", () => (root.dataset.kept = ""));
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    const linked = [...document.querySelectorAll("link[href], script[src], img[src]")].map((each) => each.href || each.src);
    active.postMessage({ keep: [...loaded, ...linked, location.pathname, ...(table ? [`${location.pathname}/ahead`] : [])] });
  } catch {
    view.tell({ canReopen: false });
  }
}
