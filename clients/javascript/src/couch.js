/**
 * A database of CouchDB as this client needs it: requests, the server's clock, and readings that a majority of a cluster's copies has.
 * @module
 */
import {history, path, probe, storable} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{status: number, body?: any}} Answer `status` 0: no answer came, so the request may have been carried out */

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

/** Whether a write may have happened, and may not (2.1). @param {Answer} answer */
export const isUnknown = ({status}) => status === 0 || status === 408 || (status >= 500 && status !== 503);

/** Whether the database refuses the content, or the user. @param {Answer} answer */
export const isRefusal = ({status}) => status >= 400 && status < 500 && ![408, 409, 412, 429].includes(status);

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
    let parsed;
    try {
      parsed = new URL(url);
    } catch {} // its error has the password in it
    if (!/^https?:$/.test(parsed?.protocol)) throw new TypeError('url must be http://HOST:PORT/DATABASE; it is not shown, as it may have a password in it');
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

  /** One request, never repeated. @param {string} method @param {string} where @param {any} [body] @param {number} [timeout] @returns {Promise<Answer>} */
  async request(method, where, body, timeout = Infinity) {
    // A connection of its own: CouchDB may answer twice on one, and an idle one that the server closes looks like a lost answer (6.1).
    const headers = {Accept: 'application/json', 'Content-Type': 'application/json', Connection: 'close', ...this.#headers};
    const init = {method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(Math.min(timeout, this.timeout))};
    let status = 0;
    try {
      const response = await this.fetch(this.url + where, init);
      const offset = Date.parse(response.headers.get('date') ?? '') - Date.now();
      if (!Number.isNaN(offset)) this.#offset = Math.abs(offset) > 2000 ? offset : 0; // a date is in whole seconds, and a second old: a smaller difference says nothing
      // An error status is enough, even if its body, perhaps written by a proxy, is not JSON. But a proxy's 404 says nothing of a document.
      if (!response.ok && response.status !== 404) status = response.status;
      return {status: response.status, body: JSON.parse(await response.text() || 'null')};
    } catch (/** @type {any} */ error) {
      return error?.cause?.code === 'ECONNREFUSED' ? {status: 503, body: {reason: 'connection refused'}} : {status}; // nothing was sent
    }
  }

  /** A request that must succeed, or be answered 404: then null is returned. @param {string} where @param {Doc} [query] written as JSON, but for text */
  async ask(where, query = {}) {
    const text = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`);
    const answer = await this.request('GET', where + (text.length ? `?${text.join('&')}` : ''));
    if (answer.status !== 200 && answer.status !== 404) throw new CouchError(`GET ${this.url}${where}`, answer);
    return answer.status === 200 ? answer.body : null;
  }

  /** @param {string} id @returns {Promise<Doc | null>} with `_conflicts` */
  get(id) {
    return this.ask(`/${path(id)}`, {conflicts: true});
  }

  /** GET /DB; afterwards it is known whether this is a cluster (6.3). */
  async info() {
    const answer = await this.request('GET', '');
    if (answer.status !== 200) throw new CouchError(`GET ${this.url}`, answer);
    this.n = answer.body.cluster?.n ?? 1;
    this.q = answer.body.cluster?.q ?? 1;
    return answer.body;
  }

  get isCluster() {
    return this.n > 1;
  }

  /** One write. @param {Doc} doc @param {number} [timeout] @returns {Promise<Answer>} */
  put({_revisions, _conflicts, ...doc}, timeout) {
    return this.request('PUT', `/${path(doc._id)}`, storable(doc), timeout);
  }

  /** All leaves, tombstones too, each once (5.1, 5.2). Null when that could not be read. @param {string} id @returns {Promise<Doc[] | null>} */
  async leaves(id) {
    const {status, body} = await this.request('GET', `/${path(id)}?open_revs=all&revs=true`);
    if (status !== 200) return status === 404 ? [] : null;
    return [...new Map(body.flatMap(row => row.ok ?? []).map(leaf => [leaf._rev, leaf])).values()];
  }

  /** 6.3, rule 20: all leaves as a majority of the copies has them. Null: nothing can be told now. @param {string} id @returns {Promise<Doc[] | null>} */
  async majority(id) {
    if (!this.isCluster) return this.leaves(id);
    const isConfirmed = async () => (await this.request('PUT', `/${path(probe(id, this.q))}`, {})).status === 201;
    if (!await isConfirmed()) return null;
    const shown = await this.request('POST', '/_all_docs', {keys: [id]}); // a copy may be alone with a leaf, or hide one
    const leaves = await this.leaves(id);
    if (shown.status !== 200 || !leaves || !await isConfirmed()) return null;
    const live = leaves.filter(leaf => !leaf._deleted);
    const [rev, winners] = [shown.body.rows[0].value?.rev, (live.length ? live : leaves).map(leaf => leaf._rev)];
    return (leaves.length ? winners.includes(rev) : !rev) ? leaves : null;
  }

  /** A write for which others may be first. It throws when the database refuses the content, or the user. @param {Doc} doc @param {number} [timeout] @returns {Promise<Answer>} */
  async write(doc, timeout) {
    const answer = await this.put(doc, timeout);
    if (isRefusal(answer)) throw new CouchError(`write ${doc._id}`, answer);
    return answer;
  }

  /** The revisions that led to a leaf, the oldest first; {} where one was compacted away. @param {Doc} leaf @returns {Promise<Doc[]>} */
  async history(leaf) {
    const {status, body} = await this.request('POST', '/_bulk_get', {docs: history(leaf).reverse().map(rev => ({id: leaf._id, rev}))});
    return status === 200 ? body.results.map(({docs: [{ok}]}) => ok ?? {}) : [{}];
  }

  /** 1.4: the data of a job that has it attached. @param {Doc} job */
  async attachedData({_id, _rev}) {
    const job = await this.ask(`/${path(_id)}`, {rev: _rev, attachments: true});
    if (!job) throw new Error(`${_id}: its attached data cannot be read`);
    return JSON.parse(Buffer.from(job._attachments['data.json'].data, 'base64').toString());
  }

  /** 6.1: the next rows of the feed, or none when there are none for half of the time that a request may take. @param {string | number} since */
  changes(since) {
    return this.ask('/_changes', {feed: 'longpoll', timeout: Math.floor(this.timeout / 2), since, limit: 1000, include_docs: true, conflicts: true, style: 'all_docs'});
  }
}
