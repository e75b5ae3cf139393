// Keeps the match page up to date while the match is played.

import { fetchPart } from "/assets/fetch_part.js";
import { followEvents, keepFresh, swapPart } from "/assets/live_page.js";

const PARTS = ["title", "call", "seats", "badge", "oversight", "dice"];

/** Follow a match until nothing more can happen in it. A reader who looks at an earlier position stays there. */
export function followMatch(viewer, types) {
  const note = document.getElementById("note");
  let unseen = 0;
  followEvents({
    address: (version) => `/v1${viewer.path}/events?after=${version}${viewer.query}`,
    types,
    version: () => viewer.version,
    refresh: keepFresh(async () => {
      const part = await fetchPart(`${viewer.path}/news?after=${viewer.version}${viewer.query}`);
      await put(part.getElementById("news"));
    }),
  });

  async function put(news) {
    const version = Number(news.dataset.version);
    if (version <= viewer.version) return;
    const before = viewer.last;
    const isAtEnd = (viewer.wanted ?? viewer.ply) === before;
    const isWhole = "whole" in news.dataset;
    viewer.version = version;
    viewer.last = Number(news.dataset.last);
    if (!isWhole) addRows(news);
    for (const id of PARTS) swapPart(document.getElementById(id), news.querySelector(`#${id}`));
    viewer.showClocks();
    const status = document.getElementById("status");
    status.textContent = news.dataset.status;
    status.className = `status ${news.dataset.status}`;
    if (!document.getElementById("board")) return location.reload();
    viewer.forget(isWhole ? 0 : before);
    const added = viewer.last - before;
    if (isAtEnd || viewer.ply > viewer.last) await viewer.show(viewer.last);
    else if (isWhole) await viewer.show(viewer.ply);
    else viewer.showPlace();
    if (isWhole) await viewer.showPart();
    if (isAtEnd || added <= 0) note.replaceChildren();
    else announce(added);
  }

  function announce(added) {
    unseen = note.hasChildNodes() ? unseen + added : added;
    const button = document.createElement("button");
    button.className = "second";
    button.textContent = `${unseen} new ${unseen === 1 ? "move" : "moves"}: show the latest`;
    button.addEventListener("click", () => {
      note.replaceChildren();
      viewer.show(viewer.last);
    });
    note.replaceChildren(button);
  }
}

/** Add the newest rows to the list of moves, if it shows the part that they belong to. */
function addRows(news) {
  const list = document.getElementById("move-list");
  if (!list || list.querySelector("[rel=next]")) return;
  document.getElementById("moves").append(...news.querySelector("#news-rows").children);
  const explained = document.getElementById("explained");
  for (const each of [...news.querySelector("#news-explained").children]) {
    if (!document.getElementById(each.id)) explained.append(each);
  }
}
