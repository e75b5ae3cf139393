// Lines with branches: a tree of steps, and the same as a short text for links.
//
// The text is JSON, packed and spelled in base64url: [the number of the step where the reader is, in the order of the
// list, and the list]. The list has the steps of a line. A list within it is a branch in place of the step before it.

export const MAX_STEPS = 2_000;
// Longer than any link that this page makes.
const MAX_TEXT = 60_000;
const MAX_UNPACKED = 500_000;

/** A step in the tree, with what can follow it. The root has no step. */
export class Node {
  constructor(step = null, parent = null) {
    Object.assign(this, { step, parent, children: [] });
    // Where "on" leads, what the server said about the step, and the position after it.
    this.favourite = null;
    this.told = null;
    this.position = null;
  }

  /** The node with this step after this one; it is added if there is none. */
  add(step) {
    const name = spell(step);
    const known = this.children.find((child) => spell(child.step) === name);
    if (known) return known;
    const child = new Node(step, this);
    this.children.push(child);
    return child;
  }

  remove() {
    const { parent } = this;
    parent.children.splice(parent.children.indexOf(this), 1);
    if (parent.favourite === this) parent.favourite = null;
  }

  /** The nodes from the first step to this one. */
  path() {
    const found = [];
    for (let node = this; node.parent; node = node.parent) found.unshift(node);
    return found;
  }

  root() {
    return this.path()[0]?.parent ?? this;
  }

  steps() {
    return this.path().map(({ step }) => step);
  }

  /** The node that "on" leads to; null at the end of a line. */
  next() {
    return this.favourite ?? this.children[0] ?? null;
  }

  /** The last node of the line that goes through this one. */
  last() {
    let node = this;
    while (node.next()) node = node.next();
    return node;
  }

  isWithin(node) {
    return this === node || (this.parent?.isWithin(node) ?? false);
  }

  /** All nodes below this one, in the order of links. */
  list() {
    const found = [];
    const left = [...this.children].reverse();
    while (left.length) {
      const node = left.pop();
      found.push(node);
      left.push(...[...node.children].reverse());
    }
    return found;
  }

  /** Take over what is known about the same steps of another tree. */
  adopt(other) {
    const pairs = [[this, other]];
    for (let [mine, theirs] = pairs.pop(); ; [mine, theirs] = pairs.pop()) {
      Object.assign(mine, { told: theirs.told, position: theirs.position });
      for (const child of mine.children) {
        const twin = theirs.children.find((each) => spell(each.step) === spell(child.step));
        if (twin) pairs.push([child, twin]);
      }
      if (!pairs.length) return;
    }
  }
}

/** The tree with the place of the reader, as a text for a link. */
export async function pack(root, here) {
  return toBase64(await pipe(new TextEncoder().encode(JSON.stringify([root.list().indexOf(here) + 1, write(root)])), new CompressionStream("deflate")));
}

/** The tree and the place in such a text: `{root, here}`. Throws if it is damaged or too long. */
export async function unpack(text) {
  if (text.length > MAX_TEXT) throw new RangeError("too long");
  const bytes = await pipe(fromBase64(text), new DecompressionStream("deflate"));
  const [place, list] = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const root = new Node();
  read(list, root);
  const all = root.list();
  if (!Number.isInteger(place) || place < 0 || place > all.length) throw new SyntaxError("no such place");
  if (all.length > MAX_STEPS) throw new RangeError("too long");
  const here = place ? all[place - 1] : root;
  for (const node of here.path()) node.parent.favourite = node;
  return { root, here };
}

function write(root) {
  const list = [];
  for (let node = root; node.children.length; ) {
    const [first, ...others] = node.children;
    list.push(spell(first.step), ...others.map((other) => [spell(other.step), ...write(other)]));
    node = first;
  }
  return list;
}

function read(list, root) {
  let [before, node] = [null, root];
  for (const item of list) {
    if (Array.isArray(item)) {
      if (!before || !item.length) throw new SyntaxError("a branch of nothing");
      read(item.slice(1), before.add(parse(item[0])));
    } else {
      [before, node] = [node, node.add(parse(item))];
    }
  }
}

/** A step as a text: dice as "=3,5", a player who leaves as "!2", a move as it is. */
function spell({ move, values, withdraw }) {
  if (values) return `=${values.join(",")}`;
  if (withdraw) return `!${withdraw}`;
  return /^[=!']/.test(move) ? `'${move}` : move;
}

function parse(text) {
  if (typeof text !== "string" || !text) throw new SyntaxError("no step");
  const rest = text.slice(1);
  if (text[0] === "=") return { values: rest.split(",").map(toNumber) };
  if (text[0] === "!") return { withdraw: toNumber(rest) };
  return { move: text[0] === "'" ? rest : text };
}

function toNumber(text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new SyntaxError("no number");
  return Number(text);
}

async function pipe(bytes, through) {
  const writer = through.writable.getWriter();
  // What is wrong with the bytes is thrown where they are read.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const parts = [];
  let size = 0;
  const reader = through.readable.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    size += value.length;
    if (size > MAX_UNPACKED) throw new RangeError("too long");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64(bytes) {
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text) {
  if (!/^[\w-]+$/.test(text)) throw new SyntaxError("not base64url");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
