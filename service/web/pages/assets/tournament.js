// The page of a tournament: stays up to date while the tournament runs, and sends what its buttons do.

import { formatProblem, send } from "/assets/commands.js";
import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepFresh, swapPart } from "/assets/live_page.js";
import { gettext } from "/assets/speech.js";
import { sendForms } from "/assets/tournament_forms.js";

const PARTS = ["summary", "tables", "organising"];
// Many games may end at the same time.
const GATHER_MS = 1_000;

const find = (id) => document.getElementById(id);
const root = find("tournament");
const refresh = keepFresh(async () => put(await fetchPart(location.href)));

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

/** Send the ratings and seeds that were changed, one entrant after another, up to the first that is refused. */
async function saveSeeds(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  const said = [];
  for (const row of form.querySelectorAll("tr[data-entrant]")) {
    const fields = [...row.querySelectorAll("input")];
    if (fields.every((field) => field.value === field.defaultValue)) continue;
    const body = Object.fromEntries(fields.map(({ name, value }) => [name, value === "" ? null : Number(value)]));
    const { ok, answer } = await send(`${form.dataset.seeds}/${row.dataset.entrant}`, body, { method: "PATCH" });
    if (ok) for (const field of fields) field.defaultValue = field.value;
    else said.push(`${row.querySelector("th").textContent.trim()}: ${formatProblem(answer)}`);
    if (!ok) break;
  }
  form.querySelector(".refusal").textContent = said.join(" ");
  if (!said.length) find("done").textContent = gettext("Done.");
  button.disabled = false;
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
