// The page to try a line on: the visitor moves for everybody, goes back, and makes other moves, which become branches.

import { formatProblem, readBot, readForm, saltDice, send } from "/assets/commands.js";
import { Composer } from "/assets/composer.js";
import { Dice, drawBelow } from "/assets/dice.js";
import { exploreBeside } from "/assets/explored.js";
import { MAX_STEPS, Node, pack, unpack } from "/assets/line_tree.js";
import { swapBoard } from "/assets/motion.js";
import { fillOptions } from "/assets/options.js";
import { gettext, ngettext } from "/assets/speech.js";
import { explainMoves, explainRefusal, listMoves, showThinking } from "/assets/suggestions.js";
import { Refused, askPosition, askSuggestion, readDrawing } from "/assets/variation.js";

const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };
const SIGN = "#l=";
// The line is in this browser's memory, because the link to it is too long to be passed on.
const KEPT = "#kept";
const KEPT_AT = "plyscribe-line";
const LONG = 2_000;
const MAX_NEXT = 4_000;
const REST_MS = 250;
// Positions that are kept, with their drawings.
const MAX_KEPT = 80;
// The API takes no more steps in a request.
const MAX_PATH = 1_000;
// Branches of a link that are put into words at once.
const MAX_TOLD = 40;
const MAX_FACES = 20;

const root = document.getElementById("analysis");
const find = (id) => document.getElementById(id);
const data = JSON.parse(root.dataset.analysis);
const player = root.dataset.player ?? null;

let tree = new Node();
let here = tree;
let shown = null;
let wanted = null;
let view = data.view;
let thinking = null;
let resting = 0;
let writing = 0;
let isUnwritten = false;
let taking = false;
const kept = [];

const composer = new Composer(find("composer"), find("board"), {
  findTouched: async (touches) => (await ask(here, { touches })).touched,
  submit: (move) => take({ move }),
  explainPause: () => (shown ? sayTurn(shown.turn) : find("fault").textContent),
  clauses: `/rulesets/${data.ruleset}?version=${data.version}`,
});
find("typing").hidden = true;
find("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  step(event.submitter.dataset.step);
});
find("turn").addEventListener("click", turnBoard);
find("line").addEventListener("click", chooseInLine);
find("cut").addEventListener("click", () => cut(here));
find("suggest")?.addEventListener("submit", suggest);
find("fork")?.addEventListener("submit", playOn);
find("leaving")?.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  take({ withdraw: Number(find("leaver").value) });
});
const explored = exploreBeside(nameExplored);
offerStart();
document.addEventListener("keydown", stepByKey);
// Links to parts of this page lead away from no line.
addEventListener("popstate", () => (isPart(location.hash) ? writeAddress(false) : restore()));
addEventListener("pageshow", ({ persisted }) => persisted && shown && showFork(shown.turn));
restore();

// --------------------------------------------------------------------------------------------- positions and steps

function ask(node, more = {}) {
  return askPosition(data.ruleset, data.start, node.steps(), { seen_from: view, ...more }, data.query);
}

/** The position after a node's step, seen from the present view. What its path tells is remembered with the nodes. */
async function load(node) {
  if (node.position) return node.position;
  const seen = view;
  const path = node.path();
  const story = path.some((each) => !each.told);
  const position = await ask(node, { picture: true, story });
  position.story?.forEach((told, at) => (path[at].told = told));
  if (seen !== view) return load(node);
  if (!node.position) kept.push(node);
  node.position = position;
  if (kept.length > MAX_KEPT) kept.shift().position = null;
  return position;
}

/**
 * Stand at a node, which may be one of another tree. Resolves to whether its position is shown now.
 *
 * `isNew`: the browser's back button returns. `isNamed`: the address names the place.
 */
