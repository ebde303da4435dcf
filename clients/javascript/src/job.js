/**
 * A claimed job in the hands of its owner: its lease, its writes, and how it learns that it is not the owner any more.
 * @module
 */
import {createHash} from 'node:crypto';
import {CouchError, isOpen, monotonic, pause, pauses} from './couch.js';
import {acknowledgeCancel, fail, fence, finish, history, keep, parseDocId, path, release, update} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{mono: number, wall: number}} Moment on both clocks, see 4.2 */

/** The job is not yours any more: it was taken over, removed, or its lease is over. Stop working; nothing was written. */
export class HaltError extends Error {
  name = 'HaltError';
}

/** The reason of the signal when the job's creator asked to cancel it. */
export class CancelError extends Error {
  name = 'CancelError';
}

/** @returns {Moment} */
export const moment = () => ({mono: monotonic(), wall: Date.now()});

export class Job {
  #worker;
  #confirmed;
  #abort = new AbortController();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {HaltError | undefined} */
  #halted;
  #ended = false;
  #writes = 0;
  /** @type {Promise<any>} */
  #last = Promise.resolve();

  /** Made by a worker. @param {import('./worker.js').Worker} worker @param {Doc} doc as it was written or read last @param {Moment} sent when the claim was sent */
  constructor(worker, doc, sent) {
    this.#worker = worker;
    this.#confirmed = sent;
    this.doc = doc;
    this.token = doc.lock.token;
    Object.assign(this, parseDocId(doc._id));
    this.watch();
  }

