/**
 * The rules of docs/protocol.md as pure functions: names, transitions, retries, and what the leaves of a
 * document say. No I/O and no imports, so that a browser takes it too. Numbers in comments are sections or rules of that page.
 * A transition takes the job as it was read and returns the document to write on its `_rev`.
 * @module
 */

/** @typedef {Record<string, any>} Doc a document of CouchDB */

/** A request that cannot be a job, or a verb that the job's status refuses (2.2, 3.4). Names the field and its value. */
export class RefusedError extends Error {
  name = 'RefusedError';
}

const MOST = 2147483647;
const ENDS = ['success', 'failed', 'cancelled'];
/** What "afresh" removes (2.2, 3.4). */
const AFRESH = {attempt: undefined, expirations: undefined, result: undefined, progress: undefined, errors: undefined, cancelRequested: undefined};
/** What the end of a run removes of a request to cancel it (3.4). */
const UNASKED = {cancelRequested: undefined, cancelReason: undefined};

// Names and fields (1.1, 1.2)

const isString = v => typeof v === 'string';
const isObject = v => typeof v === 'object' && v !== null && !Array.isArray(v);
const isInteger = (v, least, most) => Number.isInteger(v) && v >= least && v <= most;
const isName = (v, longest) => isString(v) && v.length <= longest && /[^ ]/.test(v) && !/[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u.test(v);

const isProgress = ({percent, message}) => typeof percent === 'number' && percent >= 0 && percent <= 100 && (message == null || isString(message));

/** What a creator may write beside the data. */
const FIELDS = {
  group: isString, class: isString, origin: isString, correlationId: isString, tracker: isString, traceparent: isString, tracestate: isString,
  tags: v => Array.isArray(v) && v.every(isString),
  priority: v => isInteger(v, 0, 99), maxRetries: v => isInteger(v, 0, MOST), scheduledTime: v => isInteger(v, -8.64e15, 8.64e15),
  site: v => isString(v) && /^[A-Za-z0-9._-]{1,64}$/.test(v),
  after: v => isObject(v) && Array.isArray(v.jobs) && v.jobs.length > 0 && v.jobs.length <= 10000 && v.jobs.every(parseDocId) &&
    (v.onFailure == null || ['cancel', 'run', 'wait'].includes(v.onFailure)),
};

/** The `_id` of a job. @param {string} type @param {string} id */
export function docId(type, id) {
  if (!isName(type, 128) || type.includes(':')) throw new RefusedError(`type ${JSON.stringify(type)}: 1 to 128 characters, no colon, no control characters`);
  if (!isName(id, 512)) throw new RefusedError(`id ${JSON.stringify(id)}: 1 to 512 characters, no control characters`);
  return `job:${type}:${id}`;
}

/** The type and id that an `_id` names, or null when it is not that of a job. @returns {{type: string, id: string} | null} */
export function parseDocId(name) {
  const parts = isString(name) ? /^job:([^:]*):(.*)$/s.exec(name) : null;
  return parts && isName(parts[1], 128) && isName(parts[2], 512) ? {type: parts[1], id: parts[2]} : null;
}

/** An `_id` as the path segment of a URL. @param {string} id */
export function path(id) {
  const [, place = '', name] = /^(_local\/|_design\/)?(.*)$/s.exec(id);
  return place + encodeURIComponent(name).replace(/[!'()*]/g, c => '%' + c.charCodeAt(0).toString(16).toUpperCase());
}

/** Whether JSON can tell a value by so many levels of objects and arrays. */
function isJson(value, levels) {
  const json = typeof value?.toJSON === 'function' ? value.toJSON() : value;
  if (typeof json !== 'object' || json === null) return typeof json !== 'bigint';
  return levels > 0 && Object.values(json).every(inner => isJson(inner, levels - 1));
}

/** 1.1: refuses a document that cannot be stored. @param {Doc} doc @returns {Doc} */
export function storable(doc) {
  const bad = Object.keys(doc).find(field => !isJson(doc[field], 499));
  if (bad) throw new RefusedError(`${bad}: a document is JSON of at most 500 levels, itself included`);
  return doc;
}

export const generation = rev => parseInt(rev ?? '0', 10) || 0;
/** Whether a leaf is the claim of this token, and counts. @param {Doc} leaf @param {string} token */
export const isClaim = (leaf, token) => !leaf._deleted && leaf.lock?.token === token && !leaf.lock.withdrawn;
export const status = job => job.status ?? 'waiting';
export const isOwned = job => job.status === 'running'; // this client starts what it claims
export const isPending = job => ['waiting', 'stuck'].includes(status(job));
export const isFinished = job => !job._deleted && ENDS.includes(job.status);

/** A scheduled time in milliseconds: others may have written seconds. */
export function millis(time) {
  const isSeconds = t => t > 0 && t < 1e11;
  const ms = isSeconds(time) ? time * 1000 : time ?? 0;
  return isSeconds(ms) ? 0 : ms;
}

// Transitions (2.2, 3.2 to 3.5)

/** 1.3: a claim, and each new wish for a job, takes the next fence. */
const nextFence = job => job.fence == null ? Math.max(1, generation(job._rev)) : Math.min(job.fence + 1, MOST);

/** A write of a job: it keeps all that it does not name (1.1), attachments and unknown fields too. `undefined` removes a field. */
function written(job, changes, moments) {
  const {_revisions, _conflicts, ...next} = job;
  Object.assign(next, {status: status(job), fence: job.fence ?? Math.max(1, generation(job._rev)) - 1}, changes, {times: {...job.times, ...moments}});
  if (next.scheduledTime != null) next.scheduledTime = millis(next.scheduledTime);
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

/** As CouchDB takes it: it refuses half of a surrogate pair. */
const text = (words, longest) => String(words).slice(0, longest).replace(/\p{Surrogate}/gu, '\ufffd');

const withError = (job, {stack, ...error}) => [...job.errors ?? [],
  {attempt: job.attempt ?? 0, ...error, message: text(error.message, 2000), ...stack && {stack: text(stack, 8000)}}].slice(-10);

function mustBe(allowed, job, verb) {
  if (!allowed(job)) throw new RefusedError(`${verb} ${job._id}: its status is ${status(job)}`);
}

/** The id of a new job: a tracker makes one. @param {{id?: string, tracker?: string}} options @param {() => string | undefined} random */
export function newId({id, tracker}, random) {
  if (id != null && tracker != null) throw new RefusedError(`tracker ${JSON.stringify(tracker)}: it makes the id, but id is ${JSON.stringify(id)}`);
  return id ?? (tracker == null ? random() : `tracker:${tracker}`);
}

/** 2.1: a new job. @param {string} type @param {Doc} data @param {Doc} options fields by their names in the protocol @param {number} now @returns {Doc} */
export function create(type, data, {id, ...options}, now) {
  if (!isObject(data)) throw new RefusedError(`data ${JSON.stringify(data)}: must be an object`);
  const given = Object.entries(options).filter(([, value]) => value != null);
  for (const [field, value] of given) {
    if (!FIELDS[field]?.(value)) throw new RefusedError(`${field} ${JSON.stringify(value)}: ${FIELDS[field] ? 'cannot be that of a job' : 'no field of a new job'}`);
  }
  const {scheduledTime: at = 0, ...said} = Object.fromEntries(given);
  // A time that is given here is in milliseconds; one before 1973-03-03 means at once.
  return {_id: docId(type, id ?? `tracker:${options.tracker}`), status: 'waiting', scheduledTime: at > 0 && at < 1e11 ? 0 : at, data, ...said, times: {created: now}};
}

/** 3.2: a claim; it runs at once. @param {Doc} job @param {{token: string, worker: string, user?: string}} lock @param {number} now @returns {Doc} */
export function claim(job, {token, worker, user}, now) {
  mustBe(job => isPending(job) && !job.after, job, 'claim');
  const lock = {token, worker, since: now, ...user && {user}};
  const attempt = Math.min((job.attempt ?? 0) + 1, MOST);
  return written(job, {status: 'running', lock, fence: nextFence(job), attempt, progress: undefined, cancelRequested: undefined}, {claimed: now, started: now});
}

/** 3.3. @param {Doc} job @param {{progress?: Doc}} changes @param {number} now */
export function update(job, {progress, ...others}, now) {
  mustBe(isOwned, job, 'update');
  for (const field in others) if (others[field] != null) throw new RefusedError(`${field}: an owner can update only its progress`);
  if (progress != null && !isProgress(progress)) throw new RefusedError(`progress ${JSON.stringify(progress)}: must be {percent: 0 to 100, message: text}`);
  const last = job.times?.updated; // perhaps by a clock that is ahead, but the latest update counts (5.5)
  const updated = Number.isInteger(last) ? Math.max(now, last + 1) : now;
  return written(job, progress ? {progress: {...progress, percent: Math.floor(progress.percent)}} : {}, {updated});
}

/** 3.4, first column: the run that was asked for (rule 10: it takes the next fence). */
const again = (job, changes, moments) => written(job, {status: 'waiting', scheduledTime: job.resubmit.scheduledTime ?? 0, resubmit: undefined,
  lock: undefined, fence: nextFence(job), ...changes}, moments);

const cancelled = (job, changes, moments) => written(job, {status: 'cancelled', lock: undefined, cancelRequested: undefined, resubmit: undefined,
  progress: undefined, ...changes}, moments);

/** 3.4. @param {Doc} job @param {any} result @param {number} now */
export function finish(job, result, now) {
  mustBe(isOwned, job, 'finish');
  if (job.resubmit) return again(job, AFRESH, {finished: now});
  return written(job, {status: 'success', lock: undefined, ...UNASKED, result}, {finished: now});
}

/** 3.4. @param {Doc} job @param {{message: string, kind?: string, stack?: string, permanent?: boolean, policy: Doc, luck?: number}} failure @param {number} now */
export function fail(job, {message, kind = 'failed', stack, permanent = false, policy, luck = 0}, now) {
  mustBe(isOwned, job, 'fail');
  if (job.resubmit) return again(job, AFRESH, {failed: now});
  const errors = withError(job, {at: now, kind, message, stack});
  const ended = {failed: now, finished: now};
  if (job.cancelRequested) return written(job, {status: 'cancelled', lock: undefined, errors, ...UNASKED}, ended);
  if (permanent || isLast(job, policy)) return written(job, {status: 'failed', lock: undefined, errors}, ended);
  const failures = Math.max(1, (job.attempt ?? 0) - (job.expirations ?? 0));
  const scheduledTime = (job.times?.started ?? now) + retryDelay(policy, failures - 1, luck);
  return written(job, {status: 'stuck', lock: undefined, errors, scheduledTime}, {failed: now});
}

/** 3.4: the job waits again, and the run does not count. @param {Doc} job @param {number} now */
export function release(job, now) {
  mustBe(isOwned, job, 'release');
  const back = {attempt: Math.max(0, (job.attempt ?? 0) - 1), progress: undefined, cancelRequested: undefined};
  if (job.resubmit) return again(job, back, {released: now});
  if (job.cancelRequested) return cancelled(job, {}, {finished: now});
  return written(job, {status: 'waiting', lock: undefined, ...back}, {released: now});
}

/** 3.4: the owner has stopped because it was asked to. @param {Doc} job @param {string} reason @param {number} now */
export function acknowledgeCancel(job, reason, now) {
  mustBe(isOwned, job, 'acknowledge the cancel of');
  if (job.resubmit) return again(job, AFRESH, {});
  const message = job.cancelRequested && isString(job.cancelReason) ? `${reason}: ${job.cancelReason}` : reason;
  return cancelled(job, {errors: withError(job, {at: now, kind: 'cancelled', message}), ...UNASKED}, {stopped: now, finished: now});
}

/** 3.5 and rule 2: the claim counts for nothing. @param {Doc} job @param {string} reason @param {number} now */
export function withdraw(job, reason, now) {
  mustBe(isOwned, job, 'withdraw');
  return written(job, {lock: {...job.lock, withdrawn: {at: now, reason}}}, {});
}

/** 3.4: whether no retry is left when this run fails. */
export const isLast = (job, policy) => (job.attempt ?? 0) - (job.expirations ?? 0) > (job.maxRetries ?? policy.maxRetries);

/** 3.4: from the start of the failed run to the retry. `failure` is 0 for the first, `luck` from 0 to 1. */
export function retryDelay({retryDelay, maxRetryDelay, retryJitter}, failure, luck) {
  const delay = Math.min(retryDelay * 2 ** Math.min(failure, 62), Math.max(retryDelay, maxRetryDelay));
  return Math.min(Math.floor(delay * (1 + retryJitter * luck)), 36500 * 86400000);
}

/** The settings of a type (7.1) that this client follows; a value that cannot be counts as absent. @param {Doc} [doc] @param {number} [defaultTimeout] */
export function settings(doc = {}, defaultTimeout = 60000) {
  const number = (v, least, most, absent) => isInteger(v, least, most) ? v : absent;
  return {timeout: number(doc.timeout, 1, 86.4e9, defaultTimeout), maxRetries: number(doc.maxRetries, 0, Infinity, 5),
    retryDelay: number(doc.retryDelay, 0, Infinity, 30000), maxRetryDelay: number(doc.maxRetryDelay, 0, Infinity, 43200000),
    retryJitter: doc.retryJitter >= 0 && doc.retryJitter <= 1 ? doc.retryJitter : 0,
    paused: doc.paused === true, classes: Array.isArray(doc.classes) ? doc.classes : null};
}

// What a reading is worth

/** Whether a leaf is this end of a run, by its moments. @param {Doc} leaf @param {Doc} end */
export const sameEnd = (leaf, end) => !leaf._deleted && leaf.status === end.status && Object.entries(end.times).every(([moment, at]) => leaf.times?.[moment] === at);

/** The revisions of a leaf's branch, the newest first. @param {Doc} leaf @returns {string[]} */
export const history = ({_rev, _revisions}) => _revisions ? _revisions.ids.map((id, i) => `${_revisions.start - i}-${id}`) : [_rev];

/** 5.2: the fence as it counts. @param {Doc} leaf @returns {number} */
export function fence(leaf) {
  const stored = leaf.fence ?? Math.max(0, generation(leaf._rev) - 1);
  if (!leaf.lock?.withdrawn) return stored;
  return leaf.resubmit ? stored + 1 : Math.max(0, stored - 1);
}

/**
 * Rule 3: whether a claim that was answered 201 owns the job, by all leaves that were read after it.
 * @param {string} base the revision that was claimed @param {Doc} claim @param {Doc[]} leaves
 * @returns {'alone' | 'unknown' | 'contested'}
 */
export function standing(base, claim, leaves) {
  const others = leaves.filter(leaf => !history(leaf).includes(claim._rev));
  if (others.length === leaves.length) return 'unknown';
  // Rule 4: a claim of the same revision, or one that was taken back, contests nothing.
  const isHarmless = leaf => generation(leaf._rev) === generation(base) + 1 || (leaf.lock.withdrawn?.reason ?? 'expired') !== 'expired';
  const contests = leaf => leaf._deleted
    ? !leaf.resolved && fence(leaf) >= claim.fence - 1
    : !(leaf.lock && leaf.fence === claim.fence && history(leaf).includes(base) && isHarmless(leaf));
  return others.some(contests) ? 'contested' : 'alone';
}

/** Whether a leaf of a majority speaks against the write `doc`: any live one where it must be `alone`, else one that counts more. */
export function standsAgainst(leaf, doc, alone) {
  if (leaf.resolved || history(leaf).includes(doc._rev)) return false;
  return (alone && !leaf._deleted) || fence(leaf) > fence(doc) || (fence(leaf) === fence(doc) && leaf.removedBy === 'retention');
}

/** 6.3: in which of the `q` parts of a database a document is. @param {string} id @param {number} q */
export function part(id, q) {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(id)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return Math.min(q - 1, Math.floor(((crc ^ 0xffffffff) >>> 0) / Math.floor(2 ** 32 / q)));
}

/** 6.3: the document whose confirmed write tells that a majority of that part is in reach. @param {string} id @param {number} q */
export function probe(id, q) {
  for (let n = 0; ; n++) if (part(`_local/couchjobs-probe-${n}`, q) === part(id, q)) return `_local/couchjobs-probe-${n}`;
}