async function go(node, { isNew = false, isNamed = true } = {}) {
  wanted = node;
  stopThinking();
  let position;
  try {
    position = await load(node);
  } catch (error) {
    if (wanted === node) fail(error, node);
    // What cannot be loaded can be asked for again.
    if (wanted === node && shown) wanted = here;
    return false;
  }
  if (wanted !== node) return false;
  say("");
  const [from, before] = [here, shown];
  here = node;
  shown = position;
  showTree(node.root());
  for (const each of node.path()) each.parent.favourite = each;
  const [effects, direction] = findMotion(from, before, node, position);
  composer.forget();
  find("suggested").replaceChildren();
  swapBoard(find("board"), readDrawing(position), effects, direction);
  show();
  if (node.told) composer.say(node.told.sentences.join(" "));
  if (isNamed) writeAddress(isNew);
  else nameNothing();
  return true;
}

/** Let the line be this tree from now on. */
function showTree(root) {
  if (root === tree) return;
  tree = root;
  kept.splice(0, kept.length, ...[tree, ...tree.list()].filter((node) => node.position));
}

function findMotion(from, before, node, position) {
  if (node.parent === from) return [position.step.effects, 1];
  if (from.parent === node && before?.step) return [before.step.effects, -1];
  return [[], 0];
}

/** Say what is wrong. If the rules refuse a step of the line, stand before it. */
function fail(error, node) {
  if (!(error instanceof Refused)) throw error;
  const number = error.problem.step;
  if (!Number.isInteger(number)) return say(formatProblem(error.problem));
  const refused = node.path()[number];
  const text = gettext("Step %(number)s of this line is not allowed: %(why)s", { number: number + 1, why: error.message });
  go(refused.parent).then((isThere) => isThere && say(text));
}

/** Take a step from here: a known one is entered, another one becomes a branch. One at a time. */
async function take(step) {
  if (taking || !shown) return false;
  taking = true;
  try {
    return await tryStep(step);
  } finally {
    taking = false;
  }
}

async function tryStep(step) {
  if (here.path().length >= MAX_PATH) {
    return refuse(gettext("A line ends after %(count)s steps. Go back to try something else.", { count: MAX_PATH }));
  }
  const before = here.children.length;
  const node = here.add(step);
  const isNew = here.children.length > before;
  if (isNew && tree.list().length > MAX_STEPS) {
    node.remove();
    return refuse(gettext("A line has at most %(count)s steps with all its branches. Delete a branch to go on.", { count: MAX_STEPS }));
  }
  wanted = node;
  try {
    await load(node);
  } catch (error) {
    if (isNew) node.remove();
    if (wanted === node) wanted = here;
    if (!(error instanceof Refused)) throw error;
    return refuse(formatProblem(error.problem), error.problem.clause);
  }
  if (wanted === node) return go(node, { isNew: true });
  // The visitor has gone elsewhere meanwhile. Within this line, the step stays where it was taken.
  if (isNew && wanted.root() === node.root()) {
    showLine();
    showSteps();
    writeAddress(true);
  } else if (isNew) {
    node.remove();
  }
  return false;
}

function refuse(text, clause = null) {
  if (shown.turn.decision) composer.refuse(text, clause);
  else say(text);
  return false;
}

function step(where) {
  const from = wanted ?? here;
  const target = { first: from.root(), previous: from.parent ?? from, next: from.next() ?? from, last: from.last() }[where];
  if (target !== from || !shown) go(target);
}

