// The page of a code that is no longer valid: shows what this phone keeps and could not send.

import { tableCode } from "/assets/asking.js";
import { KeptSteps } from "/assets/kept_steps.js";

const find = (id) => document.getElementById(id);
const entries = tableCode ? await new KeptSteps(tableCode).list() : [];
if (entries.length) {
  find("left").hidden = false;
  find("left-text").value = entries.map(({ text, at }) => `${text}  {${new Date(at).toISOString()}}`).join("\n");
  find("left-copy").addEventListener("click", () => {
    find("left-text").select();
    navigator.clipboard?.writeText(find("left-text").value).catch(() => {});
  });
}
