// Clocks that run down.

const TICK_MS = 500;
const SHORT_MS = 20_000;

/**
 * Show the time left on every `.clock` of the page from now on; returns a function that shows it at once.
 *
 * `serverMs` is the present time on the server's clock, which deadlines refer to: this computer's may be wrong.
 */
export function runClocks(serverMs) {
  const aheadMs = Date.now() - serverMs;
  showAll();
  setInterval(showAll, TICK_MS);
  return showAll;

  function showAll() {
    for (const clock of document.querySelectorAll(".clock")) {
      const { deadline, left, bank } = clock.dataset;
      const untilMs = deadline ? Number(deadline) - (Date.now() - aheadMs) : Infinity;
      // With a delay there is longer to move than there is time left: it stands still meanwhile.
      const leftMs = Math.min(untilMs, Number(left ?? bank ?? Infinity));
      const text = formatTime(Math.max(0, leftMs));
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("short", untilMs < SHORT_MS);
    }
  }
}

function formatTime(ms) {
  const seconds = Math.floor(ms / 1000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  if (days) return `${days} d ${hours} h`;
  const short = `${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
  return hours ? `${hours}:${short}` : short;
}
