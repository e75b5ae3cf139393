// Shows how the numbers of an entrant add up without leaving the table.

import { fetchPart } from "/assets/fetch_part.js";
import { gettext } from "/assets/speech.js";

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-sums]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  try {
    show((await fetchPart(link.href)).getElementById("sums"));
  } catch {
    location.assign(link.href);
  }
});

function show(sums) {
  const dialog = Object.assign(document.createElement("dialog"), { className: "sums" });
  const close = Object.assign(document.createElement("button"), { className: "second", textContent: gettext("Close") });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.setAttribute("aria-label", sums.querySelector("h1").textContent);
  dialog.append(sums, close);
  document.body.append(dialog);
  dialog.showModal();
}
