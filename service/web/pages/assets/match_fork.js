// Forks: starts a new match from the position on the board.

import { readBot, send, formatProblem } from "/assets/commands.js";

/** Let the form create a fork, then go to the page where it is played. */
export function offerForks(viewer) {
  const form = document.getElementById("fork");
  if (!form) return;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, refused] = [form.querySelector("button"), document.getElementById("fork-refused")];
    button.disabled = true;
    refused.textContent = "";
    const path = `/v1${viewer.path}/forks${viewer.query.replace("&", "?")}`;
    const { ok, answer } = await send(path, readFork(form, viewer.ply));
    if (ok) return location.assign(`/matches/${answer.match}/play`);
    refused.textContent = formatProblem(answer);
    button.disabled = false;
  });
}

function readFork(form, ply) {
  const chosen = new FormData(form);
  const seats = chosen.getAll("seat").map((seat) => {
    if (seat === "me") return { player: form.dataset.player };
    return seat === "open" ? null : readBot(seat);
  });
  return { ply, seats, ...(chosen.has("dice") && { dice: chosen.get("dice") }) };
}
