// Variations: positions that are reached by steps without a match, as the API finds them.

import { ask, isUnanswered } from "/assets/asking.js";
import { gettext } from "/assets/speech.js";

/** The server refused. `problem` is what it says; `status` is 0 if it cannot be reached. */
export class Refused extends Error {
  constructor(problem, status) {
    super(problem.detail ?? gettext("Something went wrong."));
    Object.assign(this, { problem, status });
  }
}

/** The position after these steps from a start, with what `more` asks for. Throws Refused, or an AbortError. */
export function askPosition(ruleset, start, steps, more = {}, query = "") {
  return post(`/v1/rulesets/${ruleset}/positions${query}`, { ...start, steps, ...more });
}

/** What a bot finds for the seat on turn. The answer takes as long as the search. Throws Refused, or an AbortError. */
export function askSuggestion(ruleset, start, steps, playouts, { query = "", signal } = {}) {
  return post(`/v1/rulesets/${ruleset}/suggestions${query}`, { ...start, steps, playouts }, signal);
}

async function post(path, body, signal) {
  let answered, answer;
  try {
    answered = await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    // A refusal by a proxy may be no JSON, and an answer may break off.
    answer = await answered.json().catch((error) => {
      if (answered.ok) throw error;
      return {};
    });
    if (isUnanswered(answered.status, answer)) throw new Error(`${answered.status}`);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ detail: gettext("The server cannot be reached. Try again.") }, 0);
  }
  if (!answered.ok) throw new Refused(answer, answered.status);
  return answer;
}

/** The drawing of a position that was asked for with its picture. */
export function readDrawing({ picture }) {
  const board = document.createElement("div");
  board.append(document.importNode(new DOMParser().parseFromString(picture, "image/svg+xml").documentElement, true));
  return board.firstElementChild;
}
