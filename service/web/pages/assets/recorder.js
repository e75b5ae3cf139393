// What a recorder enters: the dice that are due, and corrections of what stands in the list.

import { beginSentence, formatProblem, send } from "/assets/commands.js";
import { Dice, make } from "/assets/dice.js";
import { Laying } from "/assets/laying.js";
import { swapBoard } from "/assets/motion.js";
import { gettext, ngettext } from "/assets/speech.js";
import { askPosition, readDrawing } from "/assets/variation.js";

const MOST_NAMED = 5;
const CHANGED = gettext("Something else happened first. Look at the board again.");

export class Recorder {
  /**
   * `page` has: `root`, the part of the page with the match; `api`, the address of the match; `composer`;
   * `version()`; `refresh()`: shows what is new; `restore()`: shows the present position again.
   */
  constructor(page) {
    Object.assign(this, page);
    this.find = (id) => document.getElementById(id);
    this.kept = { version: null, values: [] };
    document.addEventListener("click", (event) => {
      const row = event.target.closest("[data-mend]")?.closest("li");
      if (row) this.open(row);
    });
    document.addEventListener("keydown", (event) => {
      const isIdle = !event.defaultPrevented && !document.querySelector("dialog[open]") && !this.composer.touches.length;
      if (event.key === "Escape" && this.panel && isIdle) this.close();
    });
  }

  get isMending() {
    return Boolean(this.panel);
  }

  /** The page shows another version: let the dice that are due be entered, if any are. */
  update() {
    this.entry?.leave?.();
    this.entry = null;
    const form = this.find("roll").querySelector("form[data-roll]");
    if (!form) {
      this.isDrawing = false;
      return;
    }
    const version = this.version();
    const kept = this.kept.version === version ? this.kept.values : [];
    const roll = JSON.parse(form.dataset.roll);
    this.entry = this.prepareForm(form, roll, kept, ({ values }) => (this.kept = { version, values }));
    if (this.wasTyping) form.querySelector(".face, .terrain")?.focus({ preventScroll: true });
    this.wasTyping = false;
    if (!roll.layout) this.isDrawing = false;
    if (this.isDrawing) this.drawNow(form, this.entry);
  }

  /** Let people enter a roll in this form, which is submitted with hidden fields. */
  prepareForm(form, roll, values, keep = () => {}) {
    const enter = form.querySelector("[data-enter]");
    const draw = form.querySelector("[data-draw]");
    const fields = make("div", "fields");
    let entry = null;
    const changed = (isClicked) => {
      fields.replaceChildren(...(entry.isWhole ? entry.fields.map(makeHidden) : []));
      enter.disabled = !entry.isWhole;
      keep(entry);
      if (isClicked && entry.isWhole && this.composer.auto.checked) form.requestSubmit(enter);
    };
    entry = roll.layout ? new Laying(form, roll, changed, values, this.composer) : new Dice(form, roll, changed, values);
    form.append(fields);
    if (roll.layout) draw.textContent = draw.dataset.terrain;
    draw.addEventListener("click", () => {
      this.isDrawing = Boolean(roll.layout) && !this.panel;
      this.drawNow(form, entry);
    });
    form.addEventListener("submit", () => (this.wasTyping = true));
    changed(false);
    return entry;
  }

  drawNow(form, entry) {
    entry.draw();
    if (entry instanceof Laying) form.requestSubmit(form.querySelector("[data-enter]"));
  }

  // --------------------------------------------------------------------------------------------------- corrections

