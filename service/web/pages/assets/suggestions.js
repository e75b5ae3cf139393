// What a bot suggests: its moves in words, with how much it thinks of each.

import { gettext } from "/assets/speech.js";

const MICRO = 1_000_000;

/** Why there is no suggestion, in a sentence. */
export function explainRefusal({ status, problem }) {
  if (problem?.code === "suggestion/under-way") return gettext("People play this match against each other, without help. You can ask when it is over.");
  if (problem?.code === "suggestion/no-decision") return gettext("Nobody has to move in this position.");
  if (status === 503) return gettext("The server has too much to do right now. Ask again in a moment.");
  if (status === 401) return gettext("You are not signed in any more. Sign in again to ask.");
  return problem?.detail ?? gettext("Something went wrong.");
}

/** How well a player would stand after a move, compared with now, in a sentence. */
export function sayGain({ gain_micro }, name) {
  const gain = gain_micro / MICRO;
  if (gain > 0.9) return gettext("%(name)s is about to win.", { name });
  if (gain > 0.35) return gettext("%(name)s stands much better than now.", { name });
  if (gain > 0.08) return gettext("%(name)s stands better than now.", { name });
  if (gain >= -0.08) return gettext("%(name)s stands as well as now.", { name });
  if (gain >= -0.35) return gettext("%(name)s stands worse than now.", { name });
  if (gain >= -0.9) return gettext("%(name)s stands much worse than now.", { name });
  return gettext("%(name)s is about to lose.", { name });
}

/**
 * The suggested moves as a list of buttons, the best first. `name` is the player who moves.
 *
 * `preview(each)` is called when somebody looks at a move, `preview(null)` when they look away, `take(each)` on a click.
 */
export function listMoves({ moves }, name, { preview, take }) {
  const list = document.createElement("ol");
  list.className = "suggestions";
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
  for (const each of moves) {
    const share = format.format(each.share_micro / MICRO);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "second";
    const bar = Object.assign(document.createElement("progress"), { max: MICRO, value: each.share_micro });
    bar.setAttribute("aria-hidden", "true");
    button.append(
      put("strong", each.sentences.join(" ") || each.move),
      put("span", sayGain(each, name)),
      bar,
      put("span", gettext("%(share)s of the search", { share }), "faint"),
    );
    for (const type of ["pointerenter", "focus"]) button.addEventListener(type, (event) => event.pointerType !== "touch" && preview(each));
    for (const type of ["pointerleave", "blur"]) button.addEventListener(type, () => preview(null));
    button.addEventListener("click", () => take(each));
    const item = document.createElement("li");
    item.append(button);
    list.append(item);
  }
  return list;
}

/** Say that a bot is thinking, with a button to cancel that. */
export function showThinking(place, cancel) {
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", gettext("The bot is thinking …"));
  const button = put("button", gettext("Cancel"), "second");
  button.type = "button";
  button.addEventListener("click", cancel);
  place.replaceChildren(put("p", gettext("The bot is thinking …")), bar, button);
}

/** What the words and bars of the list mean. */
export function explainMoves(playouts) {
  const text = gettext("The bot tried %(playouts)s ways to go on. The longer the bar, the more of them began with the move, because it led to good positions. The words compare how the player stands then with how they stand now.", { playouts });
  return put("p", text, "faint");
}

function put(tag, text, name = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className: name });
}
