// Passes on links and pictures: copies, opens the system's share sheet, waits for a film, and keeps up with the board.

import { gettext } from "/assets/speech.js";

const COPIED_MS = 2_000;
const TRIES = 12;

offerShareSheets(document);
document.addEventListener("click", (event) => {
  const copier = event.target.closest?.("[data-copies]");
  if (copier) copy(copier);
  const sharer = event.target.closest?.("[data-shares]");
  if (sharer) openSheet(sharer);
  const field = event.target.closest?.(".link");
  if (field) field.select();
  const film = event.target.closest?.("#share-gif");
  if (film) {
    event.preventDefault();
    makeFilm(film);
  }
});
// Parts of a page are replaced while a match goes on.
new MutationObserver(() => offerShareSheets(document)).observe(document.body, { childList: true, subtree: true });
followBoard();

function offerShareSheets(within) {
  if (!navigator.share) return;
  for (const button of within.querySelectorAll("[data-shares][hidden]")) button.hidden = false;
}

async function copy(button) {
  const field = document.getElementById(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Without HTTPS there is no clipboard, but the selection can be copied.
    if (!document.execCommand("copy")) return;
  }
  const text = (button.dataset.text ??= button.textContent);
  button.textContent = gettext("Copied");
  button.classList.add("copied");
  clearTimeout(button.copied);
  button.copied = setTimeout(() => {
    button.textContent = text;
    button.classList.remove("copied");
  }, COPIED_MS);
}

async function openSheet(button) {
  const url = document.getElementById(button.dataset.shares).value;
  // Whoever closes the sheet has changed their mind.
  await navigator.share({ title: button.dataset.title, url }).catch(() => {});
}

/** Fetch the film, which takes some seconds to make, and let the browser save it. */
async function makeFilm(link) {
  if (link.getAttribute("aria-disabled") === "true") return;
  const place = document.getElementById("share-making");
  const progress = document.createElement("progress");
  progress.setAttribute("aria-label", gettext("Making the picture …"));
  place.replaceChildren(gettext("Making the picture …"), progress);
  link.setAttribute("aria-disabled", "true");
  try {
    const film = await fetchFilm(link.href);
    const saver = document.createElement("a");
    saver.href = URL.createObjectURL(film);
    saver.download = link.getAttribute("download");
    saver.click();
    setTimeout(() => URL.revokeObjectURL(saver.href), 60_000);
    place.textContent = gettext("The film is ready. Your browser saves it.");
  } catch {
    place.textContent = gettext("The film cannot be made right now. Try again in a minute.");
  } finally {
    link.removeAttribute("aria-disabled");
  }
}

async function fetchFilm(address) {
  for (let tries = TRIES; ; tries -= 1) {
    const answered = await fetch(address);
    if (answered.ok) return answered.blob();
    if (answered.status !== 503 || tries <= 1) throw new Error(`${answered.status}`);
    const pauseS = Number(answered.headers.get("Retry-After")) || 1;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseS, 10) * 1000));
  }
}

/** Let the panel pass on the position that the board shows. */
function followBoard() {
  const [panel, board] = [document.getElementById("share"), document.getElementById("board")];
  if (!panel || board?.dataset.ply === undefined) return;
  new MutationObserver(put).observe(board, { attributes: true, attributeFilter: ["data-ply"] });

  function put() {
    const { ply } = board.dataset;
    const { page, pictures, query } = panel.dataset;
    document.getElementById("share-link").value = `${page}?ply=${ply}`;
    const png = document.getElementById("share-png");
    png.href = `${pictures}${ply}.png${query}`;
    png.download = png.download.replace(/-\d+\.png$/, `-${ply}.png`);
    const frame = document.getElementById("share-frame");
    // A frame without a ply follows a match under way.
    const at = ply === document.getElementById("ply")?.max ? "" : `?ply=${ply}`;
    if (frame) frame.value = frame.value.replace(/(\/embed\/matches\/[^"?]+)(\?ply=\d+)?/, `$1${at}`);
  }
}
