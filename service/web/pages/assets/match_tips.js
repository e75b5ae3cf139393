// Explains a move, with the rule that it follows, when it is pointed at or focused.

/** Explain the links of a list in a tooltip. Escape closes it; it stays open while the pointer is on it. */
export function showTips(list, tip) {
  let leaving = 0;
  let shown = null;
  let touched = false;

  // A finger hides what it points at. The chosen move is also explained under the board.
  list.addEventListener("pointerover", (event) => event.pointerType !== "touch" && enter(event.target.closest("a")));
  list.addEventListener("pointerdown", (event) => (touched = event.pointerType === "touch"));
  list.addEventListener("focusin", (event) => touched || enter(event.target.closest("a")));
  list.addEventListener("keydown", () => (touched = false));
  list.addEventListener("pointerout", leaveSoon);
  list.addEventListener("focusout", leaveSoon);
  // What scrolls may be a part of the list.
  list.addEventListener("scroll", () => shown && !list.contains(document.activeElement) && hide(), true);
  tip.addEventListener("pointerover", () => clearTimeout(leaving));
  tip.addEventListener("pointerout", leaveSoon);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());

  function enter(link) {
    const explanation = link && document.getElementById(link.getAttribute("aria-describedby"));
    if (!explanation) return;
    clearTimeout(leaving);
    shown = link;
    const copy = explanation.cloneNode(true);
    copy.removeAttribute("id");
    tip.replaceChildren(copy);
    const clause = explanation.querySelector("[data-clause]")?.dataset.clause;
    const text = clause && document.getElementById(`clause-${clause}`)?.textContent;
    if (text) {
      const rule = document.createElement("p");
      rule.className = "faint";
      rule.textContent = text;
      tip.append(rule);
    }
    tip.hidden = false;
    place(link);
  }

  function place(link) {
    const [at, size] = [link.getBoundingClientRect(), tip.getBoundingClientRect()];
    const below = at.bottom + size.height + 8 < innerHeight;
    tip.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8))}px`;
    tip.style.top = `${below ? at.bottom + 4 : Math.max(8, at.top - size.height - 4)}px`;
  }

  function leaveSoon() {
    clearTimeout(leaving);
    leaving = setTimeout(hide, 150);
  }

  function hide() {
    clearTimeout(leaving);
    tip.hidden = true;
    shown = null;
  }
}
