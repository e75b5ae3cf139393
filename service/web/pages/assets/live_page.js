// Pages that show what happens as it happens: they follow a stream of events, load what is new and put it in place.

import { openEvents } from "/assets/asking.js";
import { fetchPart } from "/assets/fetch_part.js";

const AGAIN_MS = 3_000;
const GATHER_MS = 150;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
const LONGEST_PRESS_MS = 10_000;
const LOOK_EVERY_MS = 20;
const NEVER = -Infinity;
const MAIN_BUTTON = 0;

let pressedAt = NEVER;
addEventListener("pointerdown", ({ button }) => button === MAIN_BUTTON && (pressedAt = performance.now()), true);
// The click comes right after the release.
const release = () => setTimeout(() => (pressedAt = NEVER));
for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, true);

/**
 * As `fetchPart`, for what nobody on this page asked for: it comes when nothing is pressed.
 *
 * A button that is replaced under a finger is never clicked.
 */
export async function fetchNews(address) {
  const news = await fetchPart(address);
  while (performance.now() - pressedAt < LONGEST_PRESS_MS) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  return news;
}

/**
 * A function that runs `update` and resolves when the page is up to date.
 *
 * Calls while an update is under way lead to one more update. After a failure it tries again by itself.
 */
export function keepFresh(update) {
  let running = null;
  let isDue = false;

  return refresh;

  function refresh() {
    isDue = true;
    running ??= run();
    return running;
  }

  async function run() {
    try {
      while (isDue) {
        isDue = false;
        await update();
      }
    } catch {
      setTimeout(refresh, AGAIN_MS);
    } finally {
      running = null;
    }
  }
}

/**
 * As `keepFresh`, for a page that is loaded anew as a whole: `put` gets it.
 *
 * The reader may go to another address of the page meanwhile. What was asked for at the one before is then out of date.
 */
export function keepPageFresh(put) {
  const refresh = keepFresh(async () => {
    const { href, pathname, search } = location;
    const page = await fetchNews(pathname + search);
    if (href === location.href) await put(page);
    else refresh();
  });
  return refresh;
}

/**
 * Call `refresh` when an event is newer than `version()`, until the stream ends.
 *
 * `address(version)` is the address of the events after a version, `types` are their types. Events within `gatherMs`
 * lead to one refresh. The server refuses a stream when too many are open: then `refresh` is called anyway and the
 * stream is asked for again, at intervals that grow up to `maxPauseMs`.
 */
export function followEvents({ address, types, version, refresh, gatherMs = GATHER_MS, maxPauseMs = MAX_PAUSE_MS }) {
  let source = null;
  let pauseMs = FIRST_PAUSE_MS;
  let gathering = 0;
  let reconnecting = 0;
  let isOver = false;

  connect();
  addEventListener("pagehide", () => source.close());
  // The browser may keep a page that was left, and show it again.
  addEventListener("pageshow", (event) => event.persisted && !isOver && connect());

  function connect() {
    clearTimeout(reconnecting);
    source = openEvents(address(version()));
    source.addEventListener("open", () => (pauseMs = FIRST_PAUSE_MS));
    for (const type of types) {
      source.addEventListener(type, (event) => Number(event.lastEventId) > version() && gather());
    }
    source.addEventListener("unreadable", gather);
    source.addEventListener("end", () => {
      isOver = true;
      source.close();
      refresh();
    });
    source.addEventListener("error", reconnect);
  }

  function gather() {
    gathering ||= setTimeout(() => {
      gathering = 0;
      refresh();
    }, gatherMs);
  }

  function reconnect() {
    // The browser reconnects by itself unless the server refused.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(reconnecting);
    reconnecting = setTimeout(() => {
      refresh();
      connect();
    }, Math.min(pauseMs, maxPauseMs));
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
  }
}

// The newest versions of parts that have a dialog open: they are put in place when it is closed.
const held = new WeakMap();

