// Forks: a new match that begins at the ply that is shown.

/** Let the form make a fork by the API, and go to its table. */
export function offerForks(viewer) {
  const form = document.getElementById("fork");
  if (!form) return;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, refused] = [form.querySelector("button"), document.getElementById("fork-refused")];
    button.disabled = true;
    refused.textContent = "";
    try {
      location.assign(`/matches/${await makeFork(viewer, new FormData(form))}/play`);
    } catch (error) {
      refused.textContent = error.message;
      button.disabled = false;
    }
  });
}

async function makeFork(viewer, chosen) {
  const me = await ask("/v1/players/me");
  const seats = chosen.getAll("seat").map((seat) => {
    if (seat === "me") return { player: me.player };
    return seat === "open" ? null : { bot: seat };
  });
  const body = { ply: viewer.ply, seats };
  if (chosen.has("dice")) body.dice = chosen.get("dice");
  const made = await ask(`/v1${viewer.path}/forks${viewer.query.replace("&", "?")}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return made.match;
}

async function ask(address, options) {
  const answered = await fetch(address, options);
  const told = await answered.json();
  if (!answered.ok) throw new Error(told.detail);
  return told;
}
