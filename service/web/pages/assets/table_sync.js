// Brings what was entered at a table to the server, each step with its own key, so that a step that is sent twice counts
// once. Steps that have gathered go together. What the server refuses stays, and people decide.

import { ask } from "/assets/asking.js";
import { makeKey } from "/assets/commands.js";
import { formatEvent, formatStep, writeCommand } from "/assets/step_texts.js";

const PAUSES_MS = [2_000, 5_000, 15_000, 30_000];
const PATIENCE_MS = 10_000;
const TOGETHER = 100;
const STEPS = new Set(["move-made", "dice-rolled", "seat-withdrawn"]);

export class TableSync {
  /**
   * `kept` has the entries. `changed(entries)` is called whenever they change, `sent()` when some are on the server, and
   * `over(problem)` when the code is no longer valid.
   */
  constructor(kept, { changed, sent, over }) {
    Object.assign(this, { kept, changed, sent, over, failures: 0, running: null, isAgain: false, waiting: new Map() });
    addEventListener("online", () => this.start());
    document.addEventListener("visibilitychange", () => document.hidden || this.start());
  }

  /** Keep an entry and send it as soon as possible; resolves to it. */
  async enter(entry) {
    const added = await this.kept.add({ key: makeKey(), at: Date.now(), ...entry });
    await this.tell();
    return added;
  }

  /** Resolves to what becomes of an entry: `{ok, status, answer}`, with status 0 while it waits for the network. */
  settle(entry) {
    const settled = new Promise((resolve) => this.waiting.set(entry.key, resolve));
    this.start();
    return settled;
  }

  answer(entry, answered) {
    this.waiting.get(entry.key)?.(answered);
    this.waiting.delete(entry.key);
  }

  async tell() {
    this.changed(await this.kept.list());
  }

  /** Send what waits. If that is under way, look again afterwards. */
  start() {
    clearTimeout(this.later);
    this.isAgain = true;
    this.running ??= this.run().finally(() => {
      this.running = null;
      if (this.isAgain) this.start();
    });
    return this.running;
  }

  async run() {
    while (this.isAgain) {
      this.isAgain = false;
      // Two windows of one browser take turns, where the browser can do that. Otherwise the keys keep them apart.
      if (navigator.locks) await navigator.locks.request(`table-${this.kept.code}`, () => this.sendAll());
      else await this.sendAll();
    }
  }

  async sendAll() {
    let count = 0;
    for (;;) {
      const entries = await this.kept.list();
      const [entry] = entries;
      if (!entry || entry.stopped) break;
      const went = await (entry.kind === "text" ? this.readText(entry) : this.sendTogether(this.gather(entries)));
      await this.tell();
      if (!went) break;
      count += 1;
    }
    for (const resolve of this.waiting.values()) resolve({ ok: false, status: 0, answer: {} });
    this.waiting.clear();
    if (count) this.sent();
  }

  /** The first entry, and the steps after it that can go with it: nobody waits for the answer to one of them. */
  gather(entries) {
    const [first] = entries;
    if (this.expect(first) === null) return [first];
    const goes = ({ key, kind, match, step, stopped }) =>
      kind === "step" && match === first.match && step && step.withdraw === undefined && !stopped && !this.waiting.has(key);
    const end = entries.findIndex((each) => !goes(each));
    return entries.slice(0, Math.max(1, Math.min(end < 0 ? entries.length : end, TOGETHER)));
  }

  /** As `send`, for steps that follow each other: all of them, those before one that is refused, or the first alone. */
  async sendTogether(entries) {
    const [first] = entries;
    if (entries.length === 1) return this.send(first);
    const answered = await this.post(
      `/v1/matches/${first.match}/moves`,
      { steps: entries.map(({ step }) => step) },
      { "Idempotency-Key": `${first.key}-and-${entries.length}`, "If-Match": `"${this.expect(first)}"` },
    );
    if (!answered) return false;
    const { ok, answer } = answered;
    if (!ok) return this.sendTogether(entries.slice(0, answer.step || 1));
    await this.finish(answer.version, ...entries);
    return true;
  }

  /** Send a step or a result; returns whether the next one can follow. */
  async send(entry) {
    const version = this.expect(entry);
    const answered = await this.post(entry.path, entry.body, { "Idempotency-Key": entry.key, ...(version === null ? {} : { "If-Match": `"${version}"` }) });
    if (!answered) return false;
    const { ok, status, answer } = answered;
    if (ok) {
      await this.finish(entry.kind === "step" ? answer.version : null, entry);
      this.answer(entry, answered);
      return true;
    }
    if (status === 412) return this.meet(entry, answer.events ?? [], answered);
    if (entry.isNow && this.waiting.has(entry.key)) {
      // Whoever entered it sees at once that it was refused.
      await this.kept.remove(entry);
      this.answer(entry, answered);
      return true;
    }
    return this.stop(entry, answer);
  }

