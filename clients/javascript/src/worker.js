/**
 * The worker's side: claims, leases, and the ends of runs.
 * @module
 */
import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import {CouchError, isRefusal, isUnknown, monotonic, pause, pauses} from './couch.js';
import {acknowledgeCancel, claim, docId, fail, finish, isClaim, parseDocId, release, sameEnd, settings, standing, standsAgainst, update, withdraw} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{id?: string, onError?: (error: unknown) => void}} WorkerOptions `id`: the first part of the worker's id */

/** Rows of the index that are read at once: few, as documents may be large. */
const PAGE = 20;
/** How often the clock, and so the index, is looked at (6.1). */
const LOOK = 20000;
const [OVER, UNKNOWN] = ['its lease is over', 'nobody knows whether its end was stored'];

/** The job is not yours any more: it was taken over, removed, its lease is over, or nobody knows whether its end was stored. Stop working. */
export class HaltError extends Error {
  name = 'HaltError';
}

/** The reason of the signal when the job's creator asked to cancel it. */
export class CancelError extends Error {
  name = 'CancelError';
}

/** How long to wait after an error, in ms. */
const away = () => 200 + Math.random() * 800;

/** Now on both clocks, see 4.2. */
const moment = () => ({mono: monotonic(), wall: Date.now()});

/** A claimed job in the hands of its owner. */
export class Job {
  #worker;
  #confirmed;
  #abort = new AbortController();
  #over = new AbortController();
  #halted;
  #last = Promise.resolve();

  /** Made by a worker. @param {Worker} worker @param {Doc} doc as it was written or read last @param {{mono: number, wall: number}} sent when the claim was sent */
  constructor(worker, doc, sent) {
    const {type, id} = parseDocId(doc._id);
    const {lock: {token}, attempt, fence, data = {}} = doc; // the fence guards other stores against former owners (docs/fencing.md)
    Object.assign(this, {type, id, doc, token, attempt, fence, data});
    this.#worker = worker;
    this.#confirmed = sent;
  }

