// The legal moves of the present position, kept so that one more move can be made on the board without network.

import { ask } from "/assets/asking.js";
import { gettext } from "/assets/speech.js";

export class MovesAhead {
  constructor() {
    this.known = null;
  }

  /** Load what can be done in the position of this version. */
  async load(version) {
    if (this.known?.version === version) return;
    try {
      const answered = await ask(`${location.pathname}/ahead`, { headers: { Accept: "application/json" } });
      if (answered.ok) this.known = await answered.json();
    } catch {
      // Without network there is nothing ahead that was not loaded before.
    }
  }

  /** What touches of the board lead to, as the server says it; throws the error if that is not known here. */
  touch(version, touches, error) {
    if (this.known?.version !== version || !this.known.moves) throw error;
    const { moves, read } = this.known;
    const begun = new Map();
    const ready = [];
    for (const [move, ways] of moves) {
      const rests = ways.map((way) => findRest(way, touches)).filter(Boolean);
      if (rests.some((rest) => !rest.length)) ready.push(move);
      // Only one part of the board can be touched first.
      else for (const rest of rests) for (const touch of touches.length ? rest : rest.slice(0, 1)) note(begun, touch, move, rest.length === 1);
    }
    return {
      touches,
      read: touches.length ? {} : read,
      next: [...begun].map(([touch, found]) => ({ touch, move: found.moves.size === 1 && found.isLast ? [...found.moves][0] : null })),
      ready: ready.map((move) => ({ move, label: move, sentences: [gettext("Move: %(move)s", { move })] })),
      picture: null,
      refusal: touches.length && !begun.size && !ready.length ? { detail: gettext("No legal move starts like this.") } : null,
    };
  }
}

function note(begun, touch, move, isLast) {
  if (!begun.has(touch)) begun.set(touch, { moves: new Set(), isLast: false });
  const found = begun.get(touch);
  found.moves.add(move);
  found.isLast ||= isLast;
}

/** What is left of a way after these touches; null if it does not begin with them. The first touch comes first. */
function findRest(way, touches) {
  if (touches.length && way[0] !== touches[0]) return null;
  const rest = [...way];
  for (const touch of touches) {
    const at = rest.indexOf(touch);
    if (at < 0) return null;
    rest.splice(at, 1);
  }
  return rest;
}