  /** The version that an entry follows; null if it follows any. */
  expect(entry) {
    if (entry.kind === "result" || entry.version === null) return null;
    // It may have been entered while the one before it was being sent.
    return entry.version ?? (this.reached?.match === entry.match ? this.reached.version : null);
  }

  finish(version, ...entries) {
    if (version !== null) this.reached = { match: entries[0].match, version };
    return this.kept.finish(version, ...entries);
  }

  /** Others have recorded something since. If it is what was entered here, it is there already. */
  async meet(entry, events, answered) {
    const [first] = events;
    const isPlain = events.every(({ type }) => STEPS.has(type));
    if (first && isPlain && entry.step && formatEvent(first) === formatStep(entry.step)) {
      await this.finish(first.version, entry);
      this.answer(entry, { ok: true, status: 200, answer: {} });
      return true;
    }
    const entries = await this.kept.list();
    if (entry.isNow && this.waiting.has(entry.key) && entries.length === 1) {
      await this.kept.remove(entry);
      this.answer(entry, answered);
      return true;
    }
    return this.stop(entry, { code: "stream/version-conflict", events });
  }

  /** What was typed becomes steps, once the server can read it. */
  async readText(entry) {
    const answered = await this.post(`/v1/matches/${entry.match}/score-sheet`, { text: entry.text });
    if (!answered) return false;
    const { ok, answer } = answered;
    if (!ok) return this.stop(entry, answer);
    const version = this.expect(entry) ?? answer.version;
    if (version !== answer.version) return this.meetText(entry, version);
    if (answer.fault) return this.stop(entry, answer.fault);
    await this.replace(entry, answer.steps, version);
    return true;
  }

  replace(entry, steps, version) {
    const entries = steps.map(({ step }, number) => ({
      kind: "step",
      key: `${entry.key}-${number}`,
      at: entry.at,
      match: entry.match,
      step,
      text: formatStep(step),
      ...writeCommand(entry.match, step),
      ...(number ? {} : { version }),
    }));
    return this.kept.replace(entry, entries);
  }

  /** Others have recorded something before a typed text was read: leave out what is there already. */
  async meetText(entry, version) {
    const found = await this.get(`/v1/matches/${entry.match}/events?after=${version}`);
    if (!found) return false;
    const events = found.events ?? [];
    const before = await this.post(`/v1/matches/${entry.match}/score-sheet`, { text: entry.text, version });
    if (!before) return false;
    if (before.ok && !before.answer.fault) {
      // Each step meets its counterpart when it is sent.
      await this.replace(entry, before.answer.steps, version);
      return true;
    }
    return this.stop(entry, { code: "stream/version-conflict", events });
  }

  async stop(entry, problem) {
    await this.kept.update(entry, { stopped: problem, isNow: false });
    this.answer(entry, { ok: false, status: 0, answer: problem });
    return false;
  }

  /** What the server answers; null if it cannot be reached or is busy, and then it is asked again later. */
  async post(path, body, headers = {}) {
    return this.reach(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
  }

  async get(path) {
    return (await this.reach(path, { headers: { Accept: "application/json" } }))?.answer;
  }

  async reach(path, options) {
    try {
      const answered = await ask(path, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
      const answer = await answered.json().catch(() => ({}));
      this.failures = 0;
      if (answered.status === 401) this.over(answer);
      else if (![429, 500, 502, 503, 504].includes(answered.status)) return { ok: answered.ok, status: answered.status, answer };
      if (answered.status === 401) return null;
      this.retry(1_000 * Number(answered.headers.get("Retry-After") ?? 0));
    } catch {
      this.retry();
    }
    return null;
  }

  retry(atLeastMs = 0) {
    const pauseMs = PAUSES_MS[Math.min(this.failures, PAUSES_MS.length - 1)];
    this.failures += 1;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.start(), Math.max(pauseMs, atLeastMs));
  }

  // -------------------------------------------------------------------------------------------------- people decide

  /** Send an entry again, whatever was recorded since. The seat on turn may be another one by now. */
  async sendAgain(entry) {
    const command = entry.step ? writeCommand(entry.match, entry.step) : {};
    await this.kept.update(entry, { stopped: null, version: null, key: makeKey(), ...command });
    await this.tell();
    return this.start();
  }

  /** Send another text in the place of an entry. */
  async edit(entry, text) {
    await this.kept.replace(entry, [{ kind: "text", key: makeKey(), at: entry.at, match: entry.match, version: null, text }]);
    await this.tell();
    return this.start();
  }

  async drop(entries) {
    const all = await this.kept.list();
    await this.kept.remove(...entries);
    const [next] = await this.kept.list();
    // What follows was meant to come after what is gone.
    if (next && next.key !== all[0].key) await this.kept.update(next, { version: entries[0].version ?? null });
    await this.tell();
    return this.start();
  }
}
