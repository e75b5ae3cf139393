// Whose turn it is, on every page: a badge in the header and, if the visitor wishes, a sound and notifications.

import { gettext } from "/assets/speech.js";

const LOOK_MS = 10_000;
const MOST = 10;
// When notices come that a match needs something, or has begun.
const CALLS = [
  "your-decision",
  "draw-offered",
  "seat-offered",
  "match-started",
  "tournament-invited",
  "tournament-challenged",
];

let looking = 0;
// The newest notice that the badge of this page counts; null if the badge may be out of date.
let counted = null;

const badge = document.getElementById("turns");
const wishes = document.getElementById("wishes");
const seenName = `plyscribe-seen-${badge?.dataset.player}`;

if (badge) {
  look();
  looking = setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", () => document.hidden || look());
  document.addEventListener("plyscribe:turn", () => showTurns().catch(() => (counted = null)));
}
if (wishes) offerWishes();

async function read(address) {
  const answered = await fetch(address, { headers: { Accept: "application/json" } });
  // Somebody has signed this browser out.
  if (answered.status === 401) clearInterval(looking);
  if (!answered.ok) throw new Error(`${answered.status}`);
  return answered.json();
}

/** Show how many matches wait for the visitor, and lead to them. Returns them. */
async function showTurns() {
  const { matches } = await read(`/v1/matches?waiting=me&limit=${MOST}`);
  badge.hidden = !matches.length;
  badge.href = matches.length === 1 ? `/matches/${matches[0].match}/play` : "/matches?waiting=me";
  const count = matches.length < MOST ? `${matches.length}` : `${MOST - 1}+`;
  badge.textContent = matches.length === 1 ? gettext("Your turn") : gettext("Your turn (%(count)s)", { count });
  return matches;
}

/** Read the notices that came since the last look. What came before the first look is old. */
async function look() {
  try {
    const seen = recall(seenName);
    const page = await read(`/v1/players/me/events?after=${seen ?? 0}&limit=${seen ? 100 : 1}`);
    const newest = String(page.newest);
    const matches = newest === counted ? [] : await showTurns();
    counted = newest;
    // Another tab may have told of these already.
    if (newest === seen || recall(seenName) !== seen) return;
    remember(seenName, newest);
    if (seen === null) return;
    const calls = page.entries.filter((entry) => CALLS.includes(entry.type) && Date.now() - entry.at < 10 * LOOK_MS);
    if (calls.length) call(calls, matches);
  } catch {
    // The next look tries again.
  }
}

function call(entries, matches) {
  if (wants("sound")) ring();
  if (!wants("notify") || Notification.permission !== "granted") return;
  for (const entry of entries.slice(-3)) {
    const address = entry.match ? `/matches/${entry.match}/play` : `/tournaments/${entry.tournament}`;
    if (!document.hidden && location.pathname === address) continue;
    const ruleset = matches.find((row) => row.match === entry.match)?.ruleset;
    const shown = new Notification(nameCall(entry.type), {
      body: ruleset ? ruleset[0].toUpperCase() + ruleset.slice(1) : "",
      tag: entry.match ?? entry.tournament,
      icon: badge.dataset.icon,
    });
    shown.addEventListener("click", () => {
      window.focus();
      location.assign(address);
      shown.close();
    });
  }
}

function nameCall(type) {
  switch (type) {
    case "draw-offered":
      return gettext("You are offered a draw");
    case "seat-offered":
      return gettext("You are invited to a match");
    case "match-started":
      return gettext("Your match has begun");
    case "tournament-invited":
      return gettext("You are invited to a tournament");
    case "tournament-challenged":
      return gettext("You are challenged on a ladder");
    default:
      return gettext("It is your turn");
  }
}

/** Two short tones. Browsers allow them once the visitor has clicked something on the page. */
function ring() {
  try {
    const sound = new AudioContext();
    for (const [begin, pitch] of [[0, 660], [0.14, 880]]) {
      const tone = sound.createOscillator();
      const volume = sound.createGain();
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(0.12, sound.currentTime + begin);
      volume.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + begin + 0.13);
      tone.connect(volume).connect(sound.destination);
      tone.start(sound.currentTime + begin);
      tone.stop(sound.currentTime + begin + 0.14);
    }
    setTimeout(() => sound.close(), 1_000);
  } catch {
    // This browser plays no sounds.
  }
}

// ---------------------------------------------------------------------------------------------------------- wishes

/** The boxes with which the visitor chooses a sound and notifications. This browser remembers them. */
function offerWishes() {
  const sound = wishes.querySelector("#wish-sound");
  const notify = wishes.querySelector("#wish-notify");
  sound.checked = wants("sound");
  sound.addEventListener("change", () => {
    remember("plyscribe-sound", sound.checked);
    if (sound.checked) ring();
  });
  if (!("Notification" in window)) return notify.closest("label").remove();
  notify.checked = wants("notify") && Notification.permission === "granted";
  notify.addEventListener("change", async () => {
    const allowed = !notify.checked || (await Notification.requestPermission()) === "granted";
    if (!allowed) notify.checked = false;
    wishes.querySelector("[role=status]").textContent = allowed
      ? ""
      : gettext("This browser does not allow notifications from here. Its settings can change that.");
    remember("plyscribe-notify", notify.checked);
  });
}

function wants(wish) {
  return recall(`plyscribe-${wish}`) === "true";
}

function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    // This browser stores nothing.
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, String(value));
  } catch {
    // This browser stores nothing.
  }
}
