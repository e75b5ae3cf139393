// Keeps the match page up to date while the match is played.

import { ngettext } from "/assets/speech.js";
import { fetchNews, followEvents, keepFresh, swapPart } from "/assets/live_page.js";

const PARTS = ["title", "status", "call", "above", "below", "badge", "oversight", "dice"];

/** Follow a match until nothing more can happen in it. A reader who looks at an earlier position stays there. */
export function followMatch(viewer, types) {
  const note = document.getElementById("note");
  let unseen = 0;
  followEvents({
    address: (version) => `/v1${viewer.path}/events?after=${version}${viewer.query}`,
    types,
    version: () => viewer.version,
    refresh: keepFresh(async () => {
      const part = await fetchNews(`${viewer.path}/news?after=${viewer.version}${viewer.pageQuery}`);
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
    button.textContent = ngettext("%(num)s new move: show it", "%(num)s new moves: show the latest", unseen);
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
}
