// Dice to enter: their faces to click or to type, several at once.

import { gettext, ngettext } from "/assets/speech.js";

const SVG = "http://www.w3.org/2000/svg";
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export class Dice {
  /** `roll` has `sides` and `count`; `values` is what was entered before. `changed` is called after each change. */
  constructor(form, { sides, count }, changed, values = []) {
    Object.assign(this, { form, sides, count, changed, values: [...values] });
    this.faces = make("div", "faces", { role: "group", "aria-label": gettext("What a die shows") });
    for (let value = 1; value <= sides; value += 1) this.faces.append(makeFace(value, sides, "face", `${value}`, { face: value }));
    this.thrown = make("div", "thrown", { role: "group", "aria-label": gettext("Entered so far") });
    this.left = make("p", "left", { role: "status" });
    form.querySelector(".entry").replaceChildren(this.faces, this.thrown, this.left);
    form.querySelector("[data-undo]")?.setAttribute("hidden", "");
    form.addEventListener("click", ({ target }) => {
      const { face, thrown } = target.closest("button")?.dataset ?? {};
      if (face) this.add(Number(face));
      else if (thrown) this.remove(Number(thrown));
    });
    form.addEventListener("keydown", (event) => this.press(event));
    this.show();
  }

  get isWhole() {
    return this.values.length === this.count;
  }

  /** What was entered, as the API reads it. */
  get body() {
    return { values: this.values };
  }

  /** What stands in a hidden field of the form. */
  get fields() {
    return this.values.map((value) => ({ name: "values", kind: "numbers", value }));
  }

  add(value) {
    if (this.isWhole && this.count > 1) return;
    this.values = this.count === 1 ? [value] : [...this.values, value];
    const hadFocus = this.form.contains(document.activeElement);
    this.show();
    this.changed(true);
    if (hadFocus) this.keepFocus();
  }

  /** What had the focus may be gone or disabled by now: keys must still reach the dice. */
  keepFocus() {
    if (this.isWhole && this.count > 1) (this.form.querySelector("[data-enter]") ?? this.thrown.querySelector("button")).focus();
    else if (!this.form.contains(document.activeElement)) this.faces.querySelector("button").focus();
  }

  remove(place) {
    this.values.splice(place, 1);
    this.show();
    (this.thrown.querySelector("button") ?? this.faces.querySelector("button")).focus();
    this.changed(false);
  }

  press(event) {
    const value = Number(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Backspace" && this.values.length) this.remove(this.values.length - 1);
    else if (Number.isInteger(value) && event.key.trim() && value >= 1 && value <= this.sides) this.add(value);
    else return;
    event.preventDefault();
  }

  /** Let the dice fall. */
  draw() {
    this.values = Array.from({ length: this.count }, () => drawBelow(this.sides) + 1);
    this.show();
    this.changed(false);
  }

  show() {
    const { values, count } = this;
    for (const face of this.faces.children) {
      if (count === 1) face.setAttribute("aria-pressed", `${values[0] === Number(face.dataset.face)}`);
      else face.disabled = this.isWhole;
    }
    this.thrown.hidden = count === 1;
    const empty = Array.from({ length: count - values.length }, () => make("span", "slot"));
    const shown = values.map((value, place) => makeFace(value, this.sides, "face", gettext("Take back the %(value)s", { value }), { thrown: place }));
    this.thrown.replaceChildren(...shown, ...empty);
    const missing = count - values.length;
    this.left.textContent = count === 1 ? "" : missing ? ngettext("One die is missing.", "%(num)s dice are missing.", missing) : gettext("All dice are entered.");
  }
}

/** A random number from 0 to `count` - 1, each equally likely. */
export function drawBelow(count) {
  const most = Math.floor(2 ** 32 / count) * count;
  for (;;) {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    if (drawn < most) return drawn % count;
  }
}

function makeFace(value, sides, kind, label, data) {
  const button = make("button", kind, { type: "button", "aria-label": label });
  Object.assign(button.dataset, data);
  button.append(drawFace(value, sides));
  return button;
}

/** A die with six sides has pips; others have a number. */
function drawFace(value, sides) {
  const picture = makeSvg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true", class: "die-face" });
  if (sides === 6) {
    picture.append(makeSvg("rect", { x: 2, y: 2, width: 36, height: 36, rx: 8 }));
    for (const pip of PIPS[value]) picture.append(makeSvg("circle", { cx: 10 + 10 * (pip % 3), cy: 10 + 10 * Math.floor(pip / 3), r: 3.6 }));
  } else {
    picture.append(makeSvg("path", { d: "M20 1.5L37 11V29L20 38.5L3 29V11Z" }), makeSvg("text", { x: 20, y: 26.5 }));
    picture.lastChild.textContent = value;
  }
  return picture;
}

export function make(tag, kind, attributes = {}) {
  const element = document.createElement(tag);
  element.className = kind;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function makeSvg(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
