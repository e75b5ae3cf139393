// Starts a match with a friend, and seats the friend who was invited.

import { formatProblem, makeKey, readForm, send } from "/assets/commands.js";

const offer = document.getElementById("friend-offer");
const join = document.getElementById("join");

offer?.addEventListener("submit", (event) => act(event, offer, startMatch));
join?.addEventListener("submit", (event) => act(event, join, takeSeat));

async function act(event, form, deed) {
  event.preventDefault();
  const [button, place] = [form.querySelector("button"), form.querySelector(".refusal")];
  button.disabled = true;
  place.textContent = "";
  const problem = await deed(form.dataset);
  if (!problem) return;
  place.textContent = formatProblem(problem);
  button.disabled = false;
}

/** Start a private match with the options of the page, in a seat by chance. Returns the problem if it is refused. */
async function startMatch({ ruleset, player, seats }) {
  const form = document.getElementById("new");
  const { options, limits } = form ? readForm(form) : {};
  const count = Number(form?.querySelector("#seats")?.value ?? seats);
  const mine = crypto.getRandomValues(new Uint32Array(1))[0] % count;
  const body = { ruleset, private: true, seats: Array.from({ length: count }, (_, at) => (at === mine ? { player } : null)) };
  if (options) body.options = options;
  if (limits && Object.keys(limits).length) body.limits = limits;
  const { ok, answer } = await send("/v1/matches", body);
  if (!ok) return answer;
  if (answer.events[0].data.dice?.mode === "server") {
    // The match then begins as soon as the friend comes.
    await send(`/v1/matches/${answer.match}/entropy`, { seat: mine + 1, entropy: makeKey() });
  }
  location.assign(`/matches/${answer.match}/play`);
  return null;
}

/** Take the seat of the invitation, with salt for the dice. Returns the problem if it is refused. */
async function takeSeat({ match, seat, invitation, salted }) {
  const body = { ...(invitation && { invitation }), ...(salted !== undefined && { entropy: makeKey() }) };
  const { ok, answer } = await send(`/v1/matches/${match}/seats/${seat}`, body);
  if (!ok && answer.code === "invitation/over") location.reload();
  if (!ok) return answer;
  location.replace(`/matches/${match}/play`);
  return null;
}
