/**
 * A queue: what creators do with jobs.
 * @module
 */
import {randomUUID} from 'node:crypto';
import {Couch, CouchError, isUnknown, monotonic, pause, pauses} from './couch.js';
import {create, docId, generation, isFinished, newId, parseDocId, standsAgainst} from './protocol.js';
import {Worker} from './worker.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {Doc & {id?: string}} JobOptions `id` (default: 32 random hexadecimal digits), and fields of a job by their names in the protocol (1.2) */

/** Nobody knows whether a job was added: no answer, or no majority of the copies has confirmed it. Add it again with the same `id`, which this error has. */
export class UnconfirmedError extends Error {
  name = 'UnconfirmedError';
}

export class Queue {
  /** The name of the database among several (7.3). @type {{site?: string, home?: boolean}} */
  site = {};
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
      this.site = await this.couch.get('_local/couchjobs-site') ?? {};
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
    const id = newId(options, () => randomUUID().replaceAll('-', '')); // not in the form of the library's ids, whose first claim needs no reading (1.1)
    const job = create(type, data, {...options, site: options.site ?? this.site.site, id}, this.couch.now());
    return {outcome: await this.#insert(job) ? 'added' : 'exists', id};
  }

  /** Writes a new job, as the same bytes until it is known to be stored (2.1). False: a job of that id exists. @param {Doc} job @returns {Promise<boolean>} */
  async #insert(job) {
    const {couch} = this;
    const end = monotonic() + 30000;
    let [answer, doubt] = [null, false];
    for (const wait of pauses(50, 2000)) {
      answer ??= await couch.write(job, 10000);
      const {status} = answer;
      doubt ||= status === 202 || isUnknown(answer);
      if (status === 201 && !(doubt && couch.isCluster)) return true;
      if (status === 409 && !doubt) return false;
      const leaves = doubt ? await couch.majority(job._id) : [];
      const made = leaves ? await this.#made(job, leaves) : {};
      if (made?._rev) {
        const counts = status === 201 || !couch.isCluster || generation(made._rev) === 1; // on a tombstone a 201 (rule 18)
        if (counts && !leaves.some(leaf => standsAgainst(leaf, made, true))) return true;
      } else if (!made) {
        if (leaves.some(leaf => !leaf._deleted)) return false;
        answer = null; // it is not stored: it is sent again
      }
      if (monotonic() > end) break;
      await pause(wait);
    }
    throw Object.assign(new UnconfirmedError(`nobody knows whether ${job._id} was added`), {id: parseDocId(job._id).id});
  }

  /**
   * The revision that a new job became, also where owners have built on it or retention deleted it; {} where a compaction hides that.
   * @param {Doc} job @param {Doc[]} leaves @returns {Promise<Doc | undefined>}
   */
  async #made({times, data}, leaves) {
    const sent = JSON.stringify({times, data});
    const asked = leaves.filter(leaf => !leaf.resolved && (leaf._deleted || leaf.times?.created === times.created)).map(leaf => this.couch.history(leaf));
    const docs = (await Promise.all(asked)).flat();
    return docs.find(doc => JSON.stringify({times: doc.times, data: doc.data}) === sent) ?? docs.find(doc => !doc._rev);
  }

  /** The document of a job as the server has it: on a cluster take an end for a hint, and see `wait`. @param {string} type @param {string} id @returns {Promise<Doc | null>} */
  get(type, id) {
    return this.couch.get(docId(type, id));
  }

  /**
   * Waits until a job has ended, and on a cluster a majority has its end (rule 20). Looks at least once every two seconds.
   * @param {string} type @param {string} id @param {{timeout?: number}} [options] in ms
   * @returns {Promise<Doc | null>} the finished job, or its tombstone with `status` when retention deleted it; null when the time is over, also for a job
   *   that is not there. A job that was removed is a CouchError with status 404
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

/** The table of 6.3: the end that a reading shows, if it shows one. @param {Doc[]} leaves */
function endOf(leaves) {
  const live = leaves.filter(leaf => !leaf._deleted);
  const gone = leaves.filter(leaf => leaf._deleted && !leaf.resolved).sort((a, b) => generation(b._rev) - generation(a._rev));
  if (gone.length && !live.length && gone[0].removedBy !== 'retention') throw new CouchError(gone[0]._id, {status: 404, body: {error: 'removed'}});
  if (!live.length) return gone[0] ?? null;
  const {_revisions, ...job} = live[0];
  return isFinished(job) && !leaves.some(leaf => standsAgainst(leaf, job, true)) ? job : null;
}
