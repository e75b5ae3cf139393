// Secrets that are shown once: copied with one press, and shown to somebody who is signed in.

import { gettext } from "/assets/speech.js";

for (const button of document.querySelectorAll("[data-copies]")) {
  const secret = document.getElementById(button.dataset.copies);
  const said = button.parentElement.querySelector(".copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    said.textContent = (await copy(secret)) ? gettext("Copied.") : gettext("It is selected: copy it with Ctrl+C, or ⌘C.");
  });
}

/** Select the text of the element and copy it; whether the browser let us. What it refuses stays selected. */
async function copy(element) {
  getSelection().selectAllChildren(element);
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

const warning = document.getElementById("no-cookie");
if (warning) {
  const asked = await fetch("/account", { method: "HEAD", redirect: "manual" }).catch(() => null);
  if (asked?.type === "opaqueredirect") {
    warning.hidden = false;
    document.querySelector(".top .who").hidden = true;
  }
}
