// Shows times in the reader's own zone and language. Without scripts, pages show them in UTC.

const format = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

localise(document);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node.querySelectorAll) localise(node);
}).observe(document.body, { childList: true, subtree: true });

function localise(part) {
  for (const time of part.matches?.("time[datetime]") ? [part] : part.querySelectorAll("time[datetime]")) {
    if (time.title) continue;
    time.title = time.textContent;
    time.textContent = format.format(new Date(time.dateTime));
  }
}
