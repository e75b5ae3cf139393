// Follows a match by its events: what they change the server tells as parts of the page.

import { fetchPart } from "/assets/fetch_part.js";

const GATHER_MS = 150;
const MAX_PAUSE_MS = 60_000;

/** Keep the page up to date until nothing more is expected of the match. */
export function followLive(viewer, types) {
  const note = document.getElementById("note");
  let gathering = 0;
  let asking = false;
  let pauseMs = 2_000;
  connect();
  // A page that the browser kept and shows again goes on.
  addEventListener("pageshow", (event) => event.persisted && connect());

  function connect() {
    const source = new EventSource(`/v1${viewer.path}/events?after=${viewer.version}${viewer.query}`);
    source.onopen = () => (pauseMs = 2_000);
    for (const type of types) source.addEventListener(type, gather);
    source.addEventListener("unreadable", gather);
    source.addEventListener("end", () => source.close());
    // The browser connects again by itself, except when it was refused.
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      setTimeout(connect, pauseMs);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    };
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  function gather() {
    if (!gathering) gathering = setTimeout(update, GATHER_MS);
  }

  async function update() {
    gathering = 0;
    if (asking) return gather();
    asking = true;
    try {
      const part = await fetchPart(`${viewer.path}/news?after=${viewer.version}${viewer.query}`);
      await take(part.getElementById("news"));
    } catch {
      setTimeout(gather, 2_000);
    } finally {
      asking = false;
    }
  }

  async function take(news) {
    const version = Number(news.dataset.version);
    if (version <= viewer.version) return;
    const before = viewer.last;
    const follows = (viewer.wanted ?? viewer.ply) === before;
    viewer.version = version;
    viewer.last = Number(news.dataset.last);
    enterRows(news);
    for (const id of ["title", "call", "seats", "standing", "dice"]) swap(id, news.querySelector(`#${id}`));
    const status = document.getElementById("status");
    status.textContent = news.dataset.status;
    status.className = `status ${news.dataset.status}`;
    if (!document.getElementById("board")) return location.reload();
    viewer.forget("whole" in news.dataset ? 0 : before);
    const missed = viewer.last - before;
    if (follows || viewer.ply > viewer.last) await viewer.show(viewer.last);
    else if ("whole" in news.dataset) await viewer.show(viewer.ply);
    else viewer.showPlace();
    if (follows || missed <= 0) note.replaceChildren();
    else tellMissed(missed);
  }

  let told = 0;

  function tellMissed(missed) {
    told = note.hasChildNodes() ? told + missed : missed;
    const button = document.createElement("button");
    button.className = "second";
    button.textContent = `${told} new ${told === 1 ? "move" : "moves"}: go there`;
    button.addEventListener("click", () => {
      note.replaceChildren();
      viewer.show(viewer.last);
    });
    note.replaceChildren(button);
  }
}

function enterRows(news) {
  const moves = document.getElementById("moves");
  if (!moves) return;
  if ("whole" in news.dataset) while (moves.children.length > 1) moves.lastElementChild.remove();
  moves.append(...news.querySelector("#news-rows").children);
  const explained = document.getElementById("explained");
  for (const told of [...news.querySelector("#news-explained").children]) {
    if (!document.getElementById(told.id)) explained.append(told);
  }
}

function swap(id, fresh) {
  const now = document.getElementById(id);
  if (now.open) fresh.open = true;
  // What is in use stays until it changes.
  if (now.isEqualNode(fresh)) return;
  const held = now.contains(document.activeElement) && document.activeElement.getAttribute("href");
  now.replaceWith(fresh);
  if (held) fresh.querySelector(`[href="${CSS.escape(held)}"]`)?.focus();
}