  /** Open a step where it stands in the list, with the board as it was before it. */
  async open(row) {
    const { version } = row.dataset;
    this.wanted = version;
    if (this.panel) {
      await this.close();
      // The list may have been drawn anew, and another step may have been clicked meanwhile.
      row = this.findRow(version);
      if (!row || this.panel || this.wanted !== version) return;
    }
    this.entry?.leave?.();
    const step = JSON.parse(row.querySelector("[data-mend]").dataset.mend);
    const panel = this.find("mending").content.firstElementChild.cloneNode(true);
    Object.assign(this, { panel, row, step, position: null });
    row.append(panel);
    row.classList.add("open");
    this.root.dataset.mending = "";
    panel.querySelector("[data-leave]").addEventListener("click", () => this.close());
    panel.querySelector("[data-remove]").addEventListener("click", () => this.correct([]));
    panel.querySelector(".mending-before input").addEventListener("change", () => this.showEntry());
    panel.querySelector(".mending-left").addEventListener("submit", (event) => {
      event.preventDefault();
      const { withdraw, cause } = event.target.elements;
      const isSame = !this.isBefore && this.step.why && cause.value === this.step.cause;
      const why = isSame ? { why: this.step.why } : {};
      this.correct([{ withdraw: Number(withdraw.value), cause: cause.value, ...why }]);
    });
    try {
      this.position = await this.ask({ picture: true, seen_from: Number(this.find("board").dataset.seat) });
    } catch (error) {
      if (this.panel === panel) this.refuse(error.message);
      return;
    }
    if (this.panel !== panel) return;
    swapBoard(this.find("board"), readDrawing(this.position), [], 0);
    this.showEntry();
    this.find("board").scrollIntoView({ block: "nearest" });
    panel.querySelector(".mending-now").focus({ preventScroll: true });
  }

  findRow(version) {
    return document.querySelector(`#log [data-version="${version}"]`);
  }

  /** Whether a missing step is put before the one that was opened. */
  get isBefore() {
    return this.panel.querySelector(".mending-before input").checked;
  }

  /** The position before the step that is corrected. */
  ask(more = {}) {
    return askPosition(this.root.dataset.ruleset, this.step.start, this.step.steps, more);
  }

  /** Offer what can stand in this place: a move on the board, dice, or another player who leaves. */
  showEntry() {
    const { panel, step, position, composer, isBefore } = this;
    if (!position) return;
    const { decision, roll } = position.turn;
    const kind = !isBefore && ["left", "draw"].includes(step.kind) ? step.kind : decision ? "move" : "roll";
    const holder = panel.querySelector(".mending-entry");
    this.giveBack();
    holder.replaceChildren();
    panel.querySelector("[data-remove]").hidden = isBefore;
    this.showLeaving(kind === "left" ? step : { seat: decision ?? roll?.seat ?? 1, cause: "resigned" }, kind === "left" || isBefore);
    if (kind === "move") {
      this.home = document.createComment("composer");
      composer.root.replaceWith(this.home);
      holder.append(composer.root);
      this.ownSource ??= composer.source;
      composer.source = {
        ...this.ownSource,
        findTouched: async (touches) => (await this.ask({ touches, seen_from: Number(this.find("board").dataset.seat) })).touched,
        submit: (move) => this.correct([{ move }]),
      };
      this.find("typing").hidden = true;
      composer.forget();
      composer.update(null);
      composer.update(decision);
    } else {
      composer.update(null);
    }
    if (kind === "roll") this.showDice(holder, step.roll ?? { sides: roll.sides, count: roll.count, title: "", hint: "", rolls: "" });
    const was = make("span", "was");
    was.textContent = gettext("Recorded: %(step)s", { step: nameStep(this.row) });
    const question = isBefore ? gettext("What came before it?") : kind === "draw" ? "" : gettext("What happened instead?");
    const who = kind === "move" ? gettext("%(name)s moves: the board is as it was before.", { name: this.name(decision) }) : "";
    panel.querySelector(".mending-now").replaceChildren(was, ` ${question} ${who}`);
  }

  /** Offer that a player left: instead of another one, or, if a step is missing, before the one that was opened. */
  showLeaving({ seat, cause }, isOffered) {
    const left = this.panel.querySelector(".mending-left");
    left.hidden = !isOffered;
    left.elements.withdraw.value = seat;
    left.elements.cause.value = cause;
    left.querySelector(".mending-or").hidden = !this.isBefore;
    left.querySelector("button").textContent = this.isBefore ? gettext("Enter that they left") : gettext("Correct it");
  }

