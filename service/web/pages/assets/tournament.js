// The tournament's page: fresh whenever something happens, and its buttons.

const FRESH_EVERY_MS = 1000;

let shown = document.getElementById("tournament");
let due = null;

function onClick(event) {
  const button = event.target.closest("button[data-post]");
  if (button) {
    send(button);
  }
  const link = event.target.closest("a[data-check]");
  if (link) {
    event.preventDefault();
    check(link);
  }
}

async function send(button) {
  button.disabled = true;
  const answer = await fetch(button.dataset.post, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.getRandomValues(new Uint32Array(4)).join("-") },
    body: "{}",
  });
  if (!answer.ok) {
    const problem = await answer.json();
    document.getElementById("refusal").textContent = problem.detail;
  }
  button.disabled = false;
  refresh();
}

async function check(link) {
  const told = link.parentElement.querySelector("[role=status]");
  told.textContent = "…";
  const answer = await fetch(link.href, { headers: { Accept: "application/json" } });
  const outcome = await answer.json();
  if (!answer.ok) {
    told.textContent = outcome.detail;
  } else {
    told.textContent = outcome.agrees ? "It comes out the same." : "It comes out differently!";
  }
}

// What the reader has opened stays open, what has the focus keeps it.
async function refresh() {
  due = null;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) {
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("tournament");
  for (const details of shown.querySelectorAll("details[id]")) {
    const again = fresh.querySelector(`#${details.id}`);
    if (again) {
      again.open = details.open;
      again.querySelector(".why").open = details.querySelector(".why").open;
    }
  }
  const refusal = document.getElementById("refusal").textContent;
  shown.replaceWith(fresh);
  shown = fresh;
  document.getElementById("refusal").textContent = refusal;
}

function follow() {
  if (["ended", "aborted"].includes(shown.dataset.status)) {
    return;
  }
  const events = new EventSource(`/v1/tournaments/${shown.dataset.tournament}/events?after=${shown.dataset.version}`);
  const soon = () => (due ??= setTimeout(refresh, FRESH_EVERY_MS));
  for (const type of shown.dataset.events.split(" ")) {
    events.addEventListener(type, soon);
  }
  events.addEventListener("end", () => {
    events.close();
    soon();
  });
}

document.addEventListener("click", onClick);
follow();
