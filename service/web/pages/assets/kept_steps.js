// What was entered at a table and is not on the server yet. This browser keeps it, in order, also when it is closed.

const NAME = "plyscribe-table";
const STORE = "steps";
const PARTS = 1_000;

/**
 * The entries of a code, each with `order`, `key`, `kind`, `at` and what its kind needs.
 *
 * They are in IndexedDB. If this browser stores nothing, they are in memory, and `isLasting` is false.
 */
export class KeptSteps {
  constructor(code) {
    Object.assign(this, { code, isLasting: true, memory: [] });
    this.opening = this.open();
  }

  async open() {
    try {
      const asked = indexedDB.open(NAME, 1);
      asked.onupgradeneeded = () => {
        const store = asked.result.createObjectStore(STORE, { keyPath: ["code", "order"] });
        store.createIndex("code", "code");
      };
      this.database = await settle(asked);
      // Without this, a browser that runs out of space may drop what people have entered.
      navigator.storage?.persist?.().catch(() => {});
    } catch {
      this.isLasting = false;
    }
  }

  /** All entries, in their order. */
  async list() {
    await this.opening;
    if (!this.isLasting) return [...this.memory];
    const found = await settle(this.database.transaction(STORE).objectStore(STORE).index("code").getAll(this.code));
    return found.sort((one, other) => one.order - other.order);
  }

  /** Add an entry as the last one; returns it as it is kept. */
  async add(entry) {
    let added;
    await this.change((entries) => {
      // Numbers of entries that are gone are not given again while others wait.
      const order = Math.max(Date.now(), Math.floor(entries.at(-1)?.order ?? 0) + 1);
      added = { ...entry, code: this.code, order };
      return [...entries, added];
    });
    return added;
  }

  /** Change an entry that is still there. */
  update(entry, changes) {
    return this.change((entries) => entries.map((each) => (each.key === entry.key ? { ...each, ...changes } : each)));
  }

  remove(...removed) {
    const keys = new Set(removed.map(({ key }) => key));
    return this.change((entries) => entries.filter(({ key }) => !keys.has(key)));
  }

  /** Entries that follow each other are on the server: remove them. The next one follows the version they led to. */
  finish(version, ...finished) {
    const keys = new Set(finished.map(({ key }) => key));
    return this.change((entries) => {
      const at = entries.findIndex(({ key }) => keys.has(key));
      if (at < 0) return entries;
      const rest = entries.filter(({ key }) => !keys.has(key));
      const next = rest[at];
      if (next && version !== null && next.match === finished[0].match) rest[at] = { ...next, version };
      return rest;
    });
  }

  /** Put others in the place of an entry, unless it is gone: another window may have been faster. */
  replace(entry, others) {
    return this.change((entries) => {
      const at = entries.findIndex(({ key }) => key === entry.key);
      if (at < 0) return entries;
      const placed = others.map((each, number) => ({ ...each, code: this.code, order: entry.order + number / PARTS }));
      return entries.toSpliced(at, 1, ...placed);
    });
  }

  /** Change the list of entries at once, or not at all. */
  async change(make) {
    await this.opening;
    if (this.isLasting) {
      try {
        await this.changeStored(make);
        return;
      } catch {
        // The storage is full, or this browser has closed it.
        this.memory = await this.list().catch(() => []);
        this.isLasting = false;
      }
    }
    this.memory = make(this.memory);
  }

  changeStored(make) {
    const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    const asked = store.index("code").getAll(this.code);
    asked.onsuccess = () => {
      try {
        const before = asked.result.sort((one, other) => one.order - other.order);
        const after = make(before);
        for (const each of before) if (!after.includes(each)) store.delete([each.code, each.order]);
        for (const each of after) if (!before.includes(each)) store.put(each);
      } catch {
        transaction.abort();
      }
    };
    return new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }
}

function settle(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = asked.onblocked = () => reject(asked.error);
  });
}
