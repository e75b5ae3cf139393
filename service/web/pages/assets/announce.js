// The form that announces a tournament.

import { formatProblem, readForm, send } from "/assets/commands.js";
import { fillOptions } from "/assets/options.js";
import { chooseTime } from "/assets/time_control.js";

// What was entered is kept when another game is chosen, but for the options of the game.
const KEPT = "plyscribe-announcement";
const PLACES = {
  "tournament/name": "name",
  "tournament/format": "format",
  "tournament/seats": "seats",
  "tournament/repeat": "repeat",
  "tournament/tiebreaks": "tiebreaks",
  "tournament/openings": "openings",
  "tournament/scoring": "scoring",
  "tournament/entrants": "max_entrants",
  "tournament/rounds-begin": "rounds_begin",
};

const find = (id) => document.getElementById(id);
const form = find("announce");
const kept = () => [...form.querySelectorAll("[id]:is(input, select, textarea)")].filter((each) => !each.closest("#options"));

restore();
chooseTime(form);
show();
form.addEventListener("change", show);
find("openings").addEventListener("input", show);
find("preset")?.addEventListener("change", (event) => fillOptions(JSON.parse(event.target.value || "{}")));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  announce();
});
document.querySelector(".games").addEventListener("click", (event) => {
  if (!event.target.closest("a")) return;
  const values = kept().map((field) => [field.id, field.matches("[type=checkbox], [type=radio]") ? field.checked : field.value]);
  sessionStorage.setItem(KEPT, JSON.stringify(values));
});

function restore() {
  const values = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
  sessionStorage.removeItem(KEPT);
  for (const [id, value] of values) {
    const field = find(id);
    if (!field || !form.contains(field)) continue;
    if (typeof value === "boolean") field.checked = value;
    else if (!field.matches("select") || [...field.options].some((option) => option.value === value)) field.value = value;
  }
}

/** Show what belongs to the choices that were made, and what they rule out. */
function show() {
  const kind = find("kind");
  for (const each of form.querySelectorAll("[data-format]")) {
    each.hidden = each.dataset.format !== kind.value;
    for (const field of each.querySelectorAll("input, select")) field.disabled = each.hidden;
  }
  const seats = kind.selectedOptions[0].dataset.seats.split(" ");
  find("seats-say").hidden = seats.includes(find("seats").value);
  // Such rounds begin at their dates: nobody calls them.
  const begins = find("rounds-begin");
  begins.disabled = "dated" in kind.selectedOptions[0].dataset;
  begins.closest("div").hidden = begins.disabled;
  const atTable = find("at-table").checked;
  const time = form.querySelector("[data-online]");
  time.hidden = atTable;
  for (const field of time.querySelectorAll("select, #time-written")) field.disabled = atTable;
  showRated(atTable);
}

function showRated(atTable) {
  const why = (atTable && "at_table") || (find("private").checked && "private") || (find("openings").value.trim() && "openings");
  const rated = find("rated");
  rated.disabled = Boolean(why);
  if (why) rated.checked = false;
  for (const each of form.querySelectorAll("[data-rated]")) each.hidden = each.dataset.rated !== (why || "possible");
}

function readTerms() {
  const { limits = {}, ...terms } = readForm(form);
  const lines = find("openings").value.split("\n").map((line) => line.trim().split(/[\s,]+/).filter(Boolean));
  return {
    ...terms,
    seats: Number(find("seats").value),
    rated: find("rated").checked,
    openings: lines.filter((moves) => moves.length),
    tiebreaks: [...form.querySelectorAll("[data-tiebreak]")].map((each) => each.value).filter(Boolean),
    ...(Object.keys(limits).length && !find("at-table").checked && { limits }),
  };
}

async function announce() {
  for (const place of form.querySelectorAll(".refusal")) place.textContent = "";
  const button = find("send");
  button.disabled = true;
  const { ok, answer } = await send("/v1/tournaments", readTerms());
  if (ok) return location.assign(`/tournaments/${answer.tournament}`);
  button.disabled = false;
  refuse(answer);
}

/** Show a refusal at the field that caused it. */
function refuse(problem) {
  const [field] = Object.keys(problem.errors ?? {});
  const [area] = problem.code?.split("/") ?? [];
  const option = problem.option && (problem.option === "seats" ? "seats" : `options.${problem.option}`);
  const named = option ?? field ?? PLACES[problem.code] ?? area;
  const place = findPlace(named) ?? findPlace("");
  for (let around = place.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  place.textContent = formatProblem(problem);
  const input = place.parentElement.querySelector("input:not([type=hidden]):enabled, select:enabled, textarea");
  (place.dataset.for === "" ? find("send") : input ?? find("send")).focus();
}

function findPlace(name) {
  return [...form.querySelectorAll(".refusal")].find((place) => place.dataset.for === name);
}
