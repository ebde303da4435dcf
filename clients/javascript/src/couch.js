/**
 * A database of CouchDB as this client needs it: requests, the server's clock, writes whose answer may be lost, and readings
 * that a majority of a cluster's copies has.
 * @module
 */
import {history, path, probe} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{status: number, body?: any, rev?: string}} Answer `status` 0: no answer came, so the request may have been carried out */

/** The server refused a request, or is out of reach; `status` is 0 then. */
export class CouchError extends Error {
  name = 'CouchError';
  /** @param {string} what @param {Answer} answer */
  constructor(what, {status, body}) {
    super(`${what}: ${status ? `${status} ${body?.error ?? ''} ${body?.reason ?? ''}`.trim() : 'no answer'}`);
    this.status = status;
  }
}

/** Milliseconds on a clock that never goes back; leases are measured by it (4.2). */
export const monotonic = () => performance.now();

/** Growing random pauses. @param {number} first @param {number} last */
export function* pauses(first, last) {
  for (let most = first; ; most = Math.min(most * 2, last)) yield most * (0.5 + Math.random() / 2);
}

/** Ends early when the signal is aborted. @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
export const pause = (ms, signal) => new Promise(resolve => {
  if (signal?.aborted) return resolve();
  const end = () => (clearTimeout(timer), signal?.removeEventListener('abort', end), resolve());
  const timer = setTimeout(end, Math.min(ms, 2 ** 31 - 1));
  signal?.addEventListener('abort', end);
});

/** The same document, whatever the order of its fields. @param {any} value @returns {string} */
const canonical = value => JSON.stringify(value, (_, v) => v && typeof v === 'object' && !Array.isArray(v)
  ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => a < b ? -1 : 1)) : v);

export class Couch {
  /** The user of the URL: claims carry the name (3.2). @type {string | undefined} */
  user;
  /** Copies of a document, and parts of the database; set by `info`. */
  n = 1;
  q = 1;
  #offset = 0;
  #headers;

  /** @param {string} url of the database, with user and password if there are any @param {{fetch?: typeof fetch, timeout?: number}} [options] */
  constructor(url, {fetch = globalThis.fetch, timeout = 20000} = {}) {
    const parsed = new URL(url);
    this.user = decodeURIComponent(parsed.username) || undefined;
    this.#headers = this.user && {Authorization: `Basic ${Buffer.from(`${this.user}:${decodeURIComponent(parsed.password)}`).toString('base64')}`};
    parsed.username = parsed.password = '';
    this.url = parsed.href.replace(/\/$/, '');
    this.fetch = fetch;
    this.timeout = timeout;
  }

  /** Now by the server's clock (1.1). */
  now() {
    return Math.round(Date.now() + this.#offset);
  }

  /** The server read its clock, in whole seconds, between both moments. @param {string | null} date @param {number} sent @param {number} received */
  #setClock(date, sent, received) {
    const server = Date.parse(date ?? '');
    if (server) this.#offset = Math.min(Math.max(this.#offset, server - received), server + 1000 - sent);
  }

