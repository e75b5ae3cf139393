// The page of a tournament: stays up to date while the tournament runs, and sends what its buttons do.

import { formatProblem, readForm, send } from "/assets/commands.js";
import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepFresh, swapPart } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";

const PARTS = ["summary", "tables", "organising"];
const ACCOUNT = /^player-[a-z2-7]{26}$/;
// Many games may end at the same time.
const GATHER_MS = 1_000;

const find = (id) => document.getElementById(id);
const root = find("tournament");
const refresh = keepFresh(async () => put(await fetchPart(location.href)));

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-post]");
  if (button) command(button);
  const link = event.target.closest("a[data-check]");
  if (!link) return;
  event.preventDefault();
  check(link);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-post]");
  if (!form) return;
  event.preventDefault();
  submit(form);
});

if (root.dataset.live) {
  followEvents({
    address: (version) => `/v1/tournaments/${root.dataset.tournament}/events?after=${version}`,
    types: root.dataset.live.split(" "),
    version,
    refresh,
    gatherMs: GATHER_MS,
  });
}

function version() {
  return Number(root.dataset.version);
}

function put(page) {
  const fresh = page.getElementById("tournament");
  if (Number(fresh.dataset.version) <= version()) return;
  for (const id of PARTS) swapPart(find(id), page.getElementById(id));
  root.dataset.version = fresh.dataset.version;
  root.dataset.status = fresh.dataset.status;
}

async function command(button) {
  button.disabled = true;
  const { ok, answer } = await send(button.dataset.post, {}, { method: button.dataset.method });
  find("refusal").textContent = ok ? "" : formatProblem(answer);
  button.disabled = false;
  refresh();
}

async function submit(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  const { account, ...body } = readForm(form);
  if (account !== undefined) body[ACCOUNT.test(account.trim()) ? "player" : "name"] = account.trim();
  const { ok, answer } = await send(form.dataset.post, body);
  form.querySelector(".refusal").textContent = ok ? "" : formatProblem(answer);
  button.disabled = false;
  if (ok) form.reset();
  refresh();
}

async function check(link) {
  const result = link.parentElement.querySelector("[role=status]");
  result.textContent = gettext("Checking …");
  try {
    const answered = await fetch(link.href, { headers: { Accept: "application/json" } });
    const answer = await answered.json();
    if (!answered.ok) result.textContent = formatProblem(answer);
    else result.textContent = answer.agrees ? gettext("Correct: the result is the same.") : gettext("Wrong: the result is different!");
  } catch {
    result.textContent = gettext("The server cannot be reached. Try again.");
  }
}
