// Sends what an organiser or an administrator decides in a match, and who wants a rematch, then goes on to the result.

import { formatProblem, readForm, send } from "/assets/commands.js";

/** Let the forms for overseers and for rematches send their commands. */
export function offerOversight() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("#oversight form[data-post], #end form[data-post]");
    if (!form) return;
    event.preventDefault();
    const [button, refused] = [form.querySelector("button"), form.querySelector(".refusal")];
    button.disabled = true;
    refused.textContent = "";
    const { ok, answer } = await send(form.dataset.post, readForm(form));
    if (ok && form.dataset.goes) return location.assign(`/matches/${answer.match}${form.dataset.goes}`);
    if (ok) return location.reload();
    refused.textContent = formatProblem(answer);
    button.disabled = false;
  });
}