  /** @param {string} where below the database, with its query @param {RequestInit} [init] @returns {Promise<Response>} */
  async open(where, init = {}) {
    const sent = Date.now();
    const response = await this.fetch(this.url + where, {...init, headers: {Accept: 'application/json', ...this.#headers, ...init.headers}});
    this.#setClock(response.headers.get('date'), sent, Date.now());
    return response;
  }

  /** One request, never repeated. @param {string} method @param {string} where @param {any} [body] @returns {Promise<Answer>} */
  async request(method, where, body) {
    const init = body === undefined ? {} : {body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}};
    try {
      const response = await this.open(where, {method, ...init, signal: AbortSignal.timeout(this.timeout)});
      return {status: response.status, body: JSON.parse(await response.text() || 'null')};
    } catch {
      return {status: 0};
    }
  }

  /** @param {string} method @param {string} where @param {any} [body] @param {number[]} [missing] statuses for which null is returned */
  async ask(method, where, body, missing = []) {
    const answer = await this.request(method, where, body);
    if (missing.includes(answer.status)) return null;
    if (answer.status < 200 || answer.status > 299) throw new CouchError(`${method} ${this.url}${where}`, answer);
    return answer.body;
  }

  /** @param {string} id @returns {Promise<Doc | null>} */
  get(id) {
    return this.ask('GET', `/${path(id)}`, undefined, [404]);
  }

  /** GET /DB; afterwards it is known whether this is a cluster (6.3). */
  async info() {
    const info = await this.ask('GET', '');
    this.n = info.cluster?.n ?? 1;
    this.q = info.cluster?.q ?? 1;
    return info;
  }

  get isCluster() {
    return this.n > 1;
  }

  /** A page of a view. @param {string} where @param {Doc} query */
  async view(where, query) {
    const text = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(key === 'startkey_docid' ? value : JSON.stringify(value))}`);
    return this.ask('GET', `${where}?${text.join('&')}`);
  }

  /** All leaves, tombstones too, each once (5.1, 5.2). @param {string} id @returns {Promise<Doc[]>} */
  async leaves(id) {
    const rows = await this.ask('GET', `/${path(id)}?open_revs=all&revs=true`, undefined, [404]) ?? [];
    /** @type {Doc[]} */
    const found = rows.flatMap((/** @type {Doc} */ row) => row.ok ?? []);
    return [...new Map(found.map(leaf => [leaf._rev, leaf])).values()];
  }

  /** One write. 412 is as 409 (1.4), and 200 (of a deletion) as 201. @param {Doc} doc @returns {Promise<Answer>} */
  async put({_revisions, _conflicts, ...doc}) {
    const {status, body} = await this.request('PUT', `/${path(doc._id)}`, doc);
    return {status: status === 412 ? 409 : status === 200 ? 201 : status, rev: body?.rev, body};
  }

  /**
   * 2.1: what became of a write whose answer was lost. In place it is worth a 201 on one node, a 202 on a cluster; 409: it never will
   * be; 0: nothing can be told yet.
   * @param {Doc} doc @returns {Promise<Answer>}
   */
  async outcome(doc) {
    const leaves = await this.leaves(doc._id);
    const {_rev: base, _revisions, _conflicts, ...content} = doc;
    for (const leaf of leaves) {
      const line = history(leaf);
      const candidates = base ? line.filter((_, i) => line[i + 1] === base) : line;
      for (const rev of candidates) {
        const stored = rev === leaf._rev ? leaf : await this.ask('GET', `/${path(doc._id)}?rev=${rev}`, undefined, [404]);
        if (!stored) continue;
        const {_rev, _revisions: _, ...there} = stored;
        if (canonical(there) === canonical(content)) return {status: this.isCluster ? 202 : 201, rev};
      }
    }
    const open = base ? leaves.some(leaf => leaf._rev === base) : !leaves.some(leaf => !leaf._deleted);
    return {status: open ? 0 : 409};
  }

  /**
   * 2.1: writes until it is known what became of it. The same bytes are sent again, unless `resend` is false: then it is only asked for.
   * @param {Doc} doc @param {{giveUp?: (tries: number) => boolean, resend?: boolean}} [options] @returns {Promise<Answer>} an open answer when given up
   */
  async store(doc, {giveUp = tries => tries >= 12, resend = true} = {}) {
    let answer = await this.put(doc);
    let tries = 0;
    for (const wait of pauses(100, 3000)) {
      if (isUnknown(answer)) answer = await this.outcome(doc).catch(() => ({status: 0}));
      if (!isOpen(answer) || giveUp(++tries)) break;
      await pause(wait);
      if (resend || !isUnknown(answer)) answer = await this.put(doc);
    }
    return answer;
  }

  /**
   * 6.3: all leaves, read between two confirmed writes of the part that the document is in. Null: nothing can be told now.
   * @param {string} id @returns {Promise<Doc[] | null>}
   */
  async majority(id) {
    if (!this.isCluster) return this.leaves(id);
    const name = probe(id, this.q);
    const confirmed = async () => (await this.request('PUT', `/${path(name)}`, {})).status === 201;
    if (!await confirmed()) return null;
    const {rows} = await this.ask('POST', '/_all_docs', {keys: [id]}); // a copy may be alone with a leaf, or hide one
    const leaves = await this.leaves(id);
    const live = leaves.filter(leaf => !leaf._deleted);
    const winners = (live.length ? live : leaves).map(leaf => leaf._rev);
    const shown = rows[0].value?.rev;
    const isShown = leaves.length ? winners.includes(shown) : !shown;
    return await confirmed() && isShown ? leaves : null;
  }

  /**
   * The rows of the feed from `since` until the connection ends (6.1). No byte for three heartbeats means that it is dead.
   * @param {string | number} since @param {AbortSignal} signal @returns {AsyncGenerator<Doc>}
   */
  async *changes(since, signal) {
    const broken = new AbortController();
    const abort = () => broken.abort();
    signal.addEventListener('abort', abort);
    let silence = setTimeout(abort, 30000);
    try {
      const query = `feed=continuous&heartbeat=10000&since=${encodeURIComponent(since)}&include_docs=true&conflicts=true&style=all_docs`;
      const response = await this.open(`/_changes?${query}`, {signal: broken.signal});
      if (!response.ok || !response.body) throw new CouchError(`GET ${this.url}/_changes`, {status: response.status});
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of /** @type {any} */ (response.body)) {
        clearTimeout(silence);
        silence = setTimeout(abort, 30000);
        text += decoder.decode(bytes, {stream: true});
        const lines = text.split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) if (line.trim()) yield JSON.parse(line);
      }
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', abort);
      broken.abort();
    }
  }
}

/** No answer, or one that does not say what became of the write (2.1). @param {Answer} answer */
export const isUnknown = ({status}) => status === 0 || (status >= 500 && status !== 503);
/** To be sent again after a pause. @param {Answer} answer */
export const isOpen = answer => isUnknown(answer) || answer.status === 429 || answer.status === 503;