  /** Aborted when the job is to be cancelled (its reason is a CancelError), or is not yours any more (a HaltError). */
  get signal() { return this.#abort.signal; }
  /** Whether its creator asked to cancel it. */
  get isCancelRequested() { return this.signal.reason instanceof CancelError; }
  /** Whether the job is not yours any more: its end was written, it was lost, or its lease is over. Asks the clock, not the database. */
  get isHalted() {
    if (this.leaseLeft <= 0) this.halt(OVER);
    return this.#halted !== undefined;
  }

  /** 4.2: milliseconds for which the job is yours, counted from when the last confirmed renewal was sent. */
  get leaseLeft() {
    const [{timeout}, {mono, wall}] = [this.#worker.settings(this.type), this.#confirmed];
    const stoodStill = Date.now() - wall - (monotonic() - mono); // of a suspended machine the monotonic clock
    return stoodStill > timeout / 2 ? 0 : mono + timeout - monotonic();
  }

  /** A shorter timeout leaves half of it to renew, and brings back no lease that is over (4.2). @param {number} timeout */
  shorten(timeout) {
    const {mono, wall} = this.#confirmed;
    const by = monotonic() - timeout / 2 - mono;
    if (by > 0 && !this.isHalted) this.#confirmed = {mono: mono + by, wall: wall + by};
  }

  /** @param {string} why */
  halt(why) {
    if (this.#halted) return;
    this.#halted = new HaltError(`${this.doc._id} is not owned any more: ${why}`);
    this.#abort.abort(this.#halted);
    this.#over.abort();
    this.#worker.drop(this);
  }

  /** Stores the progress, and is a sign of life. @param {{progress?: {percent: number, message?: string}}} [changes] */
  update(changes = {}) { return this.#write((job, now) => update(job, changes, now)); }

  /** Ends the run with success. @param {any} [result] any JSON */
  finish(result) { return this.#write((job, now) => finish(job, result, now), true); }

  /**
   * Ends the run with a failure: it is retried by the settings of its type, or has failed for good.
   * @param {string} message @param {{kind?: 'failed' | 'crashed' | 'killed' | 'expired', stack?: string, permanent?: boolean}} [options]
   */
  fail(message, options = {}) {
    return this.#write((job, now) => fail(job, {...options, message, policy: this.#worker.settings(this.type), luck: Math.random()}, now), true);
  }

  /** The job waits again; this run does not count. */
  release() { return this.#write(release, true); }

  /** Ends the run as cancelled, when its creator asked for that. @param {string} [reason] */
  acknowledgeCancel(reason = 'cancelled on request') { return this.#write((job, now) => acknowledgeCancel(job, reason, now), true); }

  /** The claim, writes and readings come one after the other. @template T @param {() => Promise<T>} act @returns {Promise<T>} */
  alone(act) {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }

  /** @param {(job: Doc, now: number) => Doc} change @param {boolean} [ends] @returns {Promise<void>} */
  #write(change, ends = false) {
    return this.alone(() => this.#confirm(change, ends));
  }

  /** The same bytes until a 201, and after a 409 the same change on what others wrote meanwhile (3.3). @param {(job: Doc, now: number) => Doc} change @param {boolean} ends */
  async #confirm(change, ends) {
    const {couch} = this.#worker;
    let [base, next, sent, doubt, failed] = [this.doc, null, null, false, false];
    for (const wait of pauses(50, 2000)) {
      if (this.isHalted) throw this.#halted;
      if (!next) [next, sent] = [change(base, couch.now()), moment()];
      const answer = await this.#put(next);
      const {status, body} = answer;
      doubt ||= status === 202 || isUnknown(answer);
      if (status === 201) return this.#wrote({...next, _rev: body.rev}, sent, ends, doubt);
      const leaves = status === 409 || status === 412 ? await couch.majority(this.doc._id) : null;
      if (leaves) {
        if (ends && doubt && !leaves.some(leaf => isClaim(leaf, this.token))) {
          const stored = leaves.find(leaf => sameEnd(leaf, next));
          if (stored && !couch.isCluster) return this.#wrote(stored, sent, ends, doubt);
          this.halt(UNKNOWN);
        }
        this.#own(leaves);
        // A failure that one copy may have stored counts more than a cancellation (rule 8).
        failed ||= couch.isCluster && next.status === 'failed';
        base = failed ? {...this.doc, cancelRequested: undefined} : this.doc;
        next = null;
      }
      await pause(wait);
    }
  }

  /** @param {Doc} doc */
  #put(doc) {
    return this.#worker.couch.write(doc, this.#third).catch(error => {
      // No document can have this content, or the database refuses it, so the run has failed for good (3.3); a 401 refuses only the user.
      throw Object.assign(error, error.status !== 401 && {permanent: true});
    });
  }

  async #wrote(doc, sent, ends, doubt) {
    const {couch} = this.#worker;
    if (ends && couch.isCluster && (doubt || this.leaseLeft <= 0)) { // rule 9
      const leaves = await couch.majority(doc._id);
      if (!leaves || leaves.some(leaf => standsAgainst(leaf, doc, false))) {
        this.halt(UNKNOWN);
        throw this.#halted;
      }
    }
    this.doc = doc;
    if (!this.isHalted && sent.mono > this.#confirmed.mono) this.#confirmed = sent;
    if (ends) this.halt('its end was written');
  }

  /** Halts at the end of the lease (rule 6), and renews it by an update every third of the timeout (4.1). */
  async keep() {
    const {onError} = this.#worker;
    let renewal;
    for (; !this.isHalted; await pause(50, this.#over.signal)) {
      if (monotonic() < this.#confirmed.mono + this.#third) continue;
      renewal ??= this.update().catch(error => error instanceof HaltError || (onError(error), pause(300))).finally(() => renewal = undefined);
    }
  }

  /** What a request of the owner may take: one that hangs must not cost the lease. */
  get #third() { return Math.ceil(this.#worker.settings(this.type).timeout / 3); }

  /** What the feed shows of the job. Without its token, or beside other leaves, that is a reason to read it, not yet to halt (3.3, rule 19). @param {Doc} [doc] @param {boolean} [several] */
  hear(doc, several = false) {
    const isMine = doc && isClaim(doc, this.token);
    if (isMine && doc.cancelRequested) this.#abort.abort(new CancelError(`${this.doc._id} is to be cancelled`));
    if (!isMine || several) this.doubt().catch(this.#worker.onError);
  }

  /** Reads the job until that tells of what was written last. */
  async doubt() {
    for (const wait of pauses(50, 20000)) {
      const {doc} = this;
      const leaves = await this.#worker.couch.majority(doc._id);
      const isKnown = await this.alone(async () => {
        if (this.isHalted) return true;
        if (!leaves || this.doc !== doc) return false; // what was written meanwhile tells more
        this.#own(leaves);
        return true;
      });
      if (isKnown) return;
      await pause(wait, this.#over.signal);
    }
  }

  /** The leaf of this claim, as a majority has it; without one, or beside one that counts more, the job is lost. @param {Doc[]} leaves */
  #own(leaves) {
    const mine = leaves.find(leaf => isClaim(leaf, this.token));
    if (!mine || leaves.some(leaf => standsAgainst(leaf, mine, false))) this.halt('another worker has it, or it is gone');
    else this.hear(this.doc = mine);
  }
}

/** Claims jobs of some types, and keeps their leases. */
export class Worker {
  /** What is owned, and claims under way, by `_id`. @type {Map<string, Job>} */
  #jobs = new Map();
  /** Jobs that the index showed as due, in the order of claims. @type {Doc[]} */
  #due = [];
  /** Whether the index is to be asked again, and by the server's clock when it has to be. */
  #ask = true;
  #next = 0;
  /** Until when the index is left alone, as full pages of it had nothing to claim. */
  #rest = 0;
  /** Jobs to leave alone for a while (3.2). @type {Map<string, {until: number, waits: Generator<number>}>} */
  #shunned = new Map();
  #settings = new Map();
  #design = '';
  #stop = new AbortController();
  /** Aborted when all runs have ended after `stop`. */
  #done = new AbortController();
  #wake = new AbortController();
  #loop;

  /** Made by a queue. @param {import('./queue.js').Queue} queue @param {string[]} types @param {WorkerOptions} options */
  constructor(queue, types, {id = hostname(), onError = error => console.error(error)}) {
    types.forEach(type => docId(type, '-'));
    const {site, home} = queue.site;
    // Unique for each process: a worker of that very id would take these jobs for those of a process before (3.5).
    this.id = `${id}-${randomUUID().slice(0, 8)}${site ? `@${site}` : ''}`;
    Object.assign(this, {types, onError, couch: queue.couch, defaultTimeout: queue.defaultTimeout});
    this.lines = types.flatMap(type => site ? [`${type}:${site}`, ...home === true ? [type] : []] : [type]); // 7.3
  }

  /** Follows the feed. */
  async start() {
    await this.#findDesign();
    await this.#readSettings();
    await new Promise(resolve => this.#follow(resolve));
    return this;
  }

  /** The settings of a type. @param {string} type */
  settings(type) {
    return this.#settings.get(type); // of each type since the start
  }

  async #readSettings() {
    for (const type of this.types) {
      const now = settings(await this.couch.get(`type:${type}`) ?? {}, this.defaultTimeout);
      for (const job of this.#jobs.values()) if (job.type === type && now.timeout < this.settings(type).timeout) job.shorten(now.timeout);
      this.#settings.set(type, now);
    }
    this.reset();
  }

  /** 6.2: any design document of that name; it is kept until it is gone. */
  async #findDesign() {
    const {rows} = await this.couch.ask('/_all_docs', {startkey: '"_design/jobs-"', endkey: '"_design/jobs-\ufff0"'});
    this.#design = rows.map(row => row.id).find(id => /^_design\/jobs-[0-9a-f]{8}$/.test(id));
    if (!this.#design) throw new Error(`${this.couch.url} has no design document jobs-VERSION: run couchjobs init`);
  }

  /** 6.1: takes the position, reads, and then opens the feed: no wake-up is lost. After a break it begins anew. @param {() => void} ready */
  async #follow(ready) {
    const {signal} = this.#done; // a run that is to end before the worker stops hears of a cancel, too
    while (!signal.aborted) {
      try {
        let since = (await this.couch.info()).update_seq;
        await this.#readSettings();
        for (const job of this.#jobs.values()) job.doubt().catch(this.onError);
        ready();
        while (!signal.aborted) {
          const asked = monotonic();
          const {results, last_seq} = await this.couch.changes(since);
          for (const row of results) await this.#row(row);
          since = last_seq;
          const isCutOff = !results.length && monotonic() < asked + Math.min(1000, this.couch.timeout / 4); // a node in maintenance mode ends each poll at once
          await pause(isCutOff ? away() : 50, signal); // what comes meanwhile comes in one answer
        }
      } catch (error) {
        if (signal.aborted) return;
        this.onError(error);
        await pause(away(), signal);
      }
    }
  }

  /** 6.1: a row is a reason to look. */
  async #row({id, doc, changes}) {
    if (this.types.some(type => id === `type:${type}`)) await this.#readSettings();
    if (!this.types.includes(parseDocId(id)?.type)) return;
    this.#jobs.get(id)?.hear(doc, changes.length > 1);
    if (!doc?.lock) this.reset();
  }

  /** The index is to be asked again. */
  reset() {
    this.#ask = true;
    this.#wake.abort();
  }

  /** 3.1, but for what the index has judged. A job that is only to be ended is left to others (8). @param {Doc} doc */
  #mayClaim({_id, class: name, endAs}) {
    const {paused, classes} = this.settings(parseDocId(_id)?.type);
    return !paused && !endAs && (!classes || classes.includes(name ?? '')) && !this.#jobs.has(_id) && !(this.#shunned.get(_id)?.until > monotonic());
  }

  /** 6.2: asks the index what is due, of each line page by page until one has something to claim. */
  async #look() {
    const isWoken = this.#ask && this.couch.isCluster;
    if (isWoken) await pause(Math.random() * 100, this.#stop.signal); // another worker may be first for the job (8)
    this.#ask = false;
    let now = this.couch.now();
    const due = new Map();
    let [soon, isLong] = [isWoken ? 1000 : LOOK, false]; // an index is read from one copy, which may lag (6.2)
    for (const [id, {until}] of this.#shunned) if (until < monotonic() - 60000) this.#shunned.delete(id);
    for (const line of this.lines.filter(line => !this.settings(line.split(':')[0]).paused)) {
      const before = due.size;
      for (let page = {startkey: [line]}; page;) {
        const answer = await this.couch.ask(`/${this.#design}/_view/due`, {...page, endkey: [line, now + LOOK], limit: PAGE, include_docs: true});
        if (!answer) return this.#findDesign().then(() => this.reset());
        now = this.couch.now(); // the answer may have told of another time
        for (const {id, key, value, doc} of answer.rows) {
          const rest = Math.max(key[1] - now, (this.#shunned.get(id)?.until ?? 0) - monotonic(), this.#jobs.has(id) ? 1000 : 0);
          if (rest > 0) soon = Math.min(soon, rest);
          // The document was read later than the row: claim what the row was built from, nothing newer (3.1).
          else if (doc?._rev === value && this.#mayClaim(doc)) due.set(id, doc);
        }
        const last = answer.rows[PAGE - 1];
        page = last && due.size === before && last.key[1] <= now ? {startkey: last.key, startkey_docid: last.id} : null;
        isLong ||= page !== null;
      }
    }
    this.#due = [...due.values()];
    this.#next = now + (due.size ? 0 : soon);
    if (isLong && !due.size) this.#rest = monotonic() + 1000;
  }

  /** Claims the job that comes first. @returns {Promise<Job | null>} null when nothing is due */
  async claim() {
    while (!this.#stop.signal.aborted) {
      if (this.couch.now() > this.#next + 60_000) this.#due = []; // a claim of what was run, deleted and purged since would be stored
      const doc = this.#due.shift();
      const job = doc && this.#mayClaim(doc) ? await this.#claim(doc) : null;
      if (job) return job;
      if (doc) continue;
      if (!this.#ask && this.couch.now() < this.#next) return null;
      const rest = this.#rest - monotonic();
      if (rest > 0) await pause(rest, this.#stop.signal);
      else await this.#look().catch(error => {
        this.#ask = true;
        throw error;
      });
    }
    return null;
  }

  /** 3.2: claims exactly the revision that the index showed, and acts on the answer. @param {Doc} doc @returns {Promise<Job | null>} */
  async #claim(doc) {
    const {couch} = this;
    const job = new Job(this, claim(doc, {token: randomUUID(), worker: this.id, user: couch.user}, couch.now()), moment());
    this.#jobs.set(doc._id, job); // before the request: what the feed tells of it meanwhile counts
    const {answer, why} = await job.alone(async () => {
      const answer = await couch.put(job.doc);
      if (answer.status === 201) job.doc = {...job.doc, _rev: answer.body.rev};
      const why = answer.status === 201 ? await this.#contested(doc, job.doc).catch(String) : 'no majority confirmed the claim';
      if (why) job.halt('its claim made no owner');
      return {answer, why};
    }).catch(error => ({answer: {status: 0}, why: String(error)}));
    if (!why && !job.isHalted) return this.#stop.signal.aborted && !this.#loop ? null : this.#take(job); // `stop` releases it
    job.halt('its claim made no owner');
    if ([201, 202].includes(answer.status) || isUnknown(answer)) await this.#takeBack(job, `the claim made no owner: ${why || 'its answer came too late'}`);
    if (isRefusal(answer)) this.onError(new CouchError(`claim ${doc._id}`, answer));
    if (isUnknown(answer)) this.#due = []; // the next would be lost, too, and have to be looked for
    if (answer.status !== 409) this.#shun(doc._id);
    return null;
  }

  /** @param {Job} job */
  async #take(job) {
    job.keep();
    this.#shunned.delete(job.doc._id);
    try {
      if (job.doc.array) throw Object.assign(new Error('a chunk of an array, which the JavaScript client does not run'), {permanent: true}); // 1.3
      if (job.doc.data === undefined && job.doc.dataDigest) job.data = await this.#attachedData(job);
      return job.isHalted ? null : job; // its lease is over, or `stop` has released it
    } catch (error) {
      return this.#handle(job, () => { throw error; }).then(() => null);
    }
  }

  /** A server that is away for some seconds fails no run. @param {Job} job */
  async #attachedData(job) {
    let tries = 12;
    for (const wait of pauses(100, 2000)) {
      try {
        return await this.couch.attachedData(job.doc);
      } catch (error) {
        if (job.isHalted || !(error instanceof CouchError) || isRefusal(error) || !--tries) throw error;
      }
      await pause(wait, this.#stop.signal);
    }
  }

  /** Rule 3: what contests a confirmed claim on a cluster, if anything does. @param {Doc} base @param {Doc} claimed */
  async #contested(base, claimed) {
    if (!this.couch.isCluster) return '';
    let tries = 8;
    for (const wait of pauses(100, 2000)) {
      const found = standing(base._rev, claimed, await this.couch.leaves(claimed._id) ?? []);
      if (found !== 'unknown' || !--tries) return found === 'alone' ? '' : found;
      await pause(wait);
    }
  }

  /** A random, growing pause (3.2). @param {string} id */
  #shun(id) {
    const waits = this.#shunned.get(id)?.waits ?? pauses(800, 20000);
    const until = monotonic() + waits.next().value;
    this.#shunned.set(id, {waits, until});
    this.#next = Math.min(this.#next, this.couch.now() + until - monotonic());
  }

  /** Gives back a claim that made no owner (3.5), where a few readings show it. Otherwise it expires, as nobody renews it. @param {Job} job @param {string} reason */
  async #takeBack(job, reason) {
    let tries = this.couch.isCluster ? 4 : 1;
    for (const wait of pauses(100, 2000)) {
      const mine = (await this.couch.leaves(job.doc._id))?.filter(leaf => isClaim(leaf, job.token)) ?? [];
      for (const leaf of mine) {
        const now = this.couch.now();
        await this.couch.put(this.couch.isCluster ? withdraw(leaf, reason, now) : release(leaf, now));
      }
      if (mine.length || !--tries) return;
      await pause(wait);
    }
  }

  /** The job is in other hands, or its end is written, or its lease is over. @param {Job} job */
  drop(job) {
    if (this.#jobs.get(job.doc._id) === job) this.#jobs.delete(job.doc._id);
  }

  /** Runs a handler for each job until `stop`. @param {(job: Job) => any} handler @param {number} concurrency */
  run(handler, concurrency) {
    this.#loop = this.#run(handler, concurrency);
    return this;
  }

  async #run(handler, concurrency) {
    const running = new Set();
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController(); // before looking, so that no wake-up is lost (6.1)
      const job = running.size < concurrency ? await this.claim().catch(async error => void (this.onError(error), await pause(away(), this.#stop.signal))) : null;
      if (job) {
        const run = this.#handle(job, handler).catch(this.onError).finally(() => (running.delete(run), this.#wake.abort()));
        running.add(run);
      } else {
        const wait = running.size === concurrency ? LOOK : this.#ask ? 0 : this.#next - this.couch.now();
        await pause(Math.min(LOOK, Math.max(1, wait)), this.#wake.signal);
      }
    }
    await Promise.all(running);
  }

  /** Ends the run as its handler ended (3.4). @param {Job} job @param {(job: Job) => any} handler */
  async #handle(job, handler) {
    try {
      const result = await handler(job);
      if (!job.isHalted) await job.finish(result).catch(error => {
        if (error.status !== 401) throw error;
        this.onError(error); // the user was refused, so this is no failure of the run
      });
    } catch (/** @type {any} */ error) {
      const {message = error, stack, permanent} = error ?? {};
      const end = () => job.isCancelRequested ? job.acknowledgeCancel() : job.fail(String(message), {stack, permanent: permanent === true});
      if (!job.isHalted) await end().catch(lost => lost instanceof HaltError || this.onError(lost));
    } finally {
      job.halt('its run is over'); // where no end could be written: nobody renews its lease, and it expires
    }
  }

  /**
   * Claims no more, waits for the running handlers, at most `grace` ms, and releases the jobs that are left, also those that were claimed by hand.
   * A handler that awaits it without a `grace` waits for itself, for ever. @param {{grace?: number}} [options]
   */
  async stop({grace = Infinity} = {}) {
    this.#stop.abort();
    this.#wake.abort();
    await Promise.race([this.#loop, pause(grace, this.#done.signal)]);
    await Promise.all([...this.#jobs.values()].map(job => job.release().catch(error => {
      if (!(error instanceof HaltError)) this.onError(error);
      job.halt('its worker has stopped');
    })));
    this.#done.abort();
  }
}
