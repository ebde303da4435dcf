/**
 * A queue: what creators do with jobs.
 * @module
 */
import {randomUUID} from 'node:crypto';
import {Couch, isUnknown, monotonic, pause, pauses} from './couch.js';
import {create, docId, generation, history, isFinished, newId, path, standsAgainst} from './protocol.js';
import {Worker} from './worker.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {Doc & {id?: string}} JobOptions `id` (default: a random UUID), and fields of a job by their names in the protocol (1.2) */

/** Nobody knows whether the write counts: no answer, or no majority of the copies has confirmed it. The same call may be made again. */
export class UnconfirmedError extends Error {
  name = 'UnconfirmedError';
}

export class Queue {
  /** The name of the database among several (7.3). @type {{name?: string, home: boolean}} */
  site = {home: false};
  /** @type {Promise<void> | undefined} */
  #opened;

  /**
   * @param {string} url of the database that `couchjobs init` prepared, with user and password
   * @param {{fetch?: typeof fetch, timeout?: number, defaultTimeout?: number}} [options] another `fetch`; in ms how long a request may take
   *   (20,000), and the lease of jobs whose type has no timeout (60,000): the same in all processes of a queue
   */
  constructor(url, {defaultTimeout, ...options} = {}) {
    this.couch = new Couch(url, options);
    this.defaultTimeout = defaultTimeout;
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
   * @param {string} type @param {Doc} [data] @param {JobOptions} [options] @returns {Promise<{outcome: 'added' | 'exists', id: string}>}
   */
  async add(type, data = {}, options = {}) {
    await this.open();
    const id = newId(options, randomUUID);
    const job = create(type, data, {...options, site: options.site ?? this.site.name, id}, this.couch.now());
    return {outcome: await this.#insert(job) ? 'added' : 'exists', id};
  }

  /** Writes a new job, as the same bytes until it is known to be stored (2.1). False: a job of that id exists. @param {Doc} job @returns {Promise<boolean>} */
  async #insert(job) {
    const {couch} = this;
    const end = monotonic() + 30000;
    let doubt = false;
    for (const wait of pauses(50, 2000)) {
      const answer = await couch.write(job);
      const {status, body} = answer;
      doubt ||= status === 202 || isUnknown(answer);
      if (status === 201 && !(doubt && couch.isCluster)) return true;
      if (status === 409 && !doubt) return false;
      const leaves = status === 201 || status === 409 ? await couch.majority(job._id) : null;
      if (leaves?.length) {
        const stored = status === 201 ? {...job, _rev: body.rev} : await this.#storedAs(job, leaves);
        if (!stored) return false;
        const isAlone = !leaves.some(leaf => standsAgainst(leaf, stored, true));
        if (isAlone && (status === 201 || !couch.isCluster || await this.#isFirst(job, stored))) return true;
      }
      if (monotonic() > end) break;
      await pause(wait);
    }
    throw new UnconfirmedError(`nobody knows whether ${job._id} was added`);
  }

  /** Whether a new job has no tombstone below it, on top of which only a 201 counts (rule 18). @param {Doc} job @param {Doc} leaf */
  async #isFirst(job, leaf) {
    return isMadeAs(job, await this.#root(leaf));
  }

  /** The leaf that is a new job, or was built on it: an owner may have changed its data. @param {Doc} job @param {Doc[]} leaves */
  async #storedAs(job, leaves) {
    for (const leaf of leaves.filter(each => !each._deleted && isMadeAs(job, each))) {
      const root = await this.#root(leaf);
      if (hasDataOf(job, isMadeAs(job, root) ? root : leaf)) return leaf;
    }
  }

  /** @param {Doc} leaf */
  async #root(leaf) {
    const root = history(leaf).at(-1);
    return root === leaf._rev ? leaf : (await this.couch.request('GET', `/${path(leaf._id)}?rev=${root}`)).body;
  }

  /** The document of a job as the server has it: on a cluster take an end for a hint, and see `wait`. @param {string} type @param {string} id @returns {Promise<Doc | null>} */
  get(type, id) {
    return this.couch.get(docId(type, id));
  }

  /**
   * Waits until a job has ended, and on a cluster a majority has its end (rule 20). Looks every two seconds at least.
   * @param {string} type @param {string} id @param {{timeout?: number}} [options] in ms
   * @returns {Promise<Doc | null>} the finished job; its tombstone (`_deleted`) when it was removed; null when the time is over, also for a job that is not there
   */
  async wait(type, id, {timeout = Infinity} = {}) {
    await this.open();
    const [name, end] = [docId(type, id), monotonic() + timeout];
    for (const wait of pauses(50, 2000)) {
      const ended = endOf(await this.couch.majority(name) ?? []);
      const left = end - monotonic();
      if (ended || left <= 0) return ended;
      await pause(Math.min(left, wait));
    }
    return null;
  }

  /**
   * Runs a handler for each due job, until `stop()` of the worker. The handler's return value is the result; what it throws is a failure, for good
   * where the error has `permanent: true`. Without a handler claim by hand: `worker.claim()`, and end every claim.
   * @param {string | string[]} types @param {(job: import('./worker.js').Job) => any} [handler]
   * @param {import('./worker.js').WorkerOptions & {concurrency?: number}} [options]
   */
  async work(types, handler, {concurrency = 1, ...options} = {}) {
    await this.open();
    const worker = await new Worker(this, [types].flat(), options).start();
    return handler ? worker.run(handler, concurrency) : worker;
  }
}

/** @param {Doc} job @param {Doc} doc */
const isMadeAs = (job, doc) => doc?.times?.created === job.times.created;
/** @param {Doc} job @param {Doc} doc */
const hasDataOf = (job, doc) => JSON.stringify(doc.data) === JSON.stringify(job.data);

/** The table of 6.3: the end that a reading shows, if it shows one. @param {Doc[]} leaves */
function endOf(leaves) {
  const live = leaves.filter(leaf => !leaf._deleted);
  const gone = leaves.filter(leaf => leaf._deleted && !leaf.resolved).sort((a, b) => generation(b._rev) - generation(a._rev));
  if (!live.length) return gone[0] ?? null;
  const {_revisions, ...job} = live[0];
  return isFinished(job) && !leaves.some(leaf => standsAgainst(leaf, job, true)) ? job : null;
}