  showDice(holder, roll) {
    const form = this.find("rolling").content.firstElementChild.cloneNode(true);
    form.classList.remove("card");
    form.removeAttribute("data-post");
    form.querySelector("h2").textContent = roll.title;
    form.querySelector("p").textContent = `${roll.rolls} ${roll.hint}`.trim();
    holder.append(form);
    const entry = this.prepareForm(form, roll, []);
    this.leaveEntry = () => entry.leave?.();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.correct([entry.body]);
    });
  }

  /** Correct the step. If later steps cannot follow any more, ask before they are lost. */
  async correct(steps) {
    if (this.isSending) return;
    this.isSending = true;
    try {
      await this.send(steps);
    } finally {
      this.isSending = false;
    }
  }

  async send(steps) {
    const { panel } = this;
    const replaced = this.isBefore ? 0 : 1;
    const body = { take_back: this.step.back, replaced, steps, dropped: 0 };
    this.refuse("");
    let done = await this.post(body);
    if (this.panel !== panel) return this.refresh();
    const { step } = done.answer;
    if (!done.ok && step >= steps.length) {
      const dropped = this.step.back - replaced - (step - steps.length);
      if (!(await this.mayLose(dropped, done.answer))) return;
      done = await this.post({ ...body, dropped });
      if (this.panel !== panel) return this.refresh();
    }
    if (done.ok) return this.close(true);
    this.refuse(done.status === 412 ? CHANGED : formatProblem(done.answer), done.answer.clause);
  }

  post(body) {
    return send(`${this.api}/corrections`, body, { version: this.version() });
  }

  refuse(text, clause = null) {
    const place = this.panel.querySelector(":scope > .refusal");
    place.replaceChildren(text, ...(text ? this.composer.link(clause) : []));
  }

  /** Ask whether the last steps may be lost, and say which and why. */
  async mayLose(count, answer) {
    const dialog = this.find("losing");
    this.find("losing-question").textContent = ngettext("One later step does not fit any more", "%(num)s later steps do not fit any more", count);
    this.find("losing-why").textContent = this.explain(answer);
    const lost = [...document.querySelectorAll("#log [data-mend]")].filter(({ dataset }) => JSON.parse(dataset.mend).back <= count).reverse();
    const named = lost.slice(0, MOST_NAMED).map((button) => makeItem(nameStep(button.closest("li"))));
    const more = lost.length - named.length;
    if (more) named.push(makeItem(ngettext("and one more", "and %(num)s more", more)));
    this.find("losing-steps").replaceChildren(...named);
    this.find("losing-yes").textContent = ngettext("Correct it, and lose this step", "Correct it, and lose these %(num)s steps", count);
    this.find("losing-yes").value = "yes";
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
    return dialog.returnValue === "yes";
  }

  explain({ code, turn, ...problem }) {
    if (code !== "correction/does-not-follow") return formatReason(problem);
    if (turn.decision) return gettext("After the correction, %(name)s moves here.", { name: this.name(turn.decision) });
    if (turn.roll?.seat) return gettext("After the correction, %(name)s rolls the dice here.", { name: this.name(turn.roll.seat) });
    return turn.over ? gettext("After the correction, the match is over by then.") : gettext("After the correction, dice are rolled here.");
  }

  name(seat) {
    return this.panel.querySelector(`[name=withdraw] [value="${seat}"]`).textContent;
  }

  /** Put the composer back in its place. */
  giveBack() {
    this.leaveEntry?.();
    this.leaveEntry = null;
    if (!this.home) return;
    this.home.replaceWith(this.composer.root);
    this.home = null;
    this.composer.source = this.ownSource;
    this.find("typing").hidden = !this.ownSource.findSteps;
  }

  /** Close the correction, and show the match as it is. */
  async close(isDone = false) {
    const { row, panel } = this;
    this.giveBack();
    panel.remove();
    row.classList.remove("open");
    delete this.root.dataset.mending;
    this.panel = null;
    // Until the present position is shown again, nobody moves.
    this.composer.update(null);
    await this.restore();
    // The list may have been drawn anew.
    if (!isDone) this.findRow(row.dataset.version)?.querySelector("[data-mend]")?.focus({ preventScroll: true });
  }
}

/** Why a move is refused, without its notation. */
function formatReason({ clause, ...problem }) {
  const text = formatProblem(problem);
  const reason = clause ? text.slice(text.indexOf(`${clause}, `)).replace(`${clause}, `, "") : text;
  return beginSentence(reason);
}

function makeHidden({ name, kind, value }) {
  const field = make("input", "", { type: "hidden", name, value });
  field.dataset.kind = kind;
  return field;
}

function makeItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

/** A step of the list in words. */
function nameStep(row) {
  return row.querySelector(".happened li")?.textContent ?? [...row.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ textContent }) => textContent.trim()).join(" ");
}
