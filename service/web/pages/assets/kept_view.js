// Shows what a phone keeps until it is on the server, and lets people decide about what the server refuses.

import { beginSentence } from "/assets/commands.js";
import { gettext, ngettext } from "/assets/speech.js";
import { nameEvent } from "/assets/step_texts.js";

const TIME = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" });

export class KeptView {
  /** `sync` does what people decide; `version()` is that of the match as shown, `draft` the form for the next step. */
  constructor(root, { sync, version, match, draft = null }) {
    Object.assign(this, { root, sync, version, match, draft, entries: [], canReopen: true, state: {} });
    this.said = put(root, "p", { role: "status" });
    this.warning = put(root, "p", { className: "refusal" });
    this.list = put(root, "ol", { className: "kept", "aria-label": gettext("Steps that wait") });
    this.problem = put(root, "div", { className: "conflict" });
    this.copying = put(root, "p", { className: "actions" });
    this.copied = put(root, "textarea", { readOnly: true, rows: 4, hidden: true, "aria-label": gettext("What is kept on this phone, as text") });
    const button = put(this.copying, "button", { type: "button", className: "second", textContent: gettext("Show it as text") });
    button.addEventListener("click", () => this.copy());
  }

  tell(state) {
    Object.assign(this, state);
    this.show(this.entries, this.state);
  }

  show(entries, state) {
    Object.assign(this, { entries, state });
    const { isLasting, isCut } = state;
    const [first] = entries;
    const { stopped } = first ?? {};
    this.root.hidden = !entries.length && !isCut;
    setText(this.said, this.describe(entries.length, isCut, stopped));
    const warnings = [];
    if (isLasting === false && (entries.length || isCut)) warnings.push(gettext("This browser stores nothing, perhaps because its window is private or its storage is full. Keep this page open until everything is sent."));
    if (!this.canReopen && isCut) warnings.push(gettext("Keep this page open: without network it cannot be opened again."));
    setText(this.warning, warnings.join(" "));
    this.warning.hidden = !warnings.length;
    this.list.replaceChildren(...entries.map((entry) => this.describeEntry(entry)));
    this.copying.hidden = !entries.length;
    if (!this.copied.hidden) this.copied.value = this.write();
    if (this.draft) this.draft.hidden = !(isCut || entries.length) || !this.match();
    const shown = stopped ? `${first.key} ${JSON.stringify(stopped)}` : "";
    if (shown === this.shownProblem) return;
    this.shownProblem = shown;
    this.problem.replaceChildren(...(stopped ? this.explain(first, stopped) : []));
  }

  describe(count, isCut, stopped) {
    if (stopped) return ngettext("One step is not on the server. Please decide below.", "%(num)s steps are not on the server. Please decide below.", count);
    if (count && isCut) return ngettext("One step waits for the network. It is kept on this phone.", "%(num)s steps wait for the network. They are kept on this phone.", count);
    if (count) return ngettext("One step is being sent.", "%(num)s steps are being sent.", count);
    return isCut ? gettext("There is no network. Go on: what you enter is kept on this phone and sent later.") : "";
  }

  describeEntry({ text, at, kind, stopped }) {
    const item = document.createElement("li");
    put(item, "code", { textContent: text });
    put(item, "span", { className: "faint", textContent: ` ${TIME.format(new Date(at))}` });
    if (kind === "result") put(item, "span", { className: "faint", textContent: ` · ${gettext("result")}` });
    if (stopped) item.className = "stopped";
    return item;
  }

  /** Everything that waits, as text that an arbiter can type in. */
  write() {
    return this.entries.map(({ text, at }) => `${text}  {${new Date(at).toISOString()}}`).join("\n");
  }

  copy() {
    this.copied.hidden = false;
    this.copied.value = this.write();
    this.copied.focus();
    this.copied.select();
    navigator.clipboard?.writeText(this.copied.value).catch(() => {});
  }

  // ------------------------------------------------------------------------------------------------------- problems

  explain(entry, problem) {
    const isConflict = problem.code === "stream/version-conflict";
    const parts = [heading(isConflict ? gettext("Something else was recorded meanwhile") : gettext("The server does not take this step"))];
    if (isConflict) parts.push(this.compare(problem.events));
    else parts.push(paragraph(`${entry.text}: ${beginSentence(problem.detail ?? "")}`, "refusal"));
    const actions = document.createElement("div");
    actions.className = "actions";
    if (isConflict) {
      actions.append(
        this.button(gettext("Keep what is recorded, drop what waits here"), "second", () => this.ask(actions, this.entries)),
        this.button(gettext("Send what waits here after it"), "", () => this.sync.sendAgain(entry)),
      );
    } else {
      actions.append(
        this.button(gettext("Send it again"), "", () => this.sync.sendAgain(entry)),
        this.button(gettext("Drop this step"), "second", () => this.ask(actions, [entry])),
      );
      if (this.entries.length > 1) actions.append(this.button(gettext("Drop all that wait"), "second", () => this.ask(actions, this.entries)));
    }
    if (entry.match) parts.push(this.editor(entry));
    return [...parts, actions];
  }

  /** The line of the server and the line of this phone, side by side. */
  compare(events) {
    const sides = document.createElement("div");
    sides.className = "columns";
    const texts = [
      [gettext("Recorded on the server"), events.map(nameEvent)],
      [gettext("Waiting on this phone"), this.entries.map(({ text }) => text)],
    ];
    for (const [title, lines] of texts) {
      const side = put(sides, "div", {});
      side.append(heading(title, "h3"));
      const list = put(side, "ol", {});
      for (const line of lines) put(list, "li", { textContent: line });
    }
    return sides;
  }

  editor(entry) {
    const form = document.createElement("form");
    form.method = "dialog";
    const field = document.createElement("input");
    Object.assign(field, { id: "edited-step", name: "text", value: entry.text, autocomplete: "off", maxLength: 400 });
    const label = put(form, "label", { textContent: gettext("Change the step, as on a score sheet") });
    label.htmlFor = field.id;
    form.append(field);
    put(form, "button", { className: "second", textContent: gettext("Send it changed") });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) this.sync.edit(entry, field.value.trim());
    });
    return form;
  }

  /** Ask once before anything that was entered is dropped. */
  ask(actions, entries) {
    const question = paragraph(ngettext("Drop one step for good?", "Drop %(num)s steps for good?", entries.length));
    question.append(
      " ",
      this.button(gettext("Drop"), "", () => this.sync.drop(entries)),
      " ",
      this.button(gettext("Keep"), "second", () => question.remove()),
    );
    actions.querySelector("p")?.remove();
    actions.append(question);
    question.querySelector("button").focus();
  }

  button(text, kind, act) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, className: kind });
    button.addEventListener("click", act);
    return button;
  }
}

function put(parent, tag, { role, "aria-label": label, ...properties }) {
  const element = Object.assign(document.createElement(tag), properties);
  if (role) element.setAttribute("role", role);
  if (label) element.setAttribute("aria-label", label);
  parent.append(element);
  return element;
}

function heading(text, tag = "h2") {
  return Object.assign(document.createElement(tag), { textContent: text });
}

function paragraph(text, kind = "") {
  return Object.assign(document.createElement("p"), { textContent: text, className: kind });
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
