// Commands to the API: reads them from forms, and sends them so that a retry counts once.

import { ask, isUnanswered } from "/assets/asking.js";
import { gettext } from "/assets/speech.js";

let keeper = null;

/**
 * Let commands that can wait be kept until the network is back.
 *
 * `keep(path, body, options)` resolves to an answer as `send` does, or returns null for a command that cannot wait.
 */
export function keepCommands(keep) {
  keeper = keep;
}

/**
 * Send a command; returns `{ok, status, answer}`, with status 0 if the server cannot be reached.
 *
 * A command with a key is sent up to three times, with the same key. `thoughtMs` says how long the position was there.
 */
export async function send(path, body, { method = "POST", version = null, keyed = true, thoughtMs = null } = {}) {
  const kept = keeper?.(path, body, { method, version });
  if (kept) return kept;
  const headers = { "Content-Type": "application/json" };
  if (keyed) headers["Idempotency-Key"] = makeKey();
  if (version !== null) headers["If-Match"] = `"${version}"`;
  if (thoughtMs !== null) headers["Thought-Ms"] = String(Math.max(0, Math.round(thoughtMs)));
  const request = { method, headers, body: JSON.stringify(body) };
  for (let left = keyed ? 2 : 0; ; left -= 1) {
    try {
      const answered = await ask(path, request);
      const answer = await answered.json().catch(() => ({}));
      if (isUnanswered(answered.status, answer) || (answered.status === 503 && left)) throw new Error(`${answered.status}`);
      return { ok: answered.ok, status: answered.status, answer };
    } catch {
      if (!left) return { ok: false, status: 0, answer: { detail: gettext("The server cannot be reached. Try again.") } };
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  }
}

/** The bot of a choice such as `greedy` or `mcts:200`, as a seat asks for it. */
export function readBot(choice) {
  const [bot, playouts] = choice.split(":");
  return playouts ? { bot, playouts: Number(playouts) } : { bot };
}

/** Add salt for the seats that I hold. A match against bots then starts without asking me for it. */
export async function saltDice({ match, turn, events }, { seats, recorded }) {
  const created = events[0].data;
  if (turn !== null || recorded || created.dice?.mode !== "server") return;
  const mine = seats.flatMap((seat, at) => (seat?.player ? [at + 1] : []));
  for (const seat of mine) await send(`/v1/matches/${match}/entropy`, { seat, entropy: makeKey() });
}

/** A random text, for a key or for salt. */
export function makeKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The values of a form as JSON. `data-kind` of a field gives its type; dots in its name lead into nested objects. */
export function readForm(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name || field.disabled || field.matches("fieldset, button")) continue;
    const isChoice = field.type === "radio" || (field.type === "checkbox" && field.dataset.kind !== "flag");
    if (isChoice && !field.checked) continue;
    const value = readField(field, body);
    if (value !== undefined) put(body, field.name.split("."), value);
  }
  return body;
}

function readField(field, body) {
  switch (field.dataset.kind) {
    case "flag":
      return field.checked;
    case "number":
      return field.value === "" ? undefined : Number(field.value);
    case "number-or-null":
      return field.value === "" ? null : Number(field.value);
    case "minutes":
      return field.value === "" ? undefined : Math.round(Number(field.value) * 60_000);
    case "time":
      return field.value === "" ? undefined : Date.parse(field.value);
    case "numbers":
      return [...(body[field.name] ?? []), Number(field.value)];
    case "json":
      return JSON.parse(field.value);
    case "word-or-words": {
      const words = field.value.trim().split(/[\s,]+/);
      return words.length === 1 ? words[0] : words;
    }
    case "salt":
      return field.value.trim() || makeKey();
    default:
      return field.value === "" ? undefined : field.value;
  }
}

function put(into, [name, ...rest], value) {
  if (rest.length) put((into[name] ??= {}), rest, value);
  else into[name] = value;
}

/** The text with a capital at its beginning, unless that is a field, such as d4. */
export function beginSentence(text) {
  return text.replace(/^\p{Ll}(?!\d)/u, (letter) => letter.toUpperCase());
}

/** A problem in one line, with what is wrong in each field. */
export function formatProblem({ detail = gettext("Something went wrong."), errors = {} }) {
  const lines = Object.values(errors).flatMap((each) => (Array.isArray(each) ? each : [JSON.stringify(each)]));
  return [beginSentence(detail), ...lines].join(" ");
}
