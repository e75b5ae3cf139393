// Steps of a match as text, as on a score sheet: `d4`, `(3 5)`, `(2 resigned)`.

import { gettext } from "/assets/speech.js";

/** What a command to the API records, as a step: `{move}`, `{values}`, `{laid}` or `{withdraw, cause}`; null if none. */
export function readStep(path, body) {
  if (path.endsWith("/moves")) return { move: body.move };
  if (path.endsWith("/rolls")) return body.laid ? { laid: body.laid } : { values: body.values };
  if (path.endsWith("/withdrawal")) return { withdraw: body.seat, cause: body.cause ?? "resigned" };
  return null;
}

/** The command that records a step of a match: `{path, body}`. */
export function writeCommand(match, { move, values, laid, withdraw, cause, why }) {
  const api = `/v1/matches/${match}`;
  if (move !== undefined) return { path: `${api}/moves`, body: { move } };
  if (values !== undefined) return { path: `${api}/rolls`, body: { values } };
  if (laid !== undefined) return { path: `${api}/rolls`, body: { laid } };
  return { path: `${api}/withdrawal`, body: { seat: withdraw, cause, ...(why ? { why } : {}) } };
}

/** A step as people write it on a score sheet. */
export function formatStep({ move, values, laid, withdraw, cause }) {
  if (move !== undefined) return move;
  if (values !== undefined) return `(${values.join(" ")})`;
  if (laid !== undefined) return Object.entries(laid).map(([place, kind]) => `${place} ${kind}`).join(", ");
  return `(${withdraw} ${cause})`;
}

const KINDS = {
  "move-made": ({ move }) => move,
  "dice-rolled": ({ values }) => `(${values.join(" ")})`,
  "seat-withdrawn": ({ seat, cause }) => `(${seat} ${cause})`,
};

/** What an event recorded, as a step on a score sheet; null for events that record none. */
export function formatEvent({ type, data }) {
  return KINDS[type]?.(data) ?? null;
}

/** What an event did, in a line, also if it recorded no step. */
export function nameEvent(event) {
  const text = formatEvent(event);
  if (text !== null) return text;
  if (["steps-taken-back", "moves-taken-back"].includes(event.type)) return gettext("steps were taken back");
  if (event.type === "match-aborted") return gettext("the match was called off");
  if (event.type === "match-ended") return gettext("the match ended");
  return event.type.replaceAll("-", " ");
}
