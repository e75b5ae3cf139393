// Loads pages, or parts of pages, that the server has rendered.

import { ask } from "/assets/asking.js";

/** The page or part of a page at an address, as a document; throws unless the server answers with success. */
export async function fetchPart(address) {
  const answered = await ask(address, { headers: { Accept: "text/html" } });
  if (!answered.ok) throw new Error(`${answered.status}`);
  return new DOMParser().parseFromString(await answered.text(), "text/html");
}
