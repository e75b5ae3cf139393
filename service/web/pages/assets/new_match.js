// The forms that start a match, and the buttons to join an open one.

import { makeKey, readBot, readForm, saltDice, send, formatProblem } from "/assets/commands.js";
import { fetchNews, swapPart } from "/assets/live_page.js";
import { fillOptions } from "/assets/options.js";
import { chooseTime } from "/assets/time_control.js";

const LOBBY_MS = 5_000;

const form = document.getElementById("new");
const lobby = document.getElementById("lobby");

if (form) begin();

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-take]")) return;
  event.preventDefault();
  take(event.target);
});

if (lobby) setInterval(refreshLobby, LOBBY_MS);
document.addEventListener("visibilitychange", refreshLobby);

async function take(taking) {
  const salt = taking.dataset.salted === undefined ? {} : { entropy: makeKey() };
  const { ok, answer } = await send(taking.dataset.take, salt);
  if (ok) location.assign(taking.dataset.goes);
  else taking.querySelector(".refusal").textContent = formatProblem(answer);
}

/** Show the seats that are open now, unless nobody looks, or a refusal is still to be read. */
async function refreshLobby() {
  if (!lobby || document.hidden || [...lobby.querySelectorAll(".refusal")].some((each) => each.textContent)) return;
  try {
    swapPart(lobby, (await fetchNews("/play/lobby")).getElementById("lobby"));
  } catch {
    // The next turn of the clock tries again.
  }
}

function begin() {
  const count = document.getElementById("seats");
  count.addEventListener("change", showSeats);
  form.addEventListener("change", showChoices);
  document.getElementById("preset")?.addEventListener("change", (event) => fillOptions(JSON.parse(event.target.value || "{}")));
  form.querySelector("[data-all]")?.addEventListener("click", (event) => {
    for (const select of form.querySelectorAll("[data-who]")) select.value = event.target.dataset.all;
    showSeats();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    create();
  });
  chooseTime(form);
  showChoices();
}

function rows() {
  return [...form.querySelectorAll("[data-seat]")].slice(0, Number(document.getElementById("seats").value));
}

/** Show what belongs to the choices that were made. */
function showChoices() {
  showSeats();
}

/** Show the chosen number of seats with the fields that each needs. Disable rating if the match cannot be rated. */
function showSeats() {
  const wanted = rows();
  for (const row of form.querySelectorAll("[data-seat]")) {
    row.hidden = !wanted.includes(row);
    for (const field of row.querySelectorAll("[data-guest]")) field.disabled = row.hidden;
    const playouts = row.querySelector("[data-playouts]");
    if (playouts) playouts.hidden = row.querySelector("[data-who]").value !== "bot:mcts";
  }
  const rated = document.getElementById("rated");
  if (!rated) return;
  const who = wanted.map((row) => row.querySelector("[data-who]").value);
  rated.disabled = who.some((each) => each.startsWith("bot:")) || who.filter((each) => each === "me").length > 1;
  if (rated.disabled) rated.checked = false;
  const [friendly, counting] = document.getElementById("counts").children;
  friendly.hidden = rated.checked;
  counting.hidden = !rated.checked;
}

function readSeat(row) {
  const guest = row.querySelector("[data-guest]");
  if (guest) return { name: guest.value.trim() };
  const who = row.querySelector("[data-who]").value;
  if (who === "me") return { player: form.dataset.player };
  if (who === "open") return null;
  const bot = who.slice("bot:".length);
  return bot === "mcts" ? { bot, playouts: Number(row.querySelector("[data-playouts] input").value) } : readBot(bot);
}

async function create() {
  for (const place of form.querySelectorAll(".refusal")) place.textContent = "";
  const button = document.getElementById("begin");
  button.disabled = true;
  const { limits, about, ...rest } = readForm(form);
  const body = { ...rest, seats: rows().map(readSeat) };
  if (limits && Object.keys(limits).length) body.limits = limits;
  if (about && Object.keys(about).length) body.about = about;
  const { ok, answer } = await send(form.dataset.path, body);
  if (ok) {
    await saltDice(answer, body);
    location.assign(`/matches/${answer.match}/${form.dataset.goes}`);
    return;
  }
  button.disabled = false;
  refuse(answer);
}

/** Show a refusal at the field that caused it. */
function refuse(problem) {
  const option = problem.option;
  const field = Object.keys(problem.errors ?? {})[0];
  const kind = { bot: "seats", seat: "seats", player: "seats", limits: "limits", rated: "rated", dice: "dice" };
  const named = option === "seats" ? "seats" : option ? `options.${option}` : field ?? kind[problem.code?.split("/")[0]];
  const place =
    form.querySelector(`.refusal[data-for="${CSS.escape(named ?? "")}"]`) ?? form.querySelector('.refusal[data-for=""]');
  for (let around = place.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  place.textContent = formatProblem(problem);
  const input = named && form.querySelector(`[name="${CSS.escape(named)}"]`);
  (input || document.getElementById("begin")).focus();
}
