// Marks on a board, drawn over its picture: what can be chosen, what is chosen, and what a move would change.

const SVG = "http://www.w3.org/2000/svg";
// Two strokes, dark and light: one of them stands out against whatever is below.
const STROKES = ["dark", "light"];
const DENSE_PX = 44;

/** Draws on the picture in `board`; the picture may be another one each time. */
export class BoardMarks {
  constructor(board) {
    this.board = board;
  }

  get picture() {
    return this.board.querySelector("svg.board");
  }

  /** Remove all marks. */
  clear() {
    this.layer?.remove();
    this.layer = null;
    for (const name of ["choice", "chosen", "source", "leaving"]) {
      for (const part of this.board.querySelectorAll(`.${name}`)) part.classList.remove(name);
    }
  }

  /**
   * Mark what can be chosen and what was chosen. `sources` are choices that lead on, so they can be dragged.
   * With `after`, the picture of the position after a move, show what the move would change; `seat` makes the move.
   */
  draw({ choices, sources, chosen, after, seat }) {
    this.clear();
    const { picture } = this;
    if (!picture) return;
    this.layer = make("g", { class: "marks" });
    picture.append(this.layer);
    // What can be touched first is mostly much, so it is marked lightly.
    this.layer.classList.toggle("lightly", chosen.length === 0);
    for (const touch of chosen) this.markChosen(touch);
    this.dots = [];
    for (const touch of choices) this.markChoice(touch, sources.has(touch));
    this.drawDots();
    if (after) this.showAfter(after, seat);
  }

  /** The part of the board that this touch names. */
  find(touch) {
    return this.board.querySelector(`[data-touch="${CSS.escape(touch)}"]`);
  }

  /** All parts that can be touched and are to be seen. */
  list() {
    return [...this.board.querySelectorAll("[data-touch]")].filter((part) => part.matches(".choice, .chosen, :not(.handle)"));
  }

  markChoice(touch, leadsOn) {
    if (!this.find(touch) && !this.drawArrow(touch)) return;
    const part = this.find(touch);
    part.classList.add("choice");
    part.classList.toggle("source", leadsOn);
    if (part.matches(".touch-arrow")) return;
    if (this.isEmpty(part, touch)) this.dots.push(this.measure(part.firstElementChild ?? part));
    else this.drawOutline(part, "can");
  }

  markChosen(touch) {
    const part = this.find(touch) ?? this.drawArrow(touch);
    if (!part) return;
    part.classList.add("chosen");
    if (!part.matches(".touch-arrow")) this.drawOutline(part, "is");
  }

  /** Whether nothing stands on this field; as a first choice, nothing that belongs to a seat. */
  isEmpty(part, touch) {
    const thing = this.layer.matches(".lightly") ? "[data-owner]" : "";
    const inside = part.querySelector(`[data-key]${thing}`);
    return part.hasAttribute("data-place") && !inside && !this.picture.querySelector(`[data-at="${CSS.escape(touch)}"]${thing}`);
  }

  drawOutline(part, kind) {
    const outline = part.firstElementChild ?? part;
    const matrix = this.relate(outline);
    for (const stroke of STROKES) {
      const edge = outline.cloneNode(false);
      for (const { name } of [...edge.attributes]) if (!GEOMETRY.has(name)) edge.removeAttribute(name);
      edge.setAttribute("class", `mark ${kind} ${stroke}${this.isDense(outline) ? " dense" : ""}`);
      edge.setAttribute("transform", matrix);
      this.layer.append(edge);
    }
  }

  /** Dots of one size in the middle of empty fields. */
  drawDots() {
    const sizes = this.dots.map(({ size }) => size).sort((one, other) => one - other);
    const unit = sizes[Math.floor(sizes.length / 2)];
    const shares = this.layer.matches(".lightly") ? [0.1, 0.06] : [0.16, 0.1];
    for (const { x, y } of this.dots) {
      STROKES.forEach((stroke, at) => this.layer.append(make("circle", { class: `mark dot ${stroke}`, cx: x, cy: y, r: round(shares[at] * unit) })));
    }
  }

  /** Draw the arrow that a touch `a>b` stands for; null if the board has no such places. */
  drawArrow(touch) {
    const ends = touch.split(">").map((place) => this.board.querySelector(`[data-place="${CSS.escape(place)}"]`));
    if (ends.length !== 2 || ends.includes(null)) return null;
    const [from, to] = ends.map((end) => this.measure(end.firstElementChild ?? end));
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const length = Math.hypot(dx, dy);
    const [ux, uy, size] = [dx / length, dy / length, Math.min(from.size, to.size)];
    // The arrow that points the other way lies beside it.
    const [x, y] = [from.x - uy * size * 0.2, from.y + ux * size * 0.2];
    const at = (way, aside) => `${round(x + ux * way - uy * aside)},${round(y + uy * way + ux * aside)}`;
    const [start, end, head] = [0.12 * size, length - 0.12 * size, 0.3 * size];
    const line = `M${at(start, 0)}L${at(end, 0)}`;
    const tip = `M${at(end - head, head * 0.6)}L${at(end, 0)}L${at(end - head, -head * 0.6)}`;
    const arrow = make("g", { class: "touch-arrow", "data-touch": touch });
    arrow.append(make("path", { class: "reach", d: `M${at(start, 0)}L${at(end, 0)}` }));
    const dense = this.isDense(ends[0].firstElementChild ?? ends[0]) || this.isDense(ends[1].firstElementChild ?? ends[1]);
    for (const stroke of STROKES) arrow.append(make("path", { class: `mark ${stroke}${dense ? " dense" : ""}`, d: line + tip }));
    this.layer.append(arrow);
    return arrow;
  }

