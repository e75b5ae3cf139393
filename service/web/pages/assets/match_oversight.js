// Oversight: sends what an organiser or an administrator decides in a match, then shows the match as it is after it.

import { formatProblem, readForm, send } from "/assets/commands.js";

/** Let the forms for overseers send their commands. */
export function offerOversight() {
  document.addEventListener("submit", async (event) => {
    const form = event.target.closest("#oversight form[data-post]");
    if (!form) return;
    event.preventDefault();
    const [button, refused] = [form.querySelector("button"), form.querySelector(".refusal")];
    button.disabled = true;
    refused.textContent = "";
    const { ok, answer } = await send(form.dataset.post, readForm(form));
    if (ok) return location.reload();
    refused.textContent = formatProblem(answer);
    button.disabled = false;
  });
}
