// The sheets of a round: prints them, and makes codes void.

import { formatProblem, readForm, send } from "/assets/commands.js";

const print = document.getElementById("print");
print.hidden = false;
print.addEventListener("click", () => globalThis.print());

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-post]");
  if (!form) return;
  event.preventDefault();
  const body = readForm(form);
  // Without a board, the codes of all rounds are void.
  if (body.board === undefined) delete body.round;
  const { ok, answer } = await send(form.dataset.post, body);
  if (ok) location.reload();
  else form.querySelector(".refusal").textContent = formatProblem(answer);
});
