// Motion on a board: puts a new drawing in the place of the old one, and shows what happened between them.
//
// Things slide from the place that an effect says they came from, what is gone fades, what is new grows, parts that
// turned rotate. All of it is over within LONGEST_MS and holds up nobody: the new drawing is there at once.

const SLIDE_MS = 200;
const APART_MS = 60;
const LONGEST_MS = 400;
const FORTH = 1;
// What a seat has beside the board.
const HOMES = ["reserve", "pool", "supply", "base"];

/** Whether the reader asks for as little motion as possible. */
export function isCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Put a fresh drawing into a container. `effects` are those of the steps between the drawings, in order.
 *
 * `direction` is 1 if the steps were made, -1 if they were taken back, 0 for no motion.
 */
export function swapBoard(container, fresh, effects = [], direction = FORTH) {
  const old = container.querySelector(":scope > svg");
  const seen = old && direction && !isCalm() ? read(old) : null;
  container.replaceChildren(fresh);
  if (!seen || !fresh.getScreenCTM || !fresh.getScreenCTM()) return;
  const whole = complete(effects, findPlaces(fresh));
  const moves = direction === FORTH ? whole : whole.map(turnBack).reverse();
  const turning = turn(old, fresh, direction);
  const now = read(fresh);
  const left = new Set([...seen.elements].filter(([key]) => !now.elements.has(key)).map(([, { dataset }]) => dataset.at));
  const places = findPlaces(fresh);
  const used = new Set();
  for (const [key, element] of now.elements) {
    if (seen.elements.has(key) || turning.some((group) => group.contains(element))) continue;
    const stops = trace(element.dataset, moves, places, used, left);
    if (stops) slide(element, stops.path, stops.index);
    else if (!isReplaced(element, seen.standing)) grow(element);
  }
  for (const [key, element] of seen.elements) {
    if (now.elements.has(key) || element.closest("[data-turn], [data-turned]") || isReplaced(element, now.standing)) continue;
    const went = moves.findIndex((move, index) => used.has(index) && leaves(element.dataset, move));
    if (went < 0) fade(fresh, element, seen.matrices.get(key));
  }
}

/** What can come and go in a drawing, by key; where each of it is; and what stands on each place. */
function read(drawing) {
  const elements = new Map();
  const matrices = new Map();
  const standing = new Set();
  const root = drawing.getScreenCTM?.();
  for (const element of drawing.querySelectorAll("[data-key]")) {
    // What is about to come is not there yet.
    if (element.closest(".marks")) continue;
    const { key, at, owner } = element.dataset;
    elements.set(key, element);
    if (at) standing.add(`${at} ${owner ?? ""}`);
    const parent = element.parentNode.getScreenCTM?.();
    if (root && parent) matrices.set(key, root.inverse().multiply(parent));
  }
  return { elements, matrices, standing };
}

/** Whether something of the same owner is on the same place in the other drawing: then it has only changed. */
function isReplaced(element, standing) {
  const { at, owner } = element.dataset;
  return at !== undefined && standing.has(`${at} ${owner ?? ""}`);
}

function turnBack(effect) {
  return { ...effect, from: effect.to, to: effect.from };
}

/**
 * The effects with the places that go without saying: what is placed comes from what its seat has beside the board,
 * and what goes through a portal goes to it and comes from it. `isSure` marks these.
 */
function complete(effects, places) {
  let through;
  return effects.map((effect) => {
    if (effect.kind === "launched") through = effect.to;
    if (effect.kind === "consumed" && through !== undefined) return { ...effect, to: through, isSure: true };
    if (effect.kind === "arrived" && through !== undefined) return { ...effect, from: through, isSure: true };
    if (!["placed", "attached"].includes(effect.kind) || effect.from !== undefined) return effect;
    const home = HOMES.find((name) => places.find(`${name}-${effect.seat}`, effect));
    return home === undefined ? effect : { ...effect, owner: effect.owner ?? effect.seat, from: home, isSure: true };
  });
}

function findPlaces(drawing) {
  const places = new Map();
  for (const element of drawing.querySelectorAll("[data-place]")) places.set(element.dataset.place, element);
  return {
    /** The place that an effect names: a field, or what its seat has beside the board. */
    find(name, { seat, owner }) {
      return [name, `${name}-${owner}`, `${name}-${seat}`].map((each) => places.get(each)).find(Boolean) ?? null;
    },
  };
}

function names(place, name, { seat, owner }) {
  return name !== undefined && (place === name || place === `${name}-${owner}` || place === `${name}-${seat}`);
}

function arrives({ at, owner }, move) {
  // What belongs to nobody, such as a portal, does not come from a seat.
  return move.from !== undefined && names(at, move.to, move) && isOf(owner, move) && !(move.isSure && owner === undefined);
}

function leaves({ at, owner }, move) {
  return move.to !== undefined && names(at, move.from, move) && isOf(owner, move);
}

/** Whether a thing of this owner can be what an effect moved: the piece of its owner, or else of its seat. */
function isOf(owner, move) {
  const mover = move.owner ?? move.seat;
  return owner === undefined || mover === undefined || Number(owner) === mover;
}

