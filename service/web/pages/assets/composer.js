// Composes a move step by step: by clicks on the board, by buttons, and by typing.

const BUSY_MS = 120;

export class Composer {
  /** `findSteps(text)` resolves to what can follow a text, as the API composes moves. `submit(text)` makes the move. */
  constructor(form, board, findSteps, submit) {
    Object.assign(this, { form, board, findSteps, submit });
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
    this.composition = null;
    this.narrowed = null;
    this.offered = [];
    this.asked = (this.asked ?? 0) + 1;
  }

  /** The match has a new version; `seat` moves now (null: nobody here does). A move begun before is kept. */
  update(seat) {
    const isOther = seat !== this.seat;
    if (!this.isTyped && (isOther || !this.taken.length)) this.forget();
    this.seat = seat;
    this.form.hidden = seat === null;
    if (seat === null) {
      this.asked += 1;
      this.composition = null;
      this.mark();
      return;
    }
    if (isOther) this.refuse("");
    this.go(this.text, this.text === "");
  }

  /**
   * Show what can follow a text. With `on`, take every step that leaves no choice.
   *
   * Clicks may have been meant for an earlier position. If they begin no move in this one, start again.
   */
  async go(text, on) {
    const mine = (this.asked += 1);
    this.text = text;
    this.narrowed = null;
    try {
      let composition = await this.findSteps(text);
      while (on && !composition.complete && composition.finish === null && composition.steps.length === 1) {
        composition = await this.findSteps(composition.prefix + composition.steps[0].text);
      }
      if (mine !== this.asked) return;
      if (on && composition.finish !== null) {
        composition = { ...composition, prefix: composition.finish, complete: true, steps: [] };
      }
      this.text = composition.prefix;
      this.composition = composition;
      if (text && !this.isTyped && !composition.complete && !composition.steps.length) {
        this.forget();
        return this.go("", true);
      }
      this.show();
      if (on && this.auto.checked && composition.complete && !composition.steps.length) this.send();
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

  /** Take the step that a part of the board stands for. If it stands for several, let the next click decide. */
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

  /** What can follow each of the steps that a click may have meant, so that the next click decides between them. */
  async lookAhead(steps) {
    if (steps.length > 4) return [];
    const compositions = await Promise.all(steps.map((step) => this.findSteps(this.text + step.text)));
    return steps.flatMap((step, at) =>
      compositions[at].steps.map((next) => ({ ...next, text: step.text + next.text, ahead: true })),
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
    const next = this.composition?.complete ? this.find("move") : this.find("choices").querySelector("button");
    (next ?? this.board.querySelector(".choice") ?? this.field).focus();
  }

  async send() {
    this.find("move").disabled = true;
    await this.submit(this.text);
    this.allow();
  }

  /** Allow a composed text once it is a move. Allow typed text always: if it is no move, the refusal says why. */
  allow() {
    this.find("move").disabled = !(this.composition?.complete || (this.isTyped && this.text));
  }

  /** Say why a move was refused. The composed text stays. */
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
    return this.narrowed ?? this.composition?.steps ?? [];
  }

  show() {
    const { complete, preview, steps } = this.composition;
    if (this.field.value !== this.text) this.field.value = this.text;
    this.allow();
    this.find("undo").disabled = !this.text && !this.narrowed;
    this.find("clear").disabled = !this.text;
    this.find("meaning").textContent = complete
      ? preview?.sentences.join(" ") || "This is a legal move."
      : this.narrowed
        ? "Which of these?"
        : this.text && !steps.length
          ? "No legal move starts like this."
          : "";
    this.mark();
    this.offer();
  }

  /** Add a button for each step that the board does not show, or that a click on the board did not decide. */
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
      // The notation alone does not explain the difference between two steps.
      button.textContent = this.narrowed && sentence ? `${formatStep(step)} · ${sentence}` : formatStep(step);
      if (sentence) button.title = sentence;
      return button;
    });
    this.find("choices").replaceChildren(...buttons);
  }

  isOnBoard(token) {
    return this.board.querySelector(`[data-token="${CSS.escape(token)}"]`) !== null;
  }

  /** Make the possible choices on the board clickable, and highlight the chosen ones. */
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

function formatStep(step) {
  return step.text.trim().replace(/^,/, "") + (step.completes ? "" : " …");
}
