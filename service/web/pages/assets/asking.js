// Asks our server. On the page of a table, its code says who asks, and no account does.

const PAGE = /^\/at\/(plyt_[A-Za-z0-9_-]+)$/;

/** The code of a table in the address of this page; null on other pages. */
export const tableCode = PAGE.exec(location.pathname)?.[1] ?? null;

/** As `fetch`, with the code of the table if this is the page of one. */
export function ask(address, options = {}) {
  // The address of the page itself says the code already.
  if (tableCode === null || `${address}`.startsWith(location.pathname)) return fetch(address, options);
  return fetch(address, { ...options, headers: { ...options.headers, Authorization: `Bearer ${tableCode}` } });
}

/** Whether the service gave no answer, so that a proxy in front of it answered this. */
export function isUnanswered(status, answer) {
  return [502, 503, 504].includes(status) && (!answer.code || answer.code === "server/unreachable");
}

/** The server-sent events of an address, as from an EventSource. */
export function openEvents(address) {
  return tableCode === null ? new EventSource(address) : new AskedEvents(address);
}

/** What an EventSource does, for a page that must send a header, which an EventSource cannot. It never reconnects. */
class AskedEvents extends EventTarget {
  constructor(address) {
    super();
    this.readyState = EventSource.CONNECTING;
    this.stopping = new AbortController();
    this.read(address).catch(() => {}).finally(() => this.fail());
  }

  close() {
    this.readyState = EventSource.CLOSED;
    this.stopping.abort();
  }

  fail() {
    if (this.readyState === EventSource.CLOSED) return;
    this.close();
    this.dispatchEvent(new Event("error"));
  }

  async read(address) {
    const answered = await ask(address, { headers: { Accept: "text/event-stream" }, signal: this.stopping.signal });
    if (!answered.ok || answered.status === 204) return;
    this.readyState = EventSource.OPEN;
    this.dispatchEvent(new Event("open"));
    let left = "";
    const reader = answered.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (left + value.replaceAll("\r", "")).split("\n\n");
      left = blocks.pop();
      for (const block of blocks) this.tell(block);
    }
  }

  tell(block) {
    const fields = { event: "message", data: [] };
    for (const line of block.split("\n")) {
      const [, name, value] = /^([a-z]*):? ?(.*)$/.exec(line) ?? [];
      if (name === "data") fields.data.push(value);
      else if (name) fields[name] = value;
    }
    if (fields.id !== undefined) this.last = fields.id;
    if (!fields.data.length) return;
    this.dispatchEvent(new MessageEvent(fields.event, { data: fields.data.join("\n"), lastEventId: this.last ?? "" }));
  }
}
