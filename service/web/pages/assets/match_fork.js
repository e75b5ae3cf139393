// Forks: a new match that begins at the ply that is shown.

import { send, tellProblem } from "/assets/commands.js";

/** Let the form make a fork by the API, and go to its table. */
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
    refused.textContent = tellProblem(answer);
    button.disabled = false;
  });
}

function readFork(form, ply) {
  const chosen = new FormData(form);
  const seats = chosen.getAll("seat").map((seat) => {
    if (seat === "me") return { player: form.dataset.player };
    return seat === "open" ? null : { bot: seat };
  });
  return { ply, seats, ...(chosen.has("dice") && { dice: chosen.get("dice") }) };
}
