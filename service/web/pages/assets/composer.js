// Makes moves on a board: touch a piece, then a field. By pointer, by drag and drop, by keys, and by typing.

import { BoardMarks } from "/assets/board_marks.js";
import { beginSentence } from "/assets/commands.js";
import { gettext } from "/assets/speech.js";

const HAS_FINGERS = matchMedia("(pointer: coarse)");
const BUSY_MS = 120;
const LOOK_MS = 80;
const DRAG_PX = 8;
// How far beside a part a finger may touch and still mean it.
const REACH_PX = 22;
const TARGET_PX = 44;
const MAX_ZOOM = 3;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Composer {
  /**
   * `root` holds the parts of composer.html, `board` the picture. `source` has:
   * `findTouched(touches)`: resolves to what the touches lead to, as the API says it;
   * `submit(move)`: makes the move; resolves to whether it was made. It says by itself why not: `refuse`;
   * `findSteps(text)`: resolves to what can follow a typed text; without it nothing can be typed;
   * `explainPause()`: why nobody can move now, if that is not because it is somebody else's turn;
   * `clauses`: the address of the page of rules.
   */
  constructor(root, board, source) {
    Object.assign(this, { root, board, source });
    this.find = (id) => root.querySelector(`#${id}`);
    this.auto = this.find("auto");
    this.marks = new BoardMarks(board);
    this.seat = null;
    this.forget();
    this.known = new Map();
    this.chain = Promise.resolve();
    this.find("play").addEventListener("click", () => this.act(() => this.commit()));
    this.find("cancel").addEventListener("click", () => this.cancel());
    this.find("choices").addEventListener("click", (event) => this.choose(event));
    this.find("zoom").addEventListener("click", () => this.zoom());
    root.dataset.waiting = 0;
    this.listenToPointer();
    this.listenToKeys();
    this.listenToTyping();
  }

  /** Forget what was touched and typed. */
  forget() {
    this.touches = [];
    this.own = 0;
    this.answer = null;
    this.find("notation").value = "";
    for (const id of ["play", "cancel"]) this.find(id).hidden = true;
    this.find("meaning").textContent = "";
    this.root.classList.remove("begun");
  }

  /** The board shows another position; `seat` moves now (null: nobody here does). A move begun before is kept. */
  update(seat) {
    const isOther = seat !== this.seat;
    this.seat = seat;
    this.known = new Map();
    this.start = null;
    this.read = null;
    this.marks.clear();
    if (isOther) this.forget();
    this.find("composing").hidden = seat === null;
    if (isOther) this.refuse("");
    this.hideReason();
    this.prepare();
    if (seat !== null) this.act(() => this.renew());
  }

  /** Look again what the touches lead to; if they lead to nothing any more, start again. */
  async renew() {
    const answer = await this.load(this.touches);
    if (this.touches.length && !answer.next.length && !answer.ready.length) return this.go([], 0);
    this.answer = answer;
    this.read = (await this.begin()).read;
    this.show();
  }

  /** What can be touched first. */
  async begin() {
    this.start ??= await this.load([]);
    return this.start;
  }

  /** Do one thing after the other, in the order of the touches. */
  act(work) {
    this.waiting = (this.waiting ?? 0) + 1;
    this.root.dataset.waiting = this.waiting;
    this.chain = this.chain
      .then(() => untilFresh(work))
      .catch((error) => {
        if (error instanceof Unreachable) this.refuse(gettext("The server cannot be reached. Try again."));
        else reportError(error);
      })
      .finally(() => {
        this.waiting -= 1;
        this.root.dataset.waiting = this.waiting;
      });
    return this.chain;
  }

  /** What touches lead to; throws STALE if the position has changed meanwhile. */
  async load(touches) {
    const { known } = this;
    const key = touches.join(" ");
    if (!known.has(key)) {
      const asked = this.source.findTouched(touches).catch((error) => {
        throw new Unreachable(error);
      });
      asked.catch(() => known.delete(key));
      known.set(key, asked);
    }
    const answer = await known.get(key);
    if (known !== this.known) throw STALE;
    return answer;
  }

  /** Somebody touched this part of the board. `by` is mouse, touch, pen, key or drop. */
  touch(name, by) {
    // What is entered on the board may be no move.
    if (this.claim?.(name)) return this.chain;
    this.hideReason();
    const { seat } = this;
    // Whoever touched a choice just before their turn ended meant nothing by it later.
    return this.act(() => (seat === null || seat === this.seat ? this.take(name, by) : null));
  }

  async take(name, by) {
    if (this.seat === null) return this.giveReason(name, { detail: this.source.explainPause?.() ?? gettext("It is not your turn.") });
    if (this.isSending) return;
    this.refuse("");
    const { touches } = this;
    const now = await this.load(touches);
    await this.begin();
    name = this.findTarget(now, name, by);
    const last = touches.at(-1);
    if (leadsTo(now, name)) return this.go([...touches, name], this.own + 1, by);
    if (name === last && now.ready.length) return now.ready.length === 1 ? this.commit() : this.focusChips();
    if (touches.includes(name)) return by !== "drop" && this.go(touches.slice(0, touches.indexOf(name)), 0);
    if (leadsTo(this.start, name)) return this.go([name], 1, by);
    // What comes after a complete move is meant to begin another one.
    const { refusal } = await this.load(now.next.length ? [...touches, name] : [name]);
    this.giveReason(name, refusal ?? { detail: gettext("No legal move starts like this.") });
  }

  /**
   * What a pointer means by this part. A piece that cannot be chosen, on a field that can, means the field, and so does
   * any piece under one that is dropped. Keys touch the field itself.
   */
  findTarget(answer, name, by) {
    if (!name || by === "key" || this.touches.includes(name) || leadsTo(answer, name)) return name;
    if (by !== "drop" && leadsTo(this.start, name)) return name;
    const around = this.marks.find(name)?.parentElement.closest("[data-touch]")?.dataset.touch;
    return leadsTo(answer, around) ? around : name;
  }

  /** Touch this, and whatever leaves no choice. `own` of the touches were made by hand. */
  async go(touches, own, by = null) {
    let answer = await this.load(touches);
    while (touches.length && answer.next.length === 1 && !answer.ready.length) {
      touches = [...touches, answer.next[0].touch];
      answer = await this.load(touches);
    }
    Object.assign(this, { touches, answer, own });
    this.read ??= (await this.begin()).read;
    this.show();
    // A mouse has shown what the second touch would do, and so has a drag.
    const isMeant = by === "drop" || (by === "mouse" && own > 1) || (by !== "drag" && this.auto.checked);
    if (by && isMeant && answer.ready.length === 1 && !answer.next.length) return this.commit();
    if (by === "key" && answer.ready.length > 1) this.focusChips();
  }

  cancel() {
    this.hideReason();
    this.refuse("");
    this.act(() => this.go([], 0));
  }

  async commit(ready = this.answer?.ready) {
    if (ready?.length === 1) await this.send(ready[0].move);
  }

  async send(move) {
    if (this.isSending) return;
    this.isSending = true;
    this.find("play").setAttribute("aria-disabled", "true");
    try {
      await this.source.submit(move);
    } finally {
      this.isSending = false;
      this.find("play").removeAttribute("aria-disabled");
    }
  }

  /** Say why a move was refused after all. What was touched or typed stays. */
  refuse(text, clause = null) {
    this.find("refusal").replaceChildren(text, ...this.link(clause));
  }

  link(clause, title = null) {
    if (!clause) return [];
    const link = document.createElement("a");
    link.href = `${this.source.clauses}#${clause}`;
    link.textContent = title ? `${clause} · ${title}` : gettext("Read %(clause)s.", { clause });
    return [" ", link];
  }

  // ------------------------------------------------------------------------------------------------------- showing

  /** Show what was touched, what can be touched, and what the move would do. */
  show(answer = this.answer, touches = this.touches) {
    if (this.seat === null || !answer) return;
    const { next, ready } = answer;
    this.marks.draw({
      choices: next.map((each) => each.touch),
      sources: new Set(next.filter((each) => !each.move).map((each) => each.touch)),
      chosen: touches,
      after: answer.picture,
      seat: this.seat,
    });
    this.prepare();
    this.find("meaning").textContent =
      ready.length === 1
        ? ready[0].sentences.join(" ")
        : ready.length
          ? gettext("Which of these?")
          : touches.length
            ? gettext("Now choose one of the marked places.")
            : gettext("Choose on the board.");
    this.find("play").hidden = ready.length !== 1;
    this.find("cancel").hidden = !touches.length;
    this.root.classList.toggle("begun", touches.length > 0);
    this.offer(next);
    this.putChips(ready, touches.at(-1));
    this.uncover(touches.at(-1));
  }

  /** Show what a move would do that somebody else thought of: `{picture, sentences}`. With null, show the touches again. */
  preview(move) {
    if (this.isSending) return;
    if (!move) return this.show();
    this.show({ ...this.answer, next: [], ready: [move], picture: move.picture }, []);
    this.find("play").hidden = true;
  }

  /** Scroll what was touched out from under the bar. */
  uncover(touch) {
    const part = touch && this.marks.find(touch);
    const bar = this.find("commit");
    if (!part || getComputedStyle(bar).position !== "fixed") return;
    const covered = part.getBoundingClientRect().bottom + 24 - bar.getBoundingClientRect().top;
    if (covered > 0) scrollBy({ top: covered, behavior: "instant" });
  }

  /** Buttons for what can be chosen but is not on the board, or is too narrow there for a finger. */
  offer(next) {
    const isOffered = ({ touch }) => !this.marks.find(touch) || (touch.includes(">") && HAS_FINGERS.matches);
    const name = (touch) => (touch.includes(">") ? touch.replace(">", " → ") : this.call(touch));
    this.find("choices").replaceChildren(...next.filter(isOffered).map(({ touch }) => makeButton(name(touch), { touch })));
  }

  choose(event) {
    const { touch } = event.target.closest("button")?.dataset ?? {};
    if (touch) this.touch(touch, event.detail ? "touch" : "key");
  }

  /** Buttons at the board for moves that the same touches make. */
  putChips(ready, touch) {
    this.over().querySelector(".chips")?.remove();
    if (ready.length < 2) return;
    const chips = document.createElement("div");
    chips.className = "chips";
    chips.setAttribute("role", "group");
    chips.setAttribute("aria-label", gettext("Which of these?"));
    for (const each of ready) {
      const chip = makeButton(each.label, {});
      chip.title = each.sentences.join(" ");
      chip.addEventListener("click", () => this.act(() => this.commit([each])));
      chips.append(chip);
    }
    this.over().append(chips);
    this.place(chips, touch);
  }

  focusChips() {
    this.over().querySelector(".chips button")?.focus();
  }

  /** Say beside a part of the board why it cannot be touched. */
  giveReason(touch, { detail, clause, title }) {
    this.hideReason();
    const reason = document.createElement("p");
    reason.className = "reason";
    const text = beginSentence(detail);
    reason.append(text, ...this.link(clause, title));
    this.over().append(reason);
    this.place(reason, touch);
    this.say(text);
  }

  hideReason() {
    this.over().querySelector(".reason")?.remove();
  }

  /** Let screen readers say this. */
  say(text) {
    this.find("said").textContent = "";
    this.find("said").textContent = text;
  }

  /** What lies over the board: the picture is another one after each move, and then this is put over it again. */
  over() {
    let over = this.board.querySelector(":scope > .over");
    if (!over) {
      over = document.createElement("div");
      over.className = "over";
      this.board.append(over);
    }
    return over;
  }

  /** Put this below a part of the board, or above it if there is no room. */
  place(element, touch) {
    const frame = this.over().getBoundingClientRect();
    const part = (touch && this.marks.find(touch)) || this.marks.picture;
    const target = (part?.firstElementChild ?? this.board).getBoundingClientRect();
    const { width, height } = element.getBoundingClientRect();
    const left = target.left + target.width / 2 - frame.left - width / 2;
    const below = target.bottom - frame.top + 8;
    const bar = this.find("commit");
    const end = getComputedStyle(bar).position === "fixed" ? bar.getBoundingClientRect().top : innerHeight;
    const fits = target.bottom + height + 16 < end || target.top < height + 16;
    element.style.left = `${Math.max(0, Math.min(left, this.board.scrollWidth - width))}px`;
    element.style.top = `${fits ? below : target.top - frame.top - height - 8}px`;
  }

  // -------------------------------------------------------------------------------------------------- pointer, drag

  listenToPointer() {
    let pressed = null;
    let wasDragged = false;
    this.board.addEventListener("pointerdown", (event) => {
      this.pointer = event.pointerType;
      wasDragged = false;
      pressed = event.isPrimary && event.button === 0 ? { name: this.aim(event), x: event.clientX, y: event.clientY } : null;
    });
    addEventListener("pointermove", (event) => {
      if (pressed?.name && event.isPrimary) this.drag(pressed, event);
    });
    addEventListener("pointerup", (event) => {
      const dropped = pressed;
      pressed = null;
      if (!dropped?.image) return;
      wasDragged = true;
      dropped.image.remove();
      const name = this.aim({ ...at(event), target: document.elementFromPoint(event.clientX, event.clientY), pointerType: event.pointerType });
      if (name && name !== dropped.name) this.touch(name, "drop");
    });
    addEventListener("pointercancel", () => {
      pressed?.image?.remove();
      pressed = null;
    });
    this.board.addEventListener("click", (event) => {
      if (wasDragged || event.target.closest(".over")) return;
      // A click from before the scripts had loaded is repeated, without the press of the pointer.
      this.pointer = event.pointerType || this.pointer;
      if (this.isCrowded(event)) return this.zoom(event);
      const name = this.aim(event);
      // Screen readers click without a pointer.
      if (name) this.touch(name, event.detail ? this.pointer : "key");
    });
    this.board.addEventListener("pointerover", (event) => this.look(event));
    this.board.addEventListener("pointerleave", () => this.look(null));
  }

  /** Begin to drag, or go on with it: the piece follows the pointer. */
  drag(pressed, event) {
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (!pressed.image) {
      if (Math.hypot(dx, dy) < DRAG_PX || !this.canDrag(pressed.name)) return;
      pressed.image = this.lift(pressed.name);
      if (this.touches.at(-1) !== pressed.name) this.touch(pressed.name, "drag");
    }
    pressed.image.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  canDrag(name) {
    return this.touches.at(-1) === name || this.marks.find(name)?.matches(".source") || false;
  }

  /** A picture of what stands on a part of the board, which can follow the pointer. */
  lift(name) {
    const { picture } = this.marks;
    const frame = this.over().getBoundingClientRect();
    const { left, top, width, height } = picture.getBoundingClientRect();
    const image = picture.cloneNode(false);
    const things = [...picture.querySelectorAll(`[data-at="${CSS.escape(name)}"]`)];
    const shown = things.length ? things : [this.marks.find(name)];
    for (const thing of shown) {
      const copy = thing.cloneNode(true);
      const { a, b, c, d, e, f } = picture.getScreenCTM().inverse().multiply(thing.getScreenCTM());
      const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
      holder.setAttribute("transform", `matrix(${[a, b, c, d, e, f].join(" ")})`);
      copy.removeAttribute("transform");
      for (const each of [copy, ...copy.querySelectorAll("*")]) for (const key of ["data-touch", "data-key", "data-at", "data-place", "tabindex", "role"]) each.removeAttribute(key);
      holder.append(copy);
      image.append(holder);
    }
    image.classList.add("lifted");
    for (const key of ["role", "aria-label"]) image.removeAttribute(key);
    image.setAttribute("aria-hidden", "true");
    Object.assign(image.style, { left: `${left - frame.left}px`, top: `${top - frame.top}px`, width: `${width}px`, height: `${height}px` });
    this.over().append(image);
    return image;
  }

  /** Which part of the board is meant: with a finger, a choice nearby if the part below it is none. */
  aim({ target, clientX, clientY, pointerType }) {
    const part = target?.closest?.("[data-touch]");
    const below = part && this.board.contains(part) ? part : null;
    const name = below?.dataset.touch ?? null;
    // What is laid out field by field means the field below the finger.
    if (this.claim && name) return name;
    if ((pointerType ?? this.pointer) === "mouse" || below?.matches(".choice, .chosen")) return name;
    const [nearest] = this.listNear(clientX, clientY);
    return nearest?.dataset.touch ?? name;
  }

  /** The choices that a finger at this point may mean, the nearest first. */
  listNear(x, y) {
    return [...this.board.querySelectorAll(".choice, .chosen")]
      .map((part) => ({ part, far: distance((part.firstElementChild ?? part).getBoundingClientRect(), x, y) }))
      .filter(({ far }) => far <= REACH_PX)
      .sort((one, other) => one.far - other.far)
      .map(({ part }) => part);
  }

  /** Show what a touch of the part under the mouse would do. */
  look(event) {
    const below = event?.pointerType === "mouse" ? event.target.closest("[data-touch]")?.dataset.touch : null;
    const name = this.answer && this.start ? this.findTarget(this.answer, below, "mouse") : below;
    if (name && name === this.looked) return;
    clearTimeout(this.looking);
    this.looked = name;
    const isTarget = this.touches.length > 0 && Boolean(this.answer) && completes(this.answer, name);
    if (!isTarget && !this.isLooking) return;
    const { touches, answer } = this;
    const isStill = () => touches === this.touches && answer === this.answer && !this.isSending;
    const showTarget = async () => {
      if (!isStill()) return;
      const further = isTarget ? await this.load([...touches, name]) : answer;
      if (!isStill() || this.looked !== name) return;
      this.isLooking = isTarget;
      if (isTarget) this.show({ ...answer, ready: further.ready, picture: further.picture }, [...touches, name]);
      else this.show();
    };
    this.looking = setTimeout(() => this.act(showTarget), LOOK_MS);
  }

  // ---------------------------------------------------------------------------------------------------- magnifying

  /** How often a part of the board must be enlarged to be touched with a finger; 1 if it is large enough. */
  enlargement() {
    const sizes = this.marks.list().map((part) => {
      const { width, height } = (part.firstElementChild ?? part).getBoundingClientRect();
      return Math.min(width, height);
    });
    const middle = sizes.sort((one, other) => one - other)[Math.floor(sizes.length / 2)] || TARGET_PX;
    return Math.min(MAX_ZOOM, TARGET_PX / middle);
  }

  /** Whether a finger may mean several choices here. Then the first tap enlarges the board. */
  isCrowded({ clientX, clientY, detail }) {
    return detail > 0 && this.pointer === "touch" && !this.isZoomed && this.listNear(clientX, clientY).length > 1 && this.enlargement() > 1.2;
  }

  /** Enlarge the board around a point, or show the whole board again. */
  zoom(around = null) {
    this.isZoomed = !this.isZoomed;
    const before = this.marks.picture.getBoundingClientRect();
    this.scale = this.isZoomed ? Math.max(1.5, this.enlargement()) : 1;
    this.magnify();
    if (this.isZoomed) {
      const [x, y] = around ? [around.clientX - before.left, around.clientY - before.top] : [before.width / 2, before.height / 2];
      const grown = this.marks.picture.getBoundingClientRect();
      this.board.scrollLeft = (x * grown.width) / before.width - this.board.clientWidth / 2;
      this.board.scrollTop = (y * grown.height) / before.height - this.board.clientHeight / 2;
    }
    this.show();
  }

  magnify() {
    this.board.classList.toggle("zoomed", Boolean(this.isZoomed));
    this.marks.picture?.style.setProperty("width", this.isZoomed ? `${100 * this.scale}%` : "");
    const button = this.find("zoom");
    button.hidden = !this.isZoomed && !(HAS_FINGERS.matches && this.enlargement() > 1.2);
    button.textContent = this.isZoomed ? gettext("Show the whole board") : gettext("Enlarge the board");
  }

  // ----------------------------------------------------------------------------------------------------------- keys

  listenToKeys() {
    this.board.addEventListener("keydown", (event) => {
      const part = event.target.closest("[data-touch]");
      if (part && ARROWS[event.key]) {
        event.preventDefault();
        this.walk(part, ARROWS[event.key]);
      } else if (part && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        this.touch(part.dataset.touch, "key");
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const back = this.touches[0];
      if (this.over().contains(document.activeElement) && back) this.rove(back, true);
      if (back || this.over().querySelector(".reason")) this.cancel();
    });
    // The board is read out only to those who walk on it while others move.
    this.board.addEventListener("focusin", (event) => {
      const part = event.target.closest("[data-touch]");
      if (part) this.rove(part.dataset.touch);
      if (!this.read) this.act(async () => {
        // Meanwhile it may be known, with more than the position has: what a recorder has laid.
        this.read ??= (await this.begin()).read;
        this.prepare();
      });
    });
  }

  /** Move the focus to the nearest part in a direction. */
  walk(part, [dx, dy]) {
    const from = middle(part);
    let best = null;
    for (const other of this.marks.list()) {
      const to = middle(other);
      const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const across = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      const far = along + 2 * across;
      if (other !== part && along > 2 && across <= 1.5 * along && (!best || far < best.far)) best = { other, far };
    }
    if (best) this.rove(best.other.dataset.touch, true);
  }

  /** Let Tab lead to this part of the board alone. */
  rove(touch, focus = false) {
    this.at = touch;
    for (const part of this.marks.list()) part.setAttribute("tabindex", part.dataset.touch === touch ? "0" : "-1");
    if (focus) this.marks.find(touch)?.focus();
  }

  /** Let keys and screen readers find everything that can be touched, with what is to be seen there. */
  prepare() {
    const { picture } = this.marks;
    if (!picture) return;
    const parts = this.marks.list();
    if (!parts.length) return;
    picture.setAttribute("role", "application");
    picture.setAttribute("aria-label", gettext("Board"));
    const isAt = parts.some((part) => part.dataset.touch === this.at);
    const entry = isAt ? this.at : (parts.find((part) => part.matches(".choice")) ?? parts[0]).dataset.touch;
    for (const part of parts) {
      const { touch } = part.dataset;
      part.setAttribute("role", "button");
      part.setAttribute("aria-label", this.call(touch));
      part.setAttribute("tabindex", touch === entry ? "0" : "-1");
      setOrRemove(part, "aria-description", part.matches(".choice") && gettext("can be chosen"));
      setOrRemove(part, "aria-pressed", part.matches(".chosen") && "true");
    }
    this.magnify();
  }

  call(touch) {
    return this.read?.[touch] ?? touch.split(">").map((place) => this.read?.[place] ?? place).join(" → ");
  }

  // --------------------------------------------------------------------------------------------------------- typing

  listenToTyping() {
    const [field, button] = [this.find("notation"), this.find("move")];
    this.find("typing").hidden = !this.source.findSteps;
    field.addEventListener("input", () => {
      this.refuse("");
      clearTimeout(this.typed);
      this.typed = setTimeout(() => this.complete(field.value), BUSY_MS);
    });
    field.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!field.value || button.disabled) return;
      button.disabled = true;
      this.refuse("");
      // A page may show the move before its answer comes: what is touched then begins the next one.
      await this.act(() => this.send(field.value.trim()));
      button.disabled = false;
    });
  }

  /** Offer what can follow the typed text, and say what the move does once it is one. */
  async complete(text) {
    let found;
    try {
      found = await this.source.findSteps(text);
    } catch {
      return this.refuse(gettext("The server cannot be reached. Try again."));
    }
    if (this.find("notation").value !== text) return;
    this.find("endings").replaceChildren(
      ...found.steps.map((step) => Object.assign(document.createElement("option"), { value: found.prefix + step.text })),
    );
    const isNone = text && !found.complete && !found.steps.length;
    this.find("typed-meaning").textContent = isNone
      ? gettext("No legal move starts like this.")
      : found.complete
        ? (found.preview?.sentences.join(" ") ?? "")
        : "";
  }
}

class Unreachable extends Error {}

const STALE = new Error("the position has changed");

/** Do this, and again when the position changed meanwhile: what was touched still counts. */
async function untilFresh(work) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error !== STALE) throw error;
    }
  }
}

function leadsTo(answer, name) {
  return answer.next.some((each) => each.touch === name);
}

function completes(answer, name) {
  return answer.next.some((each) => each.touch === name && each.move);
}

function makeButton(text, data) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = text;
  Object.assign(button.dataset, data);
  return button;
}

function setOrRemove(part, name, value) {
  if (value) part.setAttribute(name, value);
  else part.removeAttribute(name);
}

function middle(part) {
  const { left, top, width, height } = (part.firstElementChild ?? part).getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

function distance({ left, right, top, bottom }, x, y) {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}

function at({ clientX, clientY }) {
  return { clientX, clientY };
}
