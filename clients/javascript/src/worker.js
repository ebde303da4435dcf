/**
 * A worker: its registration, the jobs that are due, claims, and a loop that runs a handler.
 * @module
 */
import {randomUUID} from 'node:crypto';
import {hostname} from 'node:os';
import {CouchError, monotonic, pause, pauses} from './couch.js';
import {HaltError, Job, moment} from './job.js';
import {claim, docId, generation, parseDocId, release, settings, standing, withdraw} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{id?: string, share?: boolean, onError?: (error: unknown) => void}} WorkerOptions `id`: the first part of the worker's id */

const PAGE = 200;
/** How often an idle worker gives a sign of life, and how often the clock, and so the index, is looked at (4.1, 6.1). */
const [IDLE_BEAT, LOOK] = [300000, 20000];
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export class Worker {
  /** When the renewal of all leases was sent that was confirmed last (4.2). */
  confirmed = {mono: -Infinity, wall: Date.now()};
  /** @type {Map<string, Job>} */ #owned = new Map();
  /** Tokens of claims that are held or under way (rule 5). @type {Set<string>} */ #tokens = new Set();
  /** Jobs that the index showed as due, in the order of claims. @type {Doc[]} */ #due = [];
  /** Whether the index is to be asked again, and by the server's clock when it has to be. */ #ask = true;
  #next = 0;
  /** Jobs to leave alone for a while (3.2). @type {Map<string, {until: number, waits: Generator<number>}>} */ #shunned = new Map();
  /** @type {Map<string, ReturnType<typeof settings> & {heard: number}>} */ #settings = new Map();
  #stale = true;
  #design = '';
  /** @type {Doc} */ #registration = {_id: ''};
  /** @type {NodeJS.Timeout | undefined} */ #timer;
  #stop = new AbortController();
  #closed = false;
  #wake = new AbortController();
  /** @type {Promise<void> | undefined} */ #loop;

  /** Made by a queue. @param {import('./queue.js').Queue} queue @param {string[]} types @param {WorkerOptions} options */
  constructor(queue, types, {id = hostname(), share = false, onError = error => console.error(error)}) {
    types.forEach(type => docId(type, '-'));
    const site = queue.site.name;
    // Unique for each process: so the jobs of one that was killed expire, and are not taken for this one's.
    this.id = `${id}-${randomUUID().slice(0, 8)}${site ? `@${site}` : ''}`;
    Object.assign(this, {queue, types, onError, couch: queue.couch});
    this.#registration = {_id: `worker:${this.id}`, pid: process.pid, types: share ? types : [], started: this.couch.now(), beat: 0,
      ...this.couch.user && {user: this.couch.user}, ...site && {site}};
  }

  /** Registers the worker before its first claim (4.1). */
  async start() {
    await this.#findDesign();
    await this.#readSettings();
    while (!await this.#beat()) await pause(500);
    await this.queue.listen(this);
    return this;
  }

  /** The settings of a type, and on the monotonic clock when its timeout was heard to have changed. @param {string} type */
  settings(type) {
    return this.#settings.get(type) ?? {...settings(), heard: -Infinity};
  }

  async #readSettings() {
    const {rows} = await this.couch.ask('POST', '/_all_docs?include_docs=true', {keys: this.types.map(type => `type:${type}`)});
    this.#stale = false;
    for (const [i, type] of this.types.entries()) {
      const [before, now] = [this.#settings.get(type), settings(rows[i].doc ?? {})];
      this.#settings.set(type, {...now, heard: !before ? -Infinity : before.timeout === now.timeout ? before.heard : monotonic()});
    }
    for (const job of this.#owned.values()) job.watch();
    this.#schedule();
    this.reset();
  }

  /** 6.2: any design document of that name; it is kept until it is gone. */
  async #findDesign() {
    const {rows} = await this.couch.view('/_all_docs', {startkey: '_design/jobs-', endkey: '_design/jobs-\ufff0'});
    this.#design = rows.map((/** @type {Doc} */ row) => row.id).find((/** @type {string} */ id) => /^_design\/jobs-[0-9a-f]{8}$/.test(id));
    if (!this.#design) throw new Error(`${this.couch.url} has no design document jobs-VERSION: run couchjobs init`);
    this.#registration.designs = [this.#design.slice(8)];
  }

  /** One sign of life. Only a 201 renews (4.1). */
  async #beat() {
    if (this.#stale) this.#readSettings().catch(this.onError);
    const sent = moment();
    const beat = this.#registration.beat += 1;
    const next = {...this.#registration, running: this.#owned.size, at: this.couch.now(), next: this.#interval()};
    const {status, rev, body} = await this.couch.put(next);
    if (status === 201) [this.#registration, this.confirmed] = [{...next, _rev: rev, beat}, sent];
    else if (status === 401 || status === 403) throw new CouchError(`register ${next._id}`, {status, body});
    else this.#registration._rev = (await this.couch.get(next._id).catch(() => next))?._rev;
    this.#schedule(status === 201 ? undefined : 200);
    return status === 201;
  }

  /** A third of the shortest timeout of what is owned (4.1). */
  #interval() {
    return Math.floor(Math.min(IDLE_BEAT, ...[...this.#owned.values()].map(job => this.settings(job.type).timeout / 3)));
  }

  /** @param {number} [wait] */
  #schedule(wait = Math.max(0, this.confirmed.mono + this.#interval() - monotonic())) {
    clearTimeout(this.#timer);
    if (!this.#closed && this.confirmed.mono > -Infinity) this.#timer = setTimeout(() => this.#beat().catch(this.onError), wait);
  }

  /** 6.1: a row is a reason to look. @param {Doc} row */
  row({id, doc}) {
    if (this.types.some(type => id === `type:${type}`)) this.#readSettings().catch(error => (this.#stale = true, this.onError(error)));
    if (!this.types.includes(parseDocId(id)?.type ?? '')) return;
    const job = this.#owned.get(id);
    if (job) job.look(doc).catch(error => error instanceof HaltError || this.onError(error));
    // Rule 5: a claim that came to be after its answer was given up.
    else if (doc?.lock?.worker === this.id && !doc.lock.withdrawn && !this.#tokens.has(doc.lock.token)) this.#giveBack(doc, 'its answer came too late');
    if (!doc?.lock) this.reset();
  }

  /** The index is to be asked again. */
  reset() {
    this.#ask = true;
    this.#wake.abort();
  }

  /** 3.1, but for what the index has judged. @param {Doc} doc */
  #mayClaim({_id, class: name = ''}) {
    const {paused, classes} = this.settings(parseDocId(_id)?.type ?? '');
    return !paused && (!classes || classes.includes(name)) && !((this.#shunned.get(_id)?.until ?? 0) > monotonic());
  }

  /** 6.2: asks the index, of each line page by page until one has something to claim. */
  async #look() {
    this.#ask = false;
    const [now, {name, home}] = [this.couch.now(), this.queue.site];
    this.#next = now + LOOK;
    const lines = this.types.flatMap(type => name ? [`${type}:${name}`, ...home ? [type] : []] : [type]); // 7.3
    this.#due = [];
    for (const view of ['stuck', 'due']) {
      const found = [];
      for (const line of lines) {
        for (let from = {startkey: [line]}, full = true; full;) {
          const {rows} = await this.couch.view(`/${this.#design}/_view/${view}`, {...from, endkey: [line, {}], limit: PAGE, include_docs: true});
          const later = rows.find((/** @type {Doc} */ row) => row.key[1] > now);
          if (later) this.#next = Math.min(this.#next, later.key[1]);
          // The document was read later than the row: claim what the row was built from, nothing newer (3.1).
          const due = rows.filter((/** @type {Doc} */ {key, value, doc}) => key[1] <= now && doc?._rev === value && this.#mayClaim(doc));
          found.push(...due);
          if (rows.length === PAGE && due.length) this.#ask = true;
          full = rows.length === PAGE && !later && !due.length;
          if (full) from = {startkey: rows[PAGE - 1].key, startkey_docid: rows[PAGE - 1].id};
        }
      }
      found.sort((a, b) => a.key[1] - b.key[1]);
      this.#due.push(...found.map(row => row.doc).filter(doc => !this.#due.some(({_id}) => _id === doc._id)));
    }
  }

  /** Claims the job that comes first. @returns {Promise<Job | null>} null when nothing is due */
  async claim() {
    if (this.#stale) await this.#readSettings();
    while (!this.#stop.signal.aborted) {
      const doc = this.#due.shift();
      const job = doc && this.#mayClaim(doc) ? await this.#claim(doc) : null;
      if (job) return job;
      if (doc) continue;
      if (!this.#ask && this.couch.now() < this.#next) return null;
      await this.#look().catch(async error => {
        this.#ask = true;
        if (error.status !== 404) throw error;
        await this.#findDesign();
      });
    }
    return null;
  }

  /** 3.2: one claim, and what its answer is worth. @param {Doc} doc @returns {Promise<Job | null>} */
  async #claim(doc) {
    const {type = '', id = ''} = parseDocId(doc._id) ?? {};
    const claimed = claim(doc, {token: randomUUID(), worker: this.id, user: this.couch.user}, this.couch.now());
    this.#tokens.add(claimed.lock.token);
    const sent = moment();
    const giveUp = () => this.#stop.signal.aborted || monotonic() - sent.mono > this.settings(type).timeout;
    const {status, rev} = await this.couch.store(claimed, {giveUp, resend: false});
    if (status === 201 || status === 202) {
      const job = new Job(this, {...claimed, _rev: rev}, sent);
      const why = status === 202 ? 'no quorum confirmed the claim' : await this.#contested(doc, job.doc, id);
      if (!why && !job.isHalted) return this.#take(job);
      job.halt(why);
      this.#giveBack(job.doc, why || 'its answer came too late');
    } else {
      this.#tokens.delete(claimed.lock.token);
    }
    if (status !== 409) this.#shun(doc._id);
    return null;
  }

  /** @param {Job} job */
  async #take(job) {
    this.#owned.set(job.doc._id, job);
    this.#shunned.delete(job.doc._id);
    this.#schedule();
    try {
      await job.load();
      return job;
    } catch (error) {
      return job.fail(String(error)).then(() => null);
    }
  }

  /** Rule 3: what contests a confirmed claim on a cluster, if anything does. @param {Doc} base @param {Doc} claimed @param {string} id */
  async #contested(base, claimed, id) {
    if (!this.couch.isCluster || (generation(base._rev) === 1 && UUID.test(id))) return '';
    const found = standing(base._rev, claimed, await this.couch.leaves(claimed._id).catch(() => []));
    return found.standing === 'alone' ? '' : found.standing === 'unknown' ? 'the claim was not found again' : `contested by ${found.by}`;
  }

  /** A random, growing pause (3.2). @param {string} id */
  #shun(id) {
    const waits = this.#shunned.get(id)?.waits ?? pauses(800, 20000);
    const until = monotonic() + (waits.next().value ?? 0);
    this.#shunned.set(id, {waits, until});
    this.#next = Math.min(this.#next, this.couch.now() + until - monotonic());
  }

  /**
   * 3.5: releases a claim that has not run; on a cluster, and where it may have run, withdraws it: a library worker does the rest. Goes on in the
   * background until it is done, as the living registration would keep the job from everybody.
   * @param {Doc} claimed @param {string} reason
   */
  async #giveBack({_id, lock: {token}}, reason) {
    this.#tokens.add(token);
    for (const wait of pauses(100, 10000)) {
      const leaves = await this.couch.leaves(_id).catch(() => null);
      const leaf = leaves?.find(leaf => leaf.lock?.token === token && !leaf.lock.withdrawn);
      const now = this.couch.now();
      if (leaves && !leaf) break;
      const back = leaf && (this.couch.isCluster || reason === 'expired' ? withdraw(leaf, reason, now) : release(leaf, now));
      if (back && [201, 202].includes((await this.couch.put(back)).status)) break;
      if (this.#closed) break; // the registration is gone, and a monitor takes the job back
      await pause(wait, this.#stop.signal);
    }
    this.#forget(token);
  }

  /** The feed still tells old stories of a claim. @param {string} token */
  #forget(token) {
    setTimeout(() => this.#tokens.delete(token), 30000).unref();
  }

  /** The job is in other hands, or its end is written. @param {Job} job @param {boolean} ended */
  gone(job, ended) {
    if (!this.#owned.delete(job.doc._id)) return;
    if (ended) this.#forget(job.token);
    else if (!this.#loop) this.#giveBack(job.doc, 'expired');
  }

  /** Runs a handler for each job until `stop`. @param {(job: Job) => any} handler @param {number} concurrency */
  run(handler, concurrency) {
    this.#loop = this.#run(handler, concurrency);
    return this;
  }

  /** @param {(job: Job) => any} handler @param {number} concurrency */
  async #run(handler, concurrency) {
    const running = new Set();
    const waits = pauses(200, 5000);
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController(); // before looking, so that no wake-up is lost (6.1)
      const job = running.size < concurrency ? await this.claim().catch(this.onError) : null;
      if (job) {
        const run = this.#handle(job, handler).catch(this.onError).finally(() => (running.delete(run), this.#wake.abort()));
        running.add(run);
      } else {
        const wait = this.#ask && running.size < concurrency ? waits.next().value ?? 0 : this.#next - this.couch.now();
        await pause(running.size < concurrency ? Math.min(LOOK, Math.max(1, wait)) : LOOK, this.#wake.signal);
      }
    }
    await Promise.all(running);
  }

  /** @param {Job} job @param {(job: Job) => any} handler */
  async #handle(job, handler) {
    try {
      const result = await handler(job);
      if (!job.isEnded && !job.isHalted) await job.finish(result);
    } catch (/** @type {any} */ error) {
      // A write that the database refuses: the run has failed for good (3.3).
      const permanent = error?.permanent === true || error instanceof CouchError;
      const end = () => job.isCancelRequested ? job.acknowledgeCancel() : job.fail(String(error?.message ?? error), {stack: error?.stack, permanent});
      if (!job.isEnded && !job.isHalted) await end().catch(lost => lost instanceof HaltError || this.onError(lost));
    }
    if (job.isHalted) await this.#giveBack(job.doc, 'expired');
  }

  /** Claims no more, waits for the running handlers, releases what was claimed by hand, and removes the registration (4.1). */
  async stop() {
    this.#stop.abort();
    this.#wake.abort();
    await this.#loop;
    await Promise.all([...this.#owned.values()].map(job => job.release().catch(this.onError)));
    this.queue.unlisten(this);
    this.#closed = true;
    clearTimeout(this.#timer);
    for (let tries = 0; tries < 5; tries++) {
      if ((await this.couch.put({...this.#registration, _deleted: true})).status === 201) break;
      this.#registration._rev = (await this.couch.get(this.#registration._id).catch(() => this.#registration))?._rev;
    }
  }
}
