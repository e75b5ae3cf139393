// The choice of a time control in a form: a usual one, or one that somebody writes. It says what the choice means.

import { fetchPart } from "/assets/fetch_part.js";
import { gettext } from "/assets/speech.js";

const PAUSE_MS = 300;
const OTHER = "other";

/** Let a form choose a time control. Its limits stand in the field `limits`, which is disabled without a limit. */
export function chooseTime(form) {
  const find = (id) => form.querySelector(`#${id}`);
  const [choice, written, limits] = ["time-control", "time-written", "time-limits"].map(find);
  if (!choice) return;
  let timer = 0;
  let asked = 0;
  choice.addEventListener("change", show);
  written.addEventListener("input", () => {
    clearTimeout(timer);
    take(null);
    written.setCustomValidity(gettext("Wait a moment: this is being read."));
    timer = setTimeout(explain, PAUSE_MS);
  });
  show();

  function show() {
    clearTimeout(timer);
    asked += 1;
    const isOther = choice.value === OTHER;
    find("time-other").hidden = !isOther;
    written.disabled = !isOther;
    written.required = isOther;
    take(isOther ? null : choice.value);
    say("says", choice.selectedOptions[0].dataset.says ?? "");
    if (isOther && written.value) explain();
  }

  function take(json) {
    limits.disabled = !json;
    limits.value = json ?? "";
  }

  function say(kind, text) {
    const said = document.createElement("p");
    said.className = kind;
    said.textContent = text;
    find("time-says").replaceChildren(...(text ? [said] : []));
  }

  async function explain() {
    asked += 1;
    const mine = asked;
    try {
      const page = await fetchPart(`/time-control?written=${encodeURIComponent(written.value)}`);
      if (mine !== asked) return;
      const meaning = page.getElementById("time-meaning");
      const refused = "refused" in meaning.dataset;
      take(refused ? null : meaning.dataset.limits);
      written.setCustomValidity(refused ? meaning.textContent : "");
      say(refused ? "refusal" : "says", meaning.textContent);
    } catch {
      if (mine === asked) timer = setTimeout(explain, 10 * PAUSE_MS);
    }
  }
}