/**
 * The places that a thing came over, the first one first, by the moves that led to where it is; null if it came by none.
 *
 * Something has `left` the field that it came from: other effects, such as an arrow between two fields, move nothing.
 */
function trace(thing, moves, places, used, left) {
  const comes = (move) => arrives(thing, move) && places.find(move.from, move) && (move.isSure || isLeft(move, left));
  let index = moves.findLastIndex((move) => comes(move) || (arrives(thing, move) && hasCome(moves, move, thing)));
  if (index < 0) return null;
  const last = index;
  const path = [places.find(moves[index].from, moves[index])];
  used.add(index);
  for (let before = index - 1; before >= 0; before -= 1) {
    const move = moves[before];
    if (move.to !== moves[index].from || move.from === undefined || !isOf(thing.owner, move)) continue;
    const place = places.find(move.from, move);
    if (!place) break;
    path.unshift(place);
    used.add(before);
    index = before;
  }
  return { path, index: last };
}

function isLeft(move, left) {
  return [move.from, `${move.from}-${move.owner}`, `${move.from}-${move.seat}`].some((place) => left.has(place));
}

/** Whether something went on from the field to which an earlier move had brought it. */
function hasCome(moves, { from }, { owner }) {
  return moves.some((move) => move.from !== undefined && move.to === from && isOf(owner, move));
}

// ------------------------------------------------------------------------------------------------------- animations

function animate(element, frames, index = 0, more = {}) {
  const delay = Math.min(index * APART_MS, LONGEST_MS - SLIDE_MS);
  return element.animate(frames, { duration: SLIDE_MS, delay, easing: "ease-out", fill: "backwards", ...more });
}

/** Let an element come over the middles of places. The translation is in its own coordinates, after its transform. */
function slide(element, path, index) {
  const matrix = element.getScreenCTM();
  const end = middle(element);
  if (!matrix || !end) return;
  const frames = path.map((place) => {
    const start = middle(place);
    return { composite: "add", transform: format(toOwn(matrix, start.x - end.x, start.y - end.y)) };
  });
  animate(element, [...frames, { composite: "add", transform: "translate(0px, 0px)" }], index);
}

function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}

/** A distance on the screen as one in the coordinates of a matrix. */
function toOwn({ a, b, c, d }, x, y) {
  const size = a * d - b * c;
  return size ? { x: (d * x - c * y) / size, y: (a * y - b * x) / size } : { x: 0, y: 0 };
}

function format({ x, y }) {
  return `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px)`;
}

function grow(element) {
  const { x, y, width, height } = element.getBBox();
  const [cx, cy] = [x + width / 2, y + height / 2];
  animate(element, [
    { composite: "add", opacity: 0, transform: about(cx, cy, "scale(0.4)") },
    { composite: "add", transform: about(cx, cy, "scale(1)") },
  ]);
}

function about(x, y, what) {
  return `translate(${x}px, ${y}px) ${what} translate(${-x}px, ${-y}px)`;
}

/** Let a copy of what is gone fade on top of the fresh drawing. */
function fade(fresh, element, matrix) {
  const ghost = document.createElementNS("http://www.w3.org/2000/svg", "g");
  const copy = element.cloneNode(true);
  for (const each of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["data-key", "data-touch", "data-place", "tabindex", "role", "aria-label"]) each.removeAttribute(name);
  }
  ghost.setAttribute("aria-hidden", "true");
  ghost.setAttribute("class", "ghost gone");
  ghost.setAttribute("pointer-events", "none");
  if (matrix) ghost.setAttribute("transform", `matrix(${["a", "b", "c", "d", "e", "f"].map((each) => matrix[each]).join(" ")})`);
  ghost.append(copy);
  fresh.append(ghost);
  const end = () => ghost.remove();
  animate(ghost, [{ opacity: 1 }, { opacity: 0 }], 0, { fill: "both" }).finished.then(end, end);
}

/** Rotate what turned, from where it stood. Going back, the old drawing says what turned. Returns what rotates. */
function turn(old, fresh, direction) {
  const turned = [];
  const said = direction === FORTH ? fresh : old;
  for (const group of said.querySelectorAll("[data-turn]")) {
    const angle = Number(group.dataset.turn) * -direction;
    const [x, y] = group.dataset.about.split(" ").map(Number);
    const target = direction === FORTH ? group : findTwin(group, fresh);
    if (!target) continue;
    if (direction !== FORTH) target.dataset.turned = "";
    turned.push(target);
    animate(target, [
      { composite: "add", transform: about(x, y, `rotate(${angle}deg)`) },
      { composite: "add", transform: about(x, y, "rotate(0deg)") },
    ]);
  }
  return turned;
}

/** The part of another drawing that stands for the same place. */
function findTwin({ dataset }, drawing) {
  return dataset.place === undefined ? null : drawing.querySelector(`[data-place="${CSS.escape(dataset.place)}"]`);
}
