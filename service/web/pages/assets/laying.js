// What dice lay on the board, entered as it lies on the table: choose a terrain, then click its fields.

import { drawBelow, make, makeSvg } from "/assets/dice.js";
import { gettext, ngettext } from "/assets/speech.js";

// Where things stand around the middle of a large field.
const PLACES = [[-17, 5], [0, -8], [17, 5]];
const LARGE = 55;

export class Laying {
  /** `layout` has `places` and `kinds`; `laid` is what was entered before. `changed` is called after each change. */
  constructor(form, { layout }, changed, laid, composer) {
    Object.assign(this, { form, layout, changed, composer, laid: new Map(laid) });
    this.kinds = make("div", "grounds", { role: "group", "aria-label": gettext("Terrain") });
    for (const each of layout.kinds) this.kinds.append(makeKind(each));
    this.left = make("p", "left", { role: "status" });
    form.querySelector(".entry").replaceChildren(this.kinds, this.left);
    this.undo = form.querySelector("[data-undo]");
    this.undo.hidden = false;
    this.undo.addEventListener("click", () => this.takeBack([...this.laid.keys()].at(-1)));
    this.kinds.addEventListener("click", ({ target }) => {
      const { kind } = target.closest("button")?.dataset ?? {};
      if (kind) this.choose(kind);
    });
    composer.claim = (name) => this.touch(name);
    this.kind = layout.kinds.find(({ kind }) => this.count(kind))?.kind;
    composer.act(async () => {
      this.read = (await composer.load([])).read;
      this.show();
    });
    this.show();
  }

  /** The board is somebody else's again. */
  leave() {
    if (this.composer.claim) this.composer.claim = null;
  }

  get isWhole() {
    return this.all.size === this.layout.places.length;
  }

  get body() {
    return { laid: Object.fromEntries(this.all) };
  }

  get fields() {
    return [{ name: "laid", kind: "json", value: JSON.stringify(this.body.laid) }];
  }

  get values() {
    return this.laid;
  }

  /** How many of a kind are still to be laid. */
  count(kind) {
    const laid = [...this.laid.values()].filter((each) => each === kind).length;
    return this.layout.kinds.find((each) => each.kind === kind).count - laid;
  }

  /** What was laid, and what is left when there is only one kind left. */
  get all() {
    const open = this.layout.kinds.filter(({ kind }) => this.count(kind));
    const all = new Map(this.laid);
    if (open.length === 1) for (const place of this.layout.places) if (!all.has(place)) all.set(place, open[0].kind);
    return all;
  }

  choose(kind) {
    this.kind = kind;
    this.show();
  }

  /** Somebody touched this part of the board. A second touch takes the field back. */
  touch(name) {
    const { composer } = this;
    composer.hideReason();
    if (!this.layout.places.includes(name)) {
      composer.giveReason(name, { detail: gettext("This field is not asked for now. Choose one of the marked fields.") });
    } else if (this.laid.has(name)) {
      this.takeBack(name);
    } else {
      this.laid.set(name, this.kind);
      if (!this.count(this.kind)) this.kind = this.layout.kinds.find(({ kind }) => this.count(kind))?.kind ?? this.kind;
      this.show();
      this.changed(false);
    }
    return true;
  }

  takeBack(name) {
    this.kind = this.laid.get(name) ?? this.kind;
    this.laid.delete(name);
    this.show();
    this.changed(false);
  }

  /** Lay everything at random. */
  draw() {
    const kinds = this.layout.kinds.flatMap(({ kind, count }) => Array(count).fill(kind));
    this.laid = new Map(this.layout.places.map((place) => [place, kinds.splice(drawBelow(kinds.length), 1)[0]]));
    this.show();
    this.changed(false);
  }

  show() {
    const { layout, composer, all } = this;
    const { marks } = composer;
    const missing = layout.places.filter((place) => !all.has(place));
    for (const button of this.kinds.children) {
      const left = this.isWhole ? 0 : this.count(button.dataset.kind);
      button.setAttribute("aria-pressed", `${!this.isWhole && button.dataset.kind === this.kind}`);
      button.disabled = !left;
      button.querySelector(".amount").textContent = left ? gettext("%(number)s left", { number: left }) : gettext("all placed");
    }
    this.undo.disabled = !this.laid.size;
    const rest = this.isWhole && layout.places.find((place) => !this.laid.has(place));
    const kind = layout.kinds.find((each) => each.kind === all.get(rest));
    this.left.textContent = rest
      ? gettext("All other fields: %(terrain)s. Click a field to take it back.", { terrain: kind.name })
      : this.isWhole
        ? gettext("Every field has its terrain. Click a field to take it back.")
        : ngettext("One field is still to be placed.", "%(num)s fields are still to be placed.", missing.length);
    marks.draw({ choices: layout.places.filter((place) => !this.laid.has(place)), sources: new Set(), chosen: [], after: null, seat: null });
    for (const place of layout.places) this.paint(place, all.get(place));
    if (this.read) composer.read = { ...this.read, ...this.label(all) };
    composer.prepare();
  }

  label(all) {
    return Object.fromEntries([...all].map(([place, kind]) => [place, `${place}: ${this.layout.kinds.find((each) => each.kind === kind).name}`]));
  }

  /** Draw the terrain of a field over the board. */
  paint(place, kind) {
    const { marks } = this.composer;
    const part = marks.find(place);
    const outline = part?.firstElementChild;
    if (!outline) return;
    part.classList.toggle("chosen", this.laid.has(place));
    outline.dataset.bare ??= outline.getAttribute("class");
    const { ground = "", stands = "" } = this.layout.kinds.find((each) => each.kind === kind) ?? {};
    outline.setAttribute("class", ground || outline.dataset.bare);
    if (!stands) return;
    const { x, y, size } = marks.measure(outline);
    const places = size > LARGE ? PLACES : [[0, 0]];
    for (const [dx, dy] of places) marks.layer.append(makeSvg("use", { href: `#${stands}`, x: x + dx, y: y + dy }));
  }
}

function makeKind({ kind, name, ground, stands }) {
  const button = make("button", "terrain", { type: "button" });
  button.dataset.kind = kind;
  const sample = makeSvg("svg", { viewBox: "0 0 56 40", class: "board sample", "aria-hidden": "true" });
  if (ground) sample.append(makeSvg("rect", { class: ground, x: 1, y: 1, width: 54, height: 38, rx: 8 }), makeSvg("use", { href: `#${stands}`, x: 28, y: 21 }));
  const words = make("span", "words");
  const strong = document.createElement("strong");
  strong.textContent = name;
  words.append(strong, " ", make("span", "amount faint"));
  button.append(sample, words);
  return button;
}