  /** @type {string} */ type = '';
  /** @type {string} */ id = '';
  /** The input. */
  get data() { return this.doc.data ?? {}; }
  /** How often it was started, this run included. @returns {number} */
  get attempt() { return this.doc.attempt; }
  /** Guards other stores against former owners (docs/fencing.md). @returns {number} */
  get fence() { return this.doc.fence; }
  /** Aborted when the job is to be cancelled (its reason is a CancelError) or was lost (a HaltError). */
  get signal() { return this.#abort.signal; }
  /** Whether its creator asked to cancel it. */
  get isCancelRequested() { return this.signal.reason instanceof CancelError || this.doc.cancelRequested === true; }
  /** Whether its end was written. */
  get isEnded() { return this.#ended; }
  /** Whether the job is not yours any more. Asks the clock, not the database. */
  get isHalted() {
    if (!this.#ended && this.leaseLeft <= 0) this.halt('its lease is over');
    return this.#halted !== undefined;
  }

  /** 4.2: milliseconds for which the job is yours, counted from when the last confirmed renewal was sent. */
  get leaseLeft() {
    const {timeout, heard} = this.#worker.settings(this.type);
    const last = [this.#confirmed, this.#worker.confirmed].reduce((a, b) => a.mono > b.mono ? a : b);
    const stoodStill = Date.now() - last.wall - (monotonic() - last.mono); // of a suspended machine the monotonic clock
    if (stoodStill > timeout / 2) return 0;
    return Math.max(last.mono, heard - timeout / 2) + timeout - monotonic(); // a shorter timeout leaves half of it to renew
  }

  /** Rule 6: halts when the lease is over. Called when it may end earlier than before, too. */
  watch() {
    clearTimeout(this.#timer);
    if (this.#ended || this.isHalted) return;
    this.#timer = setTimeout(() => this.watch(), Math.min(this.leaseLeft + 1, 60000));
    this.#timer.unref();
  }

  /** @param {string} why */
  halt(why) {
    if (this.#halted || this.#ended) return;
    clearTimeout(this.#timer);
    this.#halted = new HaltError(`${this.doc._id} is not owned any more: ${why}`);
    this.#abort.abort(this.#halted);
    this.#worker.gone(this, false);
  }

  /** Stores new data or progress. Each is a sign of life. @param {{data?: Doc, progress?: {percent: number, message?: string}}} [changes] */
  update(changes = {}) { return this.#write('update', job => update(job, changes, this.#now())); }

  /** Ends the run with success. @param {any} [result] any JSON @param {{data?: Doc}} [options] new data */
  finish(result, {data} = {}) { return this.#end('finish', job => finish(job, {result, data}, this.#now())); }

  /**
   * Ends the run with a failure: it is retried by the settings of its type, or has failed for good.
   * @param {string} message @param {{kind?: 'failed' | 'crashed' | 'killed', stack?: string, permanent?: boolean}} [options]
   */
  fail(message, options = {}) {
    return this.#end('fail', job => fail(job, {message, ...options, policy: this.#worker.settings(this.type)}, this.#now()));
  }

  /** The job waits again; this run does not count. */
  release() { return this.#end('release', job => release(job, this.#now())); }

  /** Ends the run as cancelled, when its creator asked for that. @param {string} [reason] */
  acknowledgeCancel(reason = 'cancelled on request') { return this.#end('cancel', job => acknowledgeCancel(job, reason, this.#now())); }

  #now() { return this.#worker.couch.now(); }

  /** @param {string} verb @param {(job: Doc) => Doc} change */
  async #end(verb, change) {
    await this.#write(verb, change);
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#worker.gone(this, true);
  }

  /** One write after the other. @param {string} verb @param {(job: Doc) => Doc} change @returns {Promise<void>} */
  #write(verb, change) {
    this.#writes++;
    const write = this.#last.then(() => this.#confirm(verb, change)).finally(() => this.#writes--);
    this.#last = write.catch(() => {});
    return write;
  }

  /** 3.3 and rules 8 and 9: writes until a 201, a halt, or a refusal. @param {string} verb @param {(job: Doc) => Doc} change */
  async #confirm(verb, change) {
    if (this.#ended) throw new HaltError(`${verb} ${this.doc._id}: its end is written already`);
    this.#mustOwn();
    const {couch} = this.#worker;
    let next = change(this.doc);
    let sent = moment();
    let doubt; // the revision that was answered 202, or is in place on a cluster though its answer was lost
    for (const wait of pauses(100, 5000)) {
      const answer = await couch.store(next, {giveUp: () => this.isHalted});
      if (answer.status === 201) return this.#wrote(next, answer.rev, sent, doubt !== undefined);
      if (answer.status === 202) {
        doubt = answer.rev;
        await pause(wait);
      } else if (answer.status === 409) {
        const leaves = await this.#ask(() => couch.leaves(this.doc._id));
        const stored = doubt && leaves.find(leaf => history(leaf).includes(/** @type {string} */ (doubt)));
        const mine = leaves.find(leaf => this.isMine(leaf));
        if (stored && !stored._deleted && !stored.lock?.withdrawn) {
          next = keep(stored, couch.now()); // rule 8: once more as it is
        } else if (mine) {
          [next, sent, doubt] = [change(mine), moment(), undefined]; // somebody asked for something: keep what they wrote
          this.doc = mine;
        } else {
          this.halt('another worker has it, or it is gone');
        }
      } else if (!isOpen(answer)) {
        throw new CouchError(`${verb} ${this.doc._id}`, answer);
      }
      this.#mustOwn();
    }
  }

  /** @param {Doc} doc @param {string | undefined} rev @param {Moment} sent @param {boolean} doubted */
  async #wrote(doc, rev, sent, doubted) {
    const late = this.leaseLeft <= 0;
    this.doc = {...doc, _rev: rev};
    if (sent.mono > this.#confirmed.mono) this.#confirmed = sent;
    if (!this.#worker.couch.isCluster || !(doubted || late)) return;
    const leaves = await this.#ask(() => this.#worker.couch.leaves(doc._id));
    const rival = leaves.find(leaf => !history(leaf).includes(/** @type {string} */ (rev)) && !leaf.resolved && fence(leaf) > fence(this.doc));
    if (rival) this.halt(`revision ${rival._rev} has a greater fence`);
    if (this.#halted && rival) throw this.#halted;
  }

  #mustOwn() {
    if (this.isHalted) throw this.#halted;
  }

  /** Asks until there is an answer, or the lease is over. @template T @param {() => Promise<T>} read @returns {Promise<T>} */
  async #ask(read) {
    for (const wait of pauses(100, 5000)) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof CouchError) || !isOpen(error)) throw error;
        this.#mustOwn();
        await pause(wait);
      }
    }
    throw new Error('unreachable');
  }

  /** Whether a leaf is this claim, and counts. @param {Doc} leaf */
  isMine(leaf) {
    return leaf.lock?.token === this.token && !leaf.lock.withdrawn;
  }

  /** 3.3: what the feed shows of an own job. Without the token it is a reason to read, not yet to halt. @param {Doc | undefined} doc */
  async look(doc) {
    let mine = doc && this.isMine(doc) ? doc : undefined;
    if (!mine && !this.#writes && !this.#ended) {
      const leaves = await this.#ask(() => this.#worker.couch.leaves(this.doc._id));
      mine = leaves.find(leaf => this.isMine(leaf));
      if (!mine && !this.#writes) return this.halt('another worker has it, or it is gone');
    }
    if (mine?.cancelRequested && !this.#ended) this.#abort.abort(new CancelError(`${this.doc._id} is to be cancelled`));
  }

  /** 1.4: reads data that is attached. */
  async load() {
    const {data, dataDigest, _rev, _id} = this.doc;
    if (data !== undefined || !dataDigest) return;
    const response = await this.#worker.couch.open(`/${path(_id)}/data.json?rev=${_rev}`, {signal: AbortSignal.timeout(this.#worker.couch.timeout)});
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = `sha-256=${createHash('sha256').update(bytes).digest('base64')}`;
    if (!response.ok || digest !== dataDigest) throw new Error(`${_id}: its attached data cannot be read (${response.status}, ${digest})`);
    Object.defineProperty(this, 'data', {value: JSON.parse(bytes.toString())});
  }
}
