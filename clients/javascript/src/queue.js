/**
 * A queue: what creators do with jobs, and the one connection to the feed that all in this process share.
 * @module
 */
import {randomUUID} from 'node:crypto';
import {Couch, CouchError, isOpen, monotonic, pause, pauses} from './couch.js';
import {cancel, create, docId, fence, generation, history, isFinished, isOwned, isPending, keep, parseDocId, requestCancel} from './protocol.js';
import {Worker} from './worker.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {import('./couch.js').Answer} Answer */
/**
 * @typedef {object} JobOptions what a creator may say of a job (1.2)
 * @property {string} [id] default: a random UUID
 * @property {number} [scheduledTime] not before this time, in ms since 1970 @property {string} [group]
 * @property {number} [priority] 0 to 99, default 50 @property {number} [maxRetries] @property {string} [class] @property {string} [origin]
 * @property {string} [correlationId] @property {string[]} [tags] @property {string} [site] @property {string} [tracker] the id is `tracker:KEY`
 * @property {{jobs: string[], onFailure?: 'cancel' | 'run' | 'wait'}} [after] `_id`s of jobs that it waits for
 */
/** @typedef {{outcome: 'added' | 'exists', id: string}} Added */

/** The write is stored somewhere, and no majority confirmed it: it may still take effect, or be lost (2.1). */
export class UnconfirmedError extends Error {
  name = 'UnconfirmedError';
}

const TRIES = 12;

export class Queue {
  /** The name of the database among several (7.3). @type {{name?: string, home: boolean}} */
  site = {home: false};
  /** @type {Promise<void> | undefined} */
  #opened;
  /** @type {Set<{row: (row: Doc) => void, reset: () => void}>} */
  #listeners = new Set();
  /** @type {AbortController | undefined} */
  #feed;
  /** @type {Promise<void> | undefined} */
  #following;

  /**
   * @param {string} url of the database that `couchjobs init` prepared, with user and password
   * @param {{fetch?: typeof fetch, timeout?: number}} [options] another `fetch`; how long a request may take, in ms (20,000)
   */
  constructor(url, options) {
    this.couch = new Couch(url, options);
  }