function stepByKey(event) {
  const isElsewhere = event.target.closest("input, select, textarea, [contenteditable], #board");
  if (isElsewhere || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
  event.preventDefault();
  step(KEYS[event.key]);
}

async function turnBoard() {
  view = (view % data.names.length) + 1;
  for (const node of kept.splice(0)) node.position = null;
  find("board").dataset.seat = view;
  const address = new URL(location.href);
  address.searchParams.set("seen", view);
  history.replaceState(history.state, "", address);
  // A step that is being taken is shown in the new view.
  if (!taking) await go(wanted ?? here);
}

// --------------------------------------------------------------------------------------------------------- showing

function show() {
  const { turn } = shown;
  const out = listLeft();
  for (const bar of find("players").children) {
    const seat = Number(bar.dataset.seat);
    const isDue = turn.decision === seat || turn.roll?.seat === seat;
    bar.classList.toggle("on-turn", isDue);
    bar.classList.toggle("gone", out.has(seat));
    bar.querySelector(".hidden-visually").hidden = !isDue;
    bar.querySelector(".faint").hidden = !out.has(seat);
  }
  find("now").textContent = sayTurn(turn);
  composer.update(turn.decision ?? null);
  putDice(turn.roll);
  showLine();
  showSteps();
  showLeaving(turn, out);
  showFork(turn);
  if (find("ask")) find("ask").disabled = !turn.decision;
  explored();
}

/** Where what was played from the present position can be loaded. */
function nameExplored() {
  const address = new URL(find("beside").dataset.explored, location.href);
  const steps = here.steps().map(({ move, values, withdraw }) => move ?? (values ? `[${values}]` : `[leave ${withdraw}]`));
  address.searchParams.set("moves", steps.join(";"));
  return address.pathname + address.search;
}

function sayTurn({ decision, roll, over }) {
  if (decision) return gettext("It is %(name)s's turn.", { name: nameOf(decision) });
  if (roll) {
    const who = roll.seat ? gettext("%(name)s must roll", { name: nameOf(roll.seat) }) : gettext("The dice must be rolled");
    return `${[who, data.purposes[roll.purpose]].filter(Boolean).join(" ")}.`;
  }
  const winners = over.ranks.flatMap((rank, at) => (rank === 1 ? [nameOf(at + 1)] : []));
  const names = winners.join(", ");
  const result =
    winners.length === over.ranks.length
      ? gettext("A draw")
      : winners.length === 1
        ? gettext("%(name)s wins", { name: names })
        : gettext("%(names)s share first place", { names });
  return `${[result, data.ways[over.reason]].filter(Boolean).join(" ")}.`;
}

function nameOf(seat) {
  return data.names[seat - 1];
}

function listLeft() {
  return new Set([...data.left, ...here.steps().map((each) => each.withdraw).filter(Boolean)]);
}

function showSteps() {
  for (const button of find("controls").querySelectorAll("[data-step]")) {
    const isBack = ["first", "previous"].includes(button.dataset.step);
    button.setAttribute("aria-disabled", String(isBack ? here === tree : !here.next()));
  }
  find("cut").hidden = here === tree;
}

function showLeaving({ over }, out) {
  const place = find("leaving");
  if (!place) return;
  place.hidden = Boolean(over);
  for (const option of find("leaver").options) option.disabled = out.has(Number(option.value));
  if (find("leaver").selectedOptions[0]?.disabled) find("leaver").value = [...find("leaver").options].find((each) => !each.disabled)?.value;
}

function say(text) {
  find("fault").textContent = text;
}

// -------------------------------------------------------------------------------------------------------- the line

let items = new Map();

/** List the whole tree: each line in order, its branches below the step that they replace. */
function showLine() {
  const focused = find("line").contains(document.activeElement) && document.activeElement.node;
  items = new Map();
  const list = makeList(tree);
  list.prepend(makeItem(tree));
  find("line").replaceChildren(list);
  if (focused) (items.get(focused) ?? items.get(here)).focus({ preventScroll: true });
  const current = items.get(here);
  current.setAttribute("aria-current", "true");
  const frame = find("line");
  frame.scrollTop = current.offsetTop - (frame.clientHeight - current.offsetHeight) / 2;
}

function makeList(node) {
  const list = document.createElement("ol");
  for (let at = node; at.children.length; ) {
    const [first, ...others] = at.children;
    list.append(makeItem(first), ...others.map(makeBranch));
    at = first;
  }
  return list;
}

function makeBranch(node) {
  const branch = document.createElement("li");
  branch.className = "branch";
  const list = makeList(node);
  list.prepend(makeItem(node));
  const drop = make("button", "✕", "quiet");
  drop.type = "button";
  drop.dataset.drops = "";
  drop.node = node;
  drop.setAttribute("aria-label", gettext("Delete the branch: %(move)s", { move: sayStep(node) }));
  branch.append(drop, list);
  return branch;
}

function makeItem(node) {
  const item = document.createElement("li");
  const button = make("button", "");
  button.type = "button";
  button.node = node;
  const { told } = node;
  if (told?.kind === "move") button.append(make("i", told.ply));
  if (told?.seat) button.append(find("players").querySelector(`[data-seat="${told.seat}"] svg`).cloneNode(true));
  button.append(make("span", sayStep(node)));
  for (const value of node.step?.values ?? []) button.append(" ", make("span", value, "die"));
  item.append(button);
  items.set(node, button);
  return item;
}

function sayStep({ step, told }) {
  if (!step) return data.start.ply ? gettext("The position of the match") : gettext("Beginning");
  if (told?.sentences.length) return told.sentences.join(" ");
  if (step.values) return told?.seat ? gettext("%(name)s rolled", { name: nameOf(told.seat) }) : gettext("Rolled");
  return step.withdraw ? gettext("%(name)s leaves.", { name: nameOf(step.withdraw) }) : step.move;
}

function chooseInLine({ target }) {
  const button = target.closest("button");
  if (!button) return;
  if ("drops" in button.dataset) cut(button.node);
  else go(button.node);
}

/** Delete a step with all that follows it. The browser's back button brings it back. */
async function cut(node) {
  const hadFocus = document.activeElement === find("cut");
  const isWithin = here.isWithin(node);
  const isLeft = isWithin || wanted.isWithin(node);
  if (isLeft && !(await go(isWithin ? node.parent : here))) return;
  node.remove();
  showLine();
  showSteps();
  writeAddress(true);
  if (hadFocus && find("cut").hidden) items.get(here).focus();
}

/** Say in words what the branches do that a link has brought. */
async function tellBranches(root) {
  const ends = root.list().filter((node) => !node.children.length && !node.told);
  for (const node of ends.slice(0, MAX_TOLD)) {
    if (tree !== root) return;
    try {
      const { story } = await ask(node, { story: true });
      node.path().forEach((each, at) => (each.told ??= story[at]));
    } catch {
      // It stays in notation.
      return;
    }
  }
  if (tree === root) showLine();
}

// ------------------------------------------------------------------------------------------------------- the link

/** Name the line and the place in the address, soon. A change of the line is a step for the back button, at once. */
async function writeAddress(isNew) {
  clearTimeout(resting);
  const turn = ++writing;
  isUnwritten ||= isNew;
  const isPlain = here === tree && !tree.children.length;
  const text = isPlain ? "" : await pack(tree, here);
  if (turn !== writing) return;
  const address = `${location.pathname}${location.search}${text && SIGN + text}`;
  const write = () => {
    const how = isUnwritten ? "pushState" : "replaceState";
    isUnwritten = false;
    if (address !== location.pathname + location.search + location.hash) history[how](null, "", address);
  };
  if (isUnwritten) write();
  else resting = setTimeout(write, REST_MS);
  showLink(address);
}

function showLink(address) {
  const link = location.origin + address;
  find("link").value = link;
  find("link-says").textContent =
    link.length > LONG
      ? gettext("This link has become long: %(count)s characters. Some programs cut long links. Delete branches that you do not need.", { count: link.length })
      : gettext("The link holds the whole line with all its branches. Nothing of it is on the server.");
  keepThrough(address);
}

/** Let signing in, and another language, lead back to this line. */
function keepThrough(address) {
  let next = address;
  if (address.length > MAX_NEXT) {
    next = location.pathname + location.search + KEPT;
    try {
      sessionStorage.setItem(KEPT_AT, address.slice(address.indexOf("#")));
    } catch {
      // This browser stores nothing: the back button leads back.
    }
  }
  for (const link of document.querySelectorAll("a[href^='/sign-in']")) {
    const target = new URL(link.href);
    target.searchParams.set("next", next);
    link.href = target.pathname + target.search;
  }
  for (const form of document.querySelectorAll("form.languages")) form.action = `/language?next=${encodeURIComponent(next)}`;
}

/** The address names no line: the line is not written into it until the visitor makes a move. */
function nameNothing() {
  clearTimeout(resting);
  writing += 1;
  showLink(location.pathname + location.search);
}

function isPart(hash) {
  return hash.length > 1 && !hash.startsWith(SIGN) && document.getElementById(hash.slice(1)) !== null;
}

/** The line that was kept in this browser; nothing if there is none. */
function recallKept() {
  try {
    return sessionStorage.getItem(KEPT_AT) ?? "";
  } catch {
    // This browser stores nothing.
    return "";
  }
}

/** Show what the address names: the line with its branches, and the place in it. */
async function restore() {
  clearTimeout(resting);
  writing += 1;
  isUnwritten = false;
  const hash = location.hash === KEPT ? recallKept() : location.hash;
  let [begun, place, fault] = [new Node(), null, ""];
  if (hash.startsWith(SIGN)) {
    try {
      ({ root: begun, here: place } = await unpack(hash.slice(SIGN.length)));
    } catch (error) {
      fault =
        error instanceof RangeError
          ? gettext("The link is too long to be one of ours. The board shows the position without a line. The address still has the link.")
          : gettext("The link is damaged: part of it may be missing. Copy all of it and open it again. Until then the board shows the position without a line.");
    }
  } else if (hash.length > 1 && !isPart(hash)) {
    fault = gettext("The end of this link names no line. The board shows the position without one.");
  }
  if (!place) place = data.begun.reduce((node, each) => node.add(each), begun);
  begun.adopt(tree);
  if (!(await go(place, { isNamed: !fault }))) return;
  if (fault) say(fault);
  else tellBranches(begun);
}

// ------------------------------------------------------------------------------------------------------------ dice

/** Let the visitor choose what the due dice show, or roll them. */
function putDice(roll) {
  const place = find("dice");
  const isTyping = place.contains(document.activeElement);
  if (!roll) return place.replaceChildren();
  const { count, sides } = roll;
  const form = find("rolling").content.firstElementChild.cloneNode(true);
  form.querySelector("h2").textContent = ngettext("One die with %(sides)s sides", "%(num)s dice with %(sides)s sides", count, { sides });
  const enter = async (values) => {
    // What was not taken can be entered again.
    if (!(await take({ values })) && shown.turn.roll === roll) putDice(roll);
  };
  form.querySelector("[data-draw]").addEventListener("click", () => enter(Array.from({ length: count }, () => drawBelow(sides) + 1)));
  // Dice with more sides draw lots: their numbers mean nothing to people.
  form.querySelector(".hint").hidden = sides > MAX_FACES;
  if (sides <= MAX_FACES) {
    const dice = new Dice(form, roll, (isChosen) => isChosen && dice.isWhole && enter(dice.values));
  }
  place.replaceChildren(form);
  if (isTyping) form.querySelector(".face, [data-draw]").focus({ preventScroll: true });
}

// ----------------------------------------------------------------------------------------------------- suggestions

/** Ask a bot for moves, and list them. Whoever waits can cancel. */
async function suggest(event) {
  event.preventDefault();
  stopThinking();
  const [place, playouts, node] = [find("suggested"), Number(find("playouts").value), here];
  const mine = (thinking = new AbortController());
  showThinking(place, () => {
    stopThinking();
    find("ask").focus();
  });
  find("ask").disabled = true;
  try {
    const found = await askSuggestion(data.ruleset, data.start, node.steps(), playouts, { query: data.query, signal: mine.signal });
    if (thinking !== mine) return;
    const name = nameOf(found.seat);
    place.replaceChildren(
      listMoves(found, name, { preview: (each) => preview(node, each), take: ({ move }) => here === node && take({ move }) }),
      explainMoves(playouts),
    );
  } catch (error) {
    if (error.name === "AbortError" || thinking !== mine) return;
    place.replaceChildren(make("p", explainRefusal(error), "refusal"));
    if (error.status === 401) offerSignIn(place);
  } finally {
    if (thinking === mine) {
      thinking = null;
      find("ask").disabled = !shown.turn.decision;
    }
  }
}

function stopThinking() {
  if (!thinking) return;
  thinking.abort();
  thinking = null;
  find("suggested").replaceChildren();
  find("ask").disabled = !shown?.turn.decision;
}

let previewed = null;

/** Draw on the board what a suggested move would do; with null, draw what was there before. */
async function preview(node, each) {
  previewed = each;
  if (!each) return composer.preview(null);
  try {
    each.picture ??= (await askPosition(data.ruleset, data.start, [...node.steps(), { move: each.move }], { seen_from: view, picture: true }, data.query)).picture;
  } catch (error) {
    // The move can be taken without being seen before.
    if (error instanceof Refused) return;
    throw error;
  }
  if (previewed === each && here === node) composer.preview(each);
}

function offerSignIn(place) {
  const link = make("a", gettext("Sign in for suggestions"), "button second");
  link.href = "/sign-in?next=";
  place.append(link);
  keepThrough(find("link").value.slice(location.origin.length));
}

// ---------------------------------------------------------------------------------------------------------- matches

function showFork({ decision, over }) {
  const form = find("fork");
  if (!form) return;
  const lines = over
    ? [gettext("The game is over here. Go back a move to play on.")]
    : [
        ngettext("A new match begins with the one move that led to this position.", "A new match begins with the %(num)s moves that led to this position.", shown.ply),
        ...(here === tree ? [] : [gettext("Everybody who reads it sees that your line was tried out, not played.")]),
        gettext("If the game has dice, the server rolls new ones. The match does not count for ratings. Your line stays here as it is."),
        ...(data.is_private ? [gettext("The new match is private, as this one is.")] : []),
      ];
  find("fork-says").textContent = lines.join(" ");
  form.querySelector("button").disabled = Boolean(over);
  if (form.dataset.chosen || !decision) return;
  form.dataset.chosen = "yes";
  for (const [at, select] of form.querySelectorAll("select").entries()) select.value = at + 1 === decision ? "me" : "greedy";
}

/** Start a match that begins with the line up to here. */
async function playOn(event) {
  event.preventDefault();
  const form = event.target;
  const [button, refused] = [form.querySelector("button"), find("fork-refused")];
  button.disabled = true;
  refused.textContent = "";
  const seats = new FormData(form).getAll("seat").map((who) => (who === "me" ? { player } : who === "open" ? null : readBot(who)));
  const { match, options, ruleset_version } = data.start;
  const body = match ? { ...cutOff(here.steps()), seats } : { ruleset: data.ruleset, ruleset_version, options, seats, steps: here.steps() };
  const { ok, answer } = await send(data.forks, body);
  if (ok) {
    await saltDice(answer, body);
    return location.assign(`/matches/${answer.match}/play`);
  }
  refused.textContent = formatProblem(answer);
  button.disabled = false;
}

/** From which ply of the match the steps go on, without those that are the match's own. */
function cutOff(steps) {
  const isOwn = data.begun.every((each, at) => JSON.stringify(each) === JSON.stringify(steps[at]));
  return isOwn ? { ply: data.ply, steps: steps.slice(data.begun.length) } : { ply: data.start.ply, steps };
}

/** Let the visitor begin with other seats and options: another page of the same kind. */
function offerStart() {
  const form = find("start");
  if (!form) return;
  find("seats").value = data.start.seats;
  fillOptions(data.start.options);
  find("preset")?.addEventListener("change", (event) => fillOptions(JSON.parse(event.target.value || "{}")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { options = {} } = readForm(form);
    const query = new URLSearchParams({ version: data.version, seats: find("seats").value, options: JSON.stringify(options) });
    location.assign(`${location.pathname}?${query}`);
  });
}

function make(tag, text, name = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className: name });
}
