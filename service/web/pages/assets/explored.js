// What was played from the position on the board: loaded when the reader opens it, and then for each position anew.

import { fetchPart } from "/assets/fetch_part.js";
import { gettext } from "/assets/speech.js";

const REST_MS = 250;

/**
 * Keep the part of the page called `beside` up to date. `findAddress` says where what belongs to the present position
 * can be loaded. Returns what to call when the position has changed.
 */
export function exploreBeside(findAddress) {
  const place = document.getElementById("beside");
  if (!place) return () => {};
  const shown = place.querySelector("[role=status]");
  let resting = 0;
  let asked = "";
  place.addEventListener("toggle", refresh);
  return () => {
    clearTimeout(resting);
    resting = setTimeout(refresh, REST_MS);
  };

  async function refresh() {
    const address = findAddress();
    if (!place.open || address === asked) return;
    asked = address;
    let parts;
    try {
      parts = [...(await fetchPart(address)).getElementById("explored").childNodes];
    } catch {
      if (asked === address) asked = "";
      parts = [gettext("What was played from here cannot be loaded. Close this and open it again.")];
    }
    if (asked === address || !asked) shown.replaceChildren(...parts);
  }
}
