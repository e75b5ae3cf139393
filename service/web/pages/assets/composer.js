// Puts a move together from what may follow: by clicks on the board, by buttons, and by hand.

const BUSY_MS = 120;

export class Composer {
  /** `ask(text)` tells what may follow a text, `submit(text)` makes the move. */
  constructor(form, board, ask, submit) {
    Object.assign(this, { form, board, ask, submit });
    this.find = (id) => form.querySelector(`#${id}`);
    this.field = this.find("notation");
    this.auto = this.find("auto");
    this.seat = null;
    this.forget();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.find("move").disabled) this.send();
    });
    this.field.addEventListener("input", () => this.type());
    this.find("undo").addEventListener("click", () => this.undo());
    this.find("clear").addEventListener("click", () => this.clear());
    this.find("choices").addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.take(this.offered[Number(button.dataset.number)], true);
    });
    board.addEventListener("click", (event) => this.point(event.target));
    board.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.point(event.target, true);
    });
  }

  forget() {
    this.text = "";
    this.taken = [];
    this.isTyped = false;
    this.told = null;
    this.narrowed = null;
    this.offered = [];
    this.asked = (this.asked ?? 0) + 1;
  }

  /** The match stands at a new version, in which `seat` (null: none of ours) is to move. What was begun is kept. */
  stand(seat) {
    const isOther = seat !== this.seat;
    if (!this.isTyped && (isOther || !this.taken.length)) this.forget();
    this.seat = seat;
    this.form.hidden = seat === null;
    if (seat === null) {
      this.asked += 1;
      this.told = null;
      this.mark();
      return;
    }
    if (isOther) this.refuse("");
    this.go(this.text, this.text === "").then(() => this.dropStale());
  }

  /** What was begun by clicks before the position changed may lead nowhere in this one: begin anew. */
  dropStale() {
    if (this.isTyped || !this.text || !this.told || this.told.complete || this.told.steps.length) return;
    this.forget();
    this.go("", true);
  }

  /** Show what may follow a text. With `on`, go on by itself as long as there is no choice. */
  async go(text, on) {
    const mine = (this.asked += 1);
    this.text = text;
    this.narrowed = null;
    try {
      let told = await this.ask(text);
      while (on && !told.complete && told.finish === null && told.steps.length === 1) {
        told = await this.ask(told.prefix + told.steps[0].text);
      }
      if (mine !== this.asked) return;
      if (on && told.finish !== null) told = { ...told, prefix: told.finish, complete: true, steps: [] };
      this.text = told.prefix;
      this.told = told;
      this.show();
      if (on && this.auto.checked && told.complete && !told.steps.length) this.send();
    } catch {
      if (mine === this.asked) this.refuse("The server cannot be reached. Try again.");
    }
  }

  type() {
    this.taken = [];
    this.text = this.field.value;
    this.refuse("");
    this.isTyped = true;
    this.find("move").disabled = !this.text;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.go(this.field.value, false), BUSY_MS);
  }

  undo() {
    this.refuse("");
    if (this.narrowed) {
      this.narrowed = null;
      this.show();
    } else {
      this.go(this.taken.pop() ?? "", false);
    }
  }

  clear() {
    this.taken = [];
    this.isTyped = false;
    this.refuse("");
    this.go("", false);
    this.field.focus();
  }

  /** Something on the board was pointed at. */
  async point(target, byKey = false) {
    const token = target.closest?.("[data-token].choice")?.dataset.token;
    if (token === undefined) return;
    const meant = this.candidates().filter((step) => step.token === token);
    const near = meant.some((step) => !step.ahead) ? meant.filter((step) => !step.ahead) : meant;
    if (near.length === 1) return this.take(near[0], byKey);
    const mine = this.asked;
    const further = await this.lookAhead(near);
    if (mine !== this.asked) return;
    this.narrowed = [...near.map((step) => ({ ...step, ahead: false })), ...further];
    this.show();
    if (byKey) this.find("choices").querySelector("button")?.focus();
  }

  /** What may follow each of a few steps that a click may have meant, so that the next click decides between them. */
  async lookAhead(steps) {
    if (steps.length > 4) return [];
    const told = await Promise.all(steps.map((step) => this.ask(this.text + step.text)));
    return steps.flatMap((step, at) =>
      told[at].steps.map((next) => ({ ...next, text: step.text + next.text, ahead: true })),
    );
  }

  take(step, byKey = false) {
    this.taken.push(this.text);
    this.isTyped = false;
    this.refuse("");
    this.go(this.text + step.text, true).then(() => {
      if (byKey) this.focusNext();
    });
  }

  focusNext() {
    const next = this.told?.complete ? this.find("move") : this.find("choices").querySelector("button");
    (next ?? this.board.querySelector(".choice") ?? this.field).focus();
  }

  async send() {
    this.find("move").disabled = true;
    await this.submit(this.text);
    this.allow();
  }

  /** What was put together can be sent once it is a move; what was written by hand always: a refusal says why. */
  allow() {
    this.find("move").disabled = !(this.told?.complete || (this.isTyped && this.text));
  }

  /** Say why a move was refused; what was composed stays. */
  refuse(text, clause = null) {
    const place = this.find("refusal");
    place.textContent = text;
    if (clause) {
      const link = document.createElement("a");
      link.href = clause.address;
      link.textContent = ` Read ${clause.name}.`;
      place.append(link);
    }
  }

  candidates() {
    return this.narrowed ?? this.told?.steps ?? [];
  }

  show() {
    const { complete, explanation, steps } = this.told;
    if (this.field.value !== this.text) this.field.value = this.text;
    this.allow();
    this.find("undo").disabled = !this.text && !this.narrowed;
    this.find("clear").disabled = !this.text;
    this.find("meaning").textContent = complete
      ? explanation?.sentence ?? "This is a move."
      : this.narrowed
        ? "Which of these?"
        : this.text && !steps.length
          ? "No legal move begins so."
          : "";
    this.mark();
    this.offer();
  }

  /** A button for each choice that the board does not show, or that a click on it leaves open. */
  offer() {
    const direct = this.candidates().filter((step) => !step.ahead);
    const count = (step) => direct.filter((other) => other.token === step.token).length;
    this.offered = direct.filter((step) => !this.isOnBoard(step.token) || (this.narrowed && count(step) > 1));
    const buttons = this.offered.map((step, number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "second";
      button.dataset.number = number;
      const sentence = step.explanation?.sentence;
      // Signs alone say little about which of two ways was meant.
      button.textContent = this.narrowed && sentence ? `${spell(step)} · ${sentence}` : spell(step);
      if (sentence) button.title = sentence;
      return button;
    });
    this.find("choices").replaceChildren(...buttons);
  }

  isOnBoard(token) {
    return this.board.querySelector(`[data-token="${CSS.escape(token)}"]`) !== null;
  }

  /** Make what may be chosen on the board clickable, and show what was chosen. */
  mark() {
    const candidates = this.seat === null ? [] : this.candidates();
    const chosen = new Set(this.seat === null ? [] : this.text.match(/[a-z][0-9]+|[A-Za-z]+|[0-9]+/g));
    this.board.querySelector("svg")?.setAttribute("role", candidates.length ? "group" : "img");
    for (const part of this.board.querySelectorAll("[data-token]")) {
      const meant = candidates.filter((step) => step.token === part.dataset.token);
      part.classList.toggle("choice", meant.length > 0);
      part.classList.toggle("chosen", chosen.has(part.dataset.token));
      if (meant.length) {
        part.setAttribute("role", "button");
        part.setAttribute("tabindex", "0");
        const sentence = meant.length === 1 && meant[0].explanation ? `: ${meant[0].explanation.sentence}` : "";
        part.setAttribute("aria-label", part.dataset.token + sentence);
      } else {
        for (const name of ["role", "tabindex", "aria-label"]) part.removeAttribute(name);
      }
    }
  }
}

function spell(step) {
  return step.text.trim().replace(/^,/, "") + (step.completes ? "" : " …");
}
