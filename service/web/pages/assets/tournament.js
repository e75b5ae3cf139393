// The page of a tournament: stays up to date while the tournament runs, and sends what its buttons do.

import { formatProblem, send } from "/assets/commands.js";
import { followEvents, keepPageFresh, swapPart } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";
import { sendForms } from "/assets/tournament_forms.js";

const PARTS = ["summary", "tables", "organising"];
// Many games may end at the same time.
const GATHER_MS = 1_000;

const find = (id) => document.getElementById(id);
const root = find("tournament");
const refresh = keepPageFresh(put);

sendForms(refresh);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-check]");
  if (!link) return;
  event.preventDefault();
  check(link);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-seeds]");
  if (!form) return;
  event.preventDefault();
  saveSeeds(form);
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

/** Send what was changed in the table of entrants, one entrant after another, up to the first that is refused. */
async function saveSeeds(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  let said = "";
  for (const row of form.querySelectorAll("tr[data-entrant]")) {
    const problem = (await saveFields(form, row, ["rating", "seed"], "PATCH", "")) ?? (await saveFields(form, row, ["team", "place"], "PUT", "/team"));
    if (!problem) continue;
    said = `${row.querySelector("th").textContent.trim()}: ${formatProblem(problem)}`;
    break;
  }
  form.querySelector(".refusal").textContent = said;
  if (!said) find("done").textContent = gettext("Done.");
  button.disabled = false;
  refresh();
}

/** Send these fields of an entrant, all of them if any was changed; returns the problem if that is refused. */
async function saveFields(form, row, names, method, end) {
  const fields = names.map((name) => row.querySelector(`input[name=${name}]`)).filter(Boolean);
  if (fields.every((field) => field.value === field.defaultValue)) return null;
  const body = Object.fromEntries(fields.map((field) => [field.name, readCell(field)]));
  const { ok, answer } = await send(`${form.dataset.seeds}/${row.dataset.entrant}${end}`, body, { method });
  if (!ok) return answer;
  for (const field of fields) field.defaultValue = field.value;
  return null;
}

function readCell({ type, value }) {
  const text = value.trim();
  if (text === "") return null;
  return type === "number" ? Number(text) : text;
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
