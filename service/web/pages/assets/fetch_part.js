// Loads pages, or parts of pages, that the server has rendered.

import { ask } from "/assets/asking.js";

const LONGEST_PRESS_MS = 10_000;
const LOOK_EVERY_MS = 20;
const NEVER = -Infinity;
const MAIN_BUTTON = 0;

let pressedAt = NEVER;
addEventListener("pointerdown", ({ button }) => button === MAIN_BUTTON && (pressedAt = performance.now()), true);
// The click comes right after the release.
const release = () => setTimeout(() => (pressedAt = NEVER));
for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, true);

/**
 * The page or part of a page at an address, as a document; throws unless the server answers with success.
 *
 * It comes when nothing is pressed: a button that is replaced under a finger is never clicked.
 */
export async function fetchPart(address) {
  const answered = await ask(address, { headers: { Accept: "text/html" } });
  if (!answered.ok) throw new Error(`${answered.status}`);
  const text = await answered.text();
  while (performance.now() - pressedAt < LONGEST_PRESS_MS) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return new DOMParser().parseFromString(text, "text/html");
}
