// Types a score sheet, or the next step of one: it is read as it is typed, and says at which place something is wrong.

import { ask } from "/assets/asking.js";
import { beginSentence } from "/assets/commands.js";
import { gettext, ngettext } from "/assets/speech.js";
import { readDrawing } from "/assets/variation.js";

const TYPED_MS = 400;

export class SheetEntry {
  /** `enter(text)` keeps a text and sends it. */
  constructor(root, { enter, version }) {
    Object.assign(this, { root, enter, version });
    this.find = (id) => document.getElementById(id);
    this.field = this.find("sheet-text");
    if (!this.field) return;
    try {
      this.field.value = sessionStorage.getItem(location.pathname) ?? "";
    } catch {
      // This browser stores nothing.
    }
    this.field.addEventListener("input", () => this.type());
    this.find("sheet-form").addEventListener("submit", (event) => this.submit(event));
    this.find("next-step").addEventListener("submit", (event) => this.submitStep(event));
    // A tap on the board writes the place into the field of the next step.
    this.find("board")?.addEventListener("click", (event) => this.tap(event), true);
    if (this.field.value) this.type();
  }

  type() {
    try {
      sessionStorage.setItem(location.pathname, this.field.value);
    } catch {
      // This browser stores nothing.
    }
    clearTimeout(this.typed);
    this.typed = setTimeout(() => this.check(), TYPED_MS);
  }

  /** Read the sheet, say what is wrong and where, and show the position that it leads to. */
  async check() {
    const text = this.field.value;
    this.read = null;
    this.find("sheet-problem").replaceChildren();
    this.find("sheet-board").replaceChildren();
    if (!text.trim()) return this.say("");
    let answered, answer;
    try {
      answered = await ask(`/v1/matches/${this.root.dataset.match}/score-sheet`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text, picture: true }),
      });
      answer = await answered.json();
    } catch {
      return this.say(gettext("Without network the sheet cannot be checked. You can keep it: it is read when the network is back."));
    }
    if (this.field.value !== text) return;
    if (!answered.ok) return this.say(beginSentence(answer.detail ?? gettext("Something went wrong.")));
    this.show(text, answer);
  }

  show(text, { steps, fault, picture }) {
    this.read = { text, fault };
    this.say(ngettext("One step can be read. The board shows the position after it.", "%(num)s steps can be read. The board shows the position after them.", steps.length));
    if (picture) this.find("sheet-board").replaceChildren(readDrawing({ picture }));
    if (!fault) return;
    const line = text.split("\n")[fault.line - 1] ?? "";
    const where = document.createElement("p");
    where.className = "refusal";
    where.textContent = gettext("Line %(line)s, column %(column)s: %(why)s", { line: fault.line, column: fault.column, why: fault.detail });
    const shown = document.createElement("pre");
    const place = [...line];
    const wrong = document.createElement("mark");
    const [word] = /^\S*/.exec(place.slice(fault.column - 1).join("")) ?? [""];
    wrong.textContent = word || " ";
    shown.append(place.slice(0, fault.column - 1).join(""), wrong, place.slice(fault.column - 1 + [...word].length).join(""));
    const go = Object.assign(document.createElement("button"), { type: "button", className: "second", textContent: gettext("Go to this place") });
    go.addEventListener("click", () => this.select(fault));
    this.find("sheet-problem").replaceChildren(where, shown, go);
  }

  select({ line, column }) {
    const before = this.field.value.split("\n").slice(0, line - 1).join("\n");
    const start = before.length + (line > 1 ? 1 : 0) + column - 1;
    this.field.focus();
    this.field.setSelectionRange(start, start + (/^\S*/.exec(this.field.value.slice(start))?.[0].length ?? 0));
  }

  say(text) {
    this.find("sheet-said").textContent = text;
  }

  async submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text) return;
    if (this.read?.text === this.field.value && this.read.fault) {
      this.find("sheet-problem").querySelector("button")?.focus();
      return;
    }
    const button = event.target.querySelector("button");
    button.disabled = true;
    await this.enter(text);
    button.disabled = false;
    this.field.value = "";
    this.type();
    this.find("sheet").open = false;
  }

  async submitStep(event) {
    event.preventDefault();
    const field = this.find("next-step-text");
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    await this.enter(text);
    field.focus();
  }

  tap(event) {
    const table = this.find("table");
    const part = event.target.closest("[data-touch]");
    if (!part || !table || !("waits" in table.dataset)) return;
    event.stopPropagation();
    event.preventDefault();
    const field = this.find("next-step-text");
    field.value = `${field.value}${/[\w)]$/.test(field.value) ? "-" : ""}${part.dataset.touch}`;
  }
}