/**
 * Replace a part of the page with its new version, but keep what the reader has opened, entered and focused.
 *
 * A part with an open dialog is replaced when that is closed, and `put` is called then.
 */
export function swapPart(part, fresh, put = () => {}) {
  if (!fresh) return;
  const dialog = part.querySelector("dialog[open]");
  if (dialog) return holdPart(part, fresh, dialog, put);
  held.delete(part);
  const copy = fresh.cloneNode(true);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  keepInputs(part, copy, focused);
  keepChanges(part, copy);
  for (const details of part.querySelectorAll("details[id]")) {
    const again = copy.querySelector(`#${CSS.escape(details.id)}`);
    if (again) again.open = details.open;
  }
  copyAttributes(part, copy);
  if (part.innerHTML === copy.innerHTML) return;
  part.replaceChildren(...copy.childNodes);
  const name = focused && nameElement(focused);
  const again = name && part.querySelector(name);
  if (!again) return;
  // A part of a board gets its place among the keys only later.
  if (again.matches("[data-touch]")) again.setAttribute("tabindex", "0");
  again.focus();
  // The caret stays where somebody is typing. Fields for numbers have none.
  if (focused.matches("input, textarea") && focused.selectionStart !== null) {
    again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  }
}

function holdPart(part, fresh, dialog, put) {
  const putHeld = () => {
    swapPart(part, held.get(part), put);
    put();
  };
  if (!held.has(part)) dialog.addEventListener("close", putHeld, { once: true });
  held.set(part, fresh);
}

/** Keep what was entered, and the choice that the reader is making. Other choices follow the new version. */
function keepInputs(part, copy, focused) {
  for (const field of part.querySelectorAll("input[id]:not([type=hidden]), select[id]")) {
    const other = copy.querySelector(`#${CSS.escape(field.id)}`);
    if (field.closest("[data-keeps]")) continue;
    if (other && field.matches("[type=checkbox]")) other.checked = field.checked;
    if (!other || (field !== focused && !(field.value && field.matches("input")))) continue;
    other.value = field.value;
    other.hidden = field.hidden;
  }
}

/** Within `data-keeps`, keep all that the reader has changed, also what was cleared; the rest follows the new version. */
function keepChanges(part, copy) {
  for (const field of part.querySelectorAll("[data-keeps] :is(input, select, textarea)[id]")) {
    const other = copy.querySelector(`#${CSS.escape(field.id)}`);
    if (!other || !isChanged(field)) continue;
    if (field.matches("[type=checkbox], [type=radio]")) other.checked = field.checked;
    else if (field.matches("select")) chooseAgain(other, field.value);
    else other.value = field.value;
  }
  for (const place of part.querySelectorAll("[data-keeps] form[id] .refusal:not(:empty)")) {
    const there = copy.querySelector(`#${CSS.escape(place.closest("form").id)} .refusal`);
    if (there) there.textContent = place.textContent;
  }
}

function isChanged(field) {
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  if (!field.matches("select")) return field.value !== field.defaultValue;
  const usual = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(0, usual);
}

/** Choose this value. If it is gone, choose the first, which says that nothing is chosen. */
function chooseAgain(select, value) {
  select.selectedIndex = Math.max(0, [...select.options].findIndex((option) => option.value === value));
}

function copyAttributes(part, copy) {
  // A part may itself be a <details> that the reader has opened.
  for (const { name } of [...part.attributes]) {
    if (name !== "open" && !copy.hasAttribute(name)) part.removeAttribute(name);
  }
  for (const { name, value } of copy.attributes) {
    if (name !== "open") part.setAttribute(name, value);
  }
}

/** A selector by which the same element is found in the new version; null if it has no name. */
function nameElement(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const name = ["data-touch", "href", "data-post"].find((each) => element.hasAttribute(each));
  return name ? `[${name}="${CSS.escape(element.getAttribute(name))}"]` : null;
}