  /** Show what comes as ghosts, cross out what is lost, fade what moves away, and show what turns. */
  showAfter(text, seat) {
    const after = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (after.getAttribute("viewBox") !== this.picture.getAttribute("viewBox")) return;
    const here = keyed(this.picture);
    const there = keyed(after);
    const come = [...there.entries()].filter(([key]) => !here.has(key)).map(([, part]) => part);
    const gone = [...here.entries()].filter(([key]) => !there.has(key)).map(([, part]) => part);
    // A stack that becomes smaller is another stack in the same place.
    const sort = ({ dataset }) => `${dataset.key.split("-")[0]} ${dataset.at}`;
    const filled = new Set(come.map(sort));
    for (const part of gone) part.classList.add("leaving");
    this.layer.append(...keepOnly(after, come).map((part) => document.importNode(part, true)));
    for (const part of gone) {
      const { owner } = part.dataset;
      if (owner && Number(owner) !== seat && !filled.has(sort(part))) this.crossOut(part);
    }
    for (const part of after.querySelectorAll("[data-turn]")) this.drawTurn(part.dataset);
  }

  crossOut(part) {
    const { x, y, size } = this.measure(part);
    const arm = round(0.32 * size);
    for (const stroke of STROKES) {
      this.layer.append(make("path", { class: `mark cross ${stroke}`, d: `M${x - arm},${y - arm}l${2 * arm},${2 * arm}m0,${-2 * arm}l${-2 * arm},${2 * arm}` }));
    }
  }

  /** A curved arrow from the last chosen part, by the angle that its surroundings turn. */
  drawTurn({ turn, about }) {
    const [cx, cy] = about.split(/[ ,]+/).map(Number);
    const chosen = [...this.board.querySelectorAll(".chosen[data-touch]")].map((part) => this.measure(part.firstElementChild ?? part));
    const start = chosen.find(({ x, y, size }) => Math.hypot(x - cx, y - cy) > size) ?? { x: cx, y: cy - 40, size: 40 };
    const [radius, angle] = [Math.hypot(start.x - cx, start.y - cy), Math.atan2(start.y - cy, start.x - cx)];
    const by = (Number(turn) * Math.PI) / 180;
    const end = angle + by;
    const at = (way, far) => `${round(cx + Math.cos(way) * far)},${round(cy + Math.sin(way) * far)}`;
    const head = 0.3 * start.size;
    const back = end - (Math.sign(by) * head) / radius;
    const arc = `M${at(angle, radius)}A${round(radius)},${round(radius)} 0 ${Math.abs(by) > Math.PI ? 1 : 0} ${by > 0 ? 1 : 0} ${at(back, radius)}`;
    const tip = `M${at(back, radius + head * 0.6)}L${at(end, radius)}L${at(back, radius - head * 0.6)}Z`;
    for (const stroke of STROKES) this.layer.append(make("path", { class: `mark turn ${stroke}`, d: arc + tip }));
  }

  /** The middle and the smaller side of a part, in units of the drawing. */
  measure(part) {
    const { x, y, width, height } = part.getBBox();
    const middle = new DOMPoint(x + width / 2, y + height / 2).matrixTransform(this.relation(part));
    const { a, b } = this.relation(part);
    return { x: round(middle.x), y: round(middle.y), size: Math.min(width, height) * Math.hypot(a, b) };
  }

  isDense(part) {
    const { width, height } = part.getBoundingClientRect();
    return Math.min(width, height) < DENSE_PX;
  }

  relation(part) {
    return this.layer.getCTM().inverse().multiply(part.getCTM());
  }

  relate(part) {
    const { a, b, c, d, e, f } = this.relation(part);
    return `matrix(${[a, b, c, d, e, f].join(" ")})`;
  }
}

const GEOMETRY = new Set(["d", "points", "cx", "cy", "r", "rx", "ry", "x", "y", "width", "height", "x1", "y1", "x2", "y2"]);

function keyed(picture) {
  return new Map([...picture.querySelectorAll("[data-key]")].map((part) => [part.dataset.key, part]));
}

/** The children of a picture, reduced to these parts; what they refer to is the same in all pictures of a game. */
function keepOnly(picture, parts) {
  const kept = new Set(parts);
  const around = new Set();
  for (const part of parts) for (let each = part.parentElement; each && each !== picture; each = each.parentElement) around.add(each);
  const prune = (part) => {
    if (kept.has(part)) {
      part.classList.add("ghost");
    } else if (around.has(part)) {
      [...part.children].forEach(prune);
    } else {
      part.remove();
      return;
    }
    for (const each of [part, ...part.querySelectorAll("*")]) {
      for (const name of ["data-touch", "data-place", "data-key", "data-at"]) each.removeAttribute(name);
    }
  };
  [...picture.children].forEach(prune);
  return [...picture.children];
}

function make(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function round(number) {
  return Math.round(number * 10) / 10;
}
