// The page on which a match is played or recorded: sends commands, and shows what happens as it happens.

import { readForm, send, tellProblem } from "/assets/commands.js";
import { Composer } from "/assets/composer.js";
import { fetchPart } from "/assets/fetch_part.js";

const PARTS = ["now", "dice", "board", "board-text", "roll", "people", "actions", "log"];
const AGAIN_MS = 3000;

const find = (id) => document.getElementById(id);
const root = find("table");
const api = `/v1/matches/${root.dataset.match}`;
const invitation = root.dataset.invitation ? `invitation=${encodeURIComponent(root.dataset.invitation)}` : "";
// Deadlines are times of the server's clock.
const aheadMs = Date.now() - Number(root.dataset.now);

let steps = new Map();

const composer = new Composer(find("composer"), find("board"), askSteps, makeMove);
composer.stand(mover());
remember(find("auto"));
tick();
setInterval(tick, 500);
if (root.dataset.live) follow(root.dataset.live.split(" "));

function version() {
  return Number(root.dataset.version);
}

function mover() {
  return root.dataset.mover ? Number(root.dataset.mover) : null;
}

function askSteps(prefix) {
  const known = steps;
  if (!known.has(prefix)) {
    const query = `prefix=${encodeURIComponent(prefix)}${invitation && `&${invitation}`}`;
    const asked = fetch(`${api}/legal-moves/next?${query}`).then((answered) => {
      if (!answered.ok) throw new Error(`${answered.status}`);
      return answered.json();
    });
    asked.catch(() => known.delete(prefix));
    known.set(prefix, asked);
  }
  return known.get(prefix);
}

async function makeMove(move) {
  const { ok, status, answer } = await send(`${api}/moves`, { move, seat: mover() }, { version: version() });
  if (ok) {
    composer.forget();
  } else if (status === 412) {
    composer.refuse("Something happened meanwhile: look at the board again.");
  } else {
    const address = `/rulesets/${root.dataset.ruleset}#${answer.clause}`;
    composer.refuse(tellProblem(answer), answer.clause && { name: answer.clause, address });
  }
  if (ok || status === 412 || status === 409) await refresh();
  // The news of the move may have been shown before its answer came.
  if (ok) composer.stand(mover());
}

// ---------------------------------------------------------------------------------------------------- what happens

let running = null;
let isAsked = false;

/** Show the match as it stands now; asked again while that is under way, once more. */
function refresh() {
  isAsked = true;
  running ??= (async () => {
    try {
      while (isAsked) {
        isAsked = false;
        put(await fetchPart(location.pathname + location.search));
      }
    } catch {
      setTimeout(refresh, AGAIN_MS);
    } finally {
      running = null;
    }
  })();
  return running;
}

function put(page) {
  const fresh = page.getElementById("table");
  const before = version();
  if (!fresh || Number(fresh.dataset.version) <= before) return;
  for (const id of PARTS) swap(find(id), page.getElementById(id));
  root.dataset.version = fresh.dataset.version;
  if (fresh.dataset.mover) root.dataset.mover = fresh.dataset.mover;
  else delete root.dataset.mover;
  for (const each of document.querySelectorAll("#dice [data-version], #log [data-version]")) {
    each.classList.toggle("fresh", Number(each.dataset.version) > before);
  }
  steps = new Map();
  composer.stand(mover());
  tick();
}

/** Put a part's new content in place of the old one, but not under who is using it. */
function swap(part, fresh) {
  if (!fresh || part.querySelector("dialog[open]")) return;
  const copy = fresh.cloneNode(true);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  for (const field of part.querySelectorAll("input[id]:not([type=hidden]), select[id]")) {
    const other = copy.querySelector(`#${CSS.escape(field.id)}`);
    if (!other || (field !== focused && !(field.value && field.matches("input")))) continue;
    other.value = field.value;
    other.hidden = field.hidden;
  }
  if (part.innerHTML === copy.innerHTML) return;
  part.replaceChildren(...copy.childNodes);
  if (!focused) return;
  const again = focused.dataset.token
    ? `[data-token="${CSS.escape(focused.dataset.token)}"]`
    : focused.id && `#${CSS.escape(focused.id)}`;
  if (again) part.querySelector(again)?.focus();
}

function follow(types) {
  const source = new EventSource(`${api}/events?after=${version()}${invitation && `&${invitation}`}`);
  for (const type of types) source.addEventListener(type, (event) => Number(event.lastEventId) > version() && refresh());
  source.addEventListener("end", () => {
    source.close();
    refresh();
  });
  source.addEventListener("error", () => {
    // While it connects again by itself nothing is to be done.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      refresh();
      follow(types);
    }, AGAIN_MS);
  });
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
  const keyed = form.dataset.shows === undefined;
  const { ok, answer } = await send(form.dataset.post, readForm(form), { method: form.dataset.method, keyed });
  button.disabled = false;
  if (!ok) {
    place.textContent = tellProblem(answer);
    refresh();
    return;
  }
  form.closest("dialog")?.close();
  if (form.dataset.shows) return showLink(form, answer.invitation);
  if (form.dataset.goes) location.assign(`/matches/${answer.match}${form.dataset.goes}`);
  else if (location.search && form.querySelector("[name=invitation]")) location.assign(location.pathname);
  else refresh();
});

function showLink(form, code) {
  const link = form.querySelector(".link");
  link.value = `${location.origin}/matches/${root.dataset.match}/play?invitation=${encodeURIComponent(code)}`;
  link.hidden = false;
  link.select();
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) find(opener.dataset.opens).showModal();
  if (event.target.closest("[data-closes]")) event.target.closest("dialog").close();
});

// ---------------------------------------------------------------------------------------------------------- clocks

function tick() {
  for (const clock of document.querySelectorAll(".clock")) {
    const { deadline, left } = clock.dataset;
    const leftMs = deadline ? Number(deadline) - (Date.now() - aheadMs) : Number(left);
    const text = spellTime(Math.max(0, leftMs));
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("short", Boolean(deadline) && leftMs < 20_000);
  }
}

function spellTime(ms) {
  const seconds = Math.floor(ms / 1000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  if (days) return `${days} d ${hours} h`;
  const short = `${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return hours ? `${hours}:${short}` : short;
}

/** Keep a checkbox as it was left, in this browser. */
function remember(box) {
  try {
    box.checked = localStorage.getItem(box.id) === "true";
    box.addEventListener("change", () => localStorage.setItem(box.id, box.checked));
  } catch {
    // A browser that stores nothing begins anew each time.
  }
}