  /** Reads what kind of server this is, and the site; all else does that when it is needed. */
  open() {
    this.#opened ??= (async () => {
      await this.couch.info();
      const named = await this.couch.get('_local/couchjobs-site');
      this.site = {name: named?.site ?? undefined, home: named?.home === true};
    })().catch(error => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /**
   * Adds a job. One of the same id stays as it is, whatever its status: `exists`.
   * @param {string} type @param {Doc} [data] @param {JobOptions} [options] @returns {Promise<Added>}
   */
  async add(type, data = {}, options = {}) {
    await this.open();
    const job = this.#create(type, data, options);
    return this.#added(job, await this.couch.store(job));
  }

  /** Adds many jobs by one request. @param {{type: string, data?: Doc, options?: JobOptions}[]} jobs @returns {Promise<Added[]>} in their order */
  async addAll(jobs) {
    await this.open();
    const docs = jobs.map(({type, data = {}, options = {}}) => this.#create(type, data, options));
    const {status, body} = await this.couch.request('POST', '/_bulk_docs', {docs});
    const rows = status === 201 || status === 202 ? body : [];
    return Promise.all(docs.map(async (job, i) => {
      const row = rows[i];
      const answer = row?.rev ? {status: row.accepted ? 202 : 201, rev: row.rev} : row?.error === 'conflict' ? {status: 409} : await this.couch.store(job);
      return this.#added(job, answer);
    }));
  }

  /** @param {string} type @param {Doc} data @param {JobOptions} options */
  #create(type, data, options) {
    const made = options.tracker === undefined ? {id: randomUUID()} : {};
    return create(type, data, {...made, ...this.site.name && {site: this.site.name}, ...options}, this.couch.now());
  }

  /** 2.1, the answers to a new job. @param {Doc} job @param {Answer} answer @returns {Promise<Added>} */
  async #added(job, answer) {
    const {id} = /** @type {{id: string}} */ (parseDocId(job._id));
    const {status, rev = ''} = answer;
    if (status === 201) return {outcome: 'added', id};
    if (status === 409) return {outcome: 'exists', id};
    if (status !== 202) throw new CouchError(`add ${job._id}`, answer);
    if (generation(rev) > 1) { // made on a tombstone: as a change
      await this.#change(job._id, () => null, rev);
      return {outcome: 'added', id};
    }
    for await (const leaves of this.#readings(job._id)) {
      const live = leaves.filter(leaf => !leaf._deleted);
      if (live.length === 1) return {outcome: history(live[0]).includes(rev) ? 'added' : 'exists', id};
    }
    throw new UnconfirmedError(`add ${job._id}: it is stored, but has conflicts, or is not found again`);
  }

  /** All leaves, a dozen times, with growing pauses in between (2.2). @param {string} id */
  async *#readings(id) {
    const waits = pauses(50, 3000);
    for (let tries = 0; tries < TRIES; tries++) {
      yield await this.couch.leaves(id);
      await pause(waits.next().value ?? 0);
    }
  }

  /**
   * 2.2 and rule 18: decides by what is there, writes on its revision, and after a 202 writes it once more until a majority has it. A job with
   * conflicts, or a withdrawn claim, is left to a library worker to resolve, and read again.
   * @param {string} id @param {(job: Doc) => Doc | null} decide null: there is nothing to do @param {string} [unconfirmed] a revision that was answered 202
   * @returns {Promise<Doc | null>} what is there now; null when there is no such job
   */
  async #change(id, decide, unconfirmed) {
    for await (const leaves of this.#readings(id)) {
      const [job, ...others] = leaves.filter(leaf => !leaf._deleted);
      if (!job && !unconfirmed) return null;
      if (!job || others.length || job.lock?.withdrawn) continue;
      const inPlace = unconfirmed && history(job).includes(unconfirmed);
      const next = inPlace ? null : decide(job);
      if (!next && !unconfirmed) return job;
      const written = next ?? keep(job, this.couch.now());
      const answer = await this.couch.store(written);
      const doubtful = unconfirmed || this.couch.isCluster; // the node that showed the job may have been cut off
      if (answer.status === 201 && (!doubtful || await this.#isAlone({...written, _rev: answer.rev}))) return written;
      if (answer.status === 202) unconfirmed = answer.rev;
      else if (answer.status !== 201 && answer.status !== 409) throw new CouchError(`change ${id}`, answer);
    }
    throw new UnconfirmedError(`change ${id}: ${unconfirmed ? 'no majority confirmed it' : 'it has conflicts, or others change it all the time'}`);
  }

  /** @param {Doc} job */
  async #isAlone(job) {
    const leaves = await this.couch.majority(job._id);
    return leaves !== null && !leaves.some(leaf => !history(leaf).includes(job._rev) && !leaf.resolved && (!leaf._deleted || fence(leaf) > fence(job)));
  }

  /**
   * Cancels a job that waits; asks its owner to stop one that runs.
   * @param {string} type @param {string} id @param {string} [reason] noted in a job that waited
   * @returns {Promise<'cancelled' | 'requested' | 'success' | 'failed' | null>} the status of a finished job; null when there is no such job
   */
  async cancel(type, id, reason) {
    await this.open();
    const job = await this.#change(docId(type, id), job => {
      if (isFinished(job)) return null;
      return isPending(job) ? cancel(job, reason, this.couch.now()) : requestCancel(job, this.couch.now());
    });
    return job && (isOwned(job) ? 'requested' : job.status);
  }

  /** The document of a job as the server has it: on a cluster take an end for a hint, and see `wait`. @param {string} type @param {string} id @returns {Promise<Doc | null>} */
  get(type, id) {
    return this.couch.get(docId(type, id));
  }

  /**
   * Waits until a job has ended, and on a cluster a majority has its end (rule 20).
   * @param {string} type @param {string} id @param {{timeout?: number}} [options] in ms
   * @returns {Promise<Doc | null>} the finished job; its tombstone (`_deleted`) when it was removed; null when the time is over, also for a job that is not there
   */
  async wait(type, id, {timeout = Infinity} = {}) {
    const name = docId(type, id);
    const end = monotonic() + timeout;
    let alarm = new AbortController();
    const listener = {row: (/** @type {Doc} */ row) => row.id === name && alarm.abort(), reset: () => alarm.abort()};
    await this.listen(listener);
    const waits = pauses(50, 3000);
    try {
      for (;;) {
        alarm = new AbortController(); // before reading, so that no change is missed
        const {ended, seen} = await this.#ended(name);
        if (ended) return ended;
        const left = end - monotonic();
        if (left <= 0) return null;
        await pause(Math.min(left, seen ? waits.next().value ?? 0 : 20000), alarm.signal);
      }
    } finally {
      this.unlisten(listener);
    }
  }

  /** 6.3. @param {string} id @returns {Promise<{ended: Doc | null, seen: boolean}>} seen: this node has an end, whether or not a majority has it */
  async #ended(id) {
    const end = (/** @type {Doc[] | null} */ leaves) => {
      if (!leaves) return null;
      const live = leaves.filter(leaf => !leaf._deleted);
      const gone = leaves.filter(leaf => !leaf.resolved).sort((a, b) => generation(b._rev) - generation(a._rev));
      const {_revisions, ...last} = (live.length ? live : gone)[0] ?? {};
      return live.length > 1 || !(last._deleted || (live.length && isFinished(last))) ? null : last;
    };
    try {
      if (!end(await this.couch.leaves(id))) return {ended: null, seen: false};
      return {ended: end(await this.couch.majority(id)), seen: true};
    } catch (error) {
      if (error instanceof CouchError && isOpen(error)) return {ended: null, seen: true};
      throw error;
    }
  }

  /**
   * A registered worker that claims by hand: `worker.claim()`. End every claim, and `stop()` the worker.
   * @param {string | string[]} types @param {import('./worker.js').WorkerOptions} [options]
   */
  async worker(types, options = {}) {
    await this.open();
    return new Worker(this, [types].flat(), options).start();
  }

  /**
   * Runs a handler for each due job, until `stop()` of the worker. The handler's return value is the result; what it throws is a failure, for good
   * where the error has `permanent: true`.
   * @param {string | string[]} types @param {(job: import('./job.js').Job) => any} handler
   * @param {import('./worker.js').WorkerOptions & {concurrency?: number}} [options]
   */
  async work(types, handler, {concurrency = 1, ...options} = {}) {
    return (await this.worker(types, {share: true, ...options})).run(handler, concurrency);
  }

  /** 6.1: from now on the listener hears of all changes. It reads after that. @param {{row: (row: Doc) => void, reset: () => void}} listener */
  async listen(listener) {
    await this.open();
    this.#listeners.add(listener);
    this.#feed ??= new AbortController();
    const {signal} = this.#feed;
    this.#following ??= this.couch.info().then(info => void this.#follow(info, signal));
    await this.#following;
  }

  /** @param {{row: (row: Doc) => void, reset: () => void}} listener */
  unlisten(listener) {
    this.#listeners.delete(listener);
    if (this.#listeners.size) return;
    this.#feed?.abort();
    this.#feed = this.#following = undefined;
  }

  /** @param {Doc} info @param {AbortSignal} signal */
  async #follow(info, signal) {
    const number = (/** @type {any} */ seq) => parseInt(seq, 10);
    let since = info.update_seq;
    for (let waits = pauses(50, 5000); !signal.aborted;) {
      let refused = false;
      try {
        for await (const row of this.couch.changes(since, signal)) {
          if (!row.id) continue;
          since = row.seq;
          waits = pauses(50, 5000);
          for (const listener of this.#listeners) listener.row(row);
        }
      } catch (error) {
        refused = error instanceof CouchError && error.status === 400;
      }
      await pause(waits.next().value ?? 0, signal);
      const now = signal.aborted ? null : await this.couch.info().catch(() => null);
      if (!now || (!refused && now.instance_start_time === info.instance_start_time && (this.couch.isCluster || number(now.update_seq) >= number(since)))) continue;
      // The database was made anew.
      info = now;
      since = now.update_seq;
      for (const listener of this.#listeners) listener.reset();
    }
  }
}
