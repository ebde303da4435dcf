/**
 * Jobs from PouchDB, in a browser or on a phone: in a local database that replicates to the queue (docs/sites.md). Works offline. A phone
 * creates and cancels jobs and reads how they end; it never claims, ends or removes one.
 * @module
 */
import {cancel, cancelVerb, create, docId, isFinished, RefusedError, storable} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{put: (doc: any) => Promise<any>, get: (id: string, options?: any) => Promise<any>}} Pouch a PouchDB database */

/** The documents to replicate: `db.sync(url, {live: true, retry: true, selector: jobsOnly})`. */
export const jobsOnly = {_id: {$gte: 'job:', $lt: 'job;'}};

/**
 * Creates a job in the local database; replication brings it to the queue.
 * @param {Pouch} db @param {string} type @param {Doc} [data]
 * @param {Omit<import('./queue.js').JobOptions, never>} [options] `id`: one that no other phone chooses, default a random UUID; `site`: where the queue's database has a name
 * @returns {Promise<{outcome: 'added' | 'exists', id: string}>} `exists`: in the local database. When two phones choose one id, the first to be replicated wins
 */
export async function createJob(db, type, data = {}, options = {}) {
  const id = options.id ?? (options.tracker ? `tracker:${options.tracker}` : globalThis.crypto?.randomUUID?.());
  if (!id) throw new RefusedError('id undefined: this platform makes no random UUIDs, so give one');
  try {
    await db.put(storable(create(type, data, {...options, id}, Date.now())));
    return {outcome: 'added', id};
  } catch (/** @type {any} */ error) {
    if (error.status !== 409) throw error;
    return {outcome: 'exists', id};
  }
}

/**
 * Cancels a job as far as the local database knows it: one that waits is cancelled, of one that runs it is asked. Of one that waits again after an
 * owner lost it or gave it back it is asked, too: that owner may have ended it, and the next claim cancels it. Where the queue's worker was
 * faster, the conflict is resolved there: a run that has ended counts.
 * @param {Pouch} db @param {string} type @param {string} id @param {string} [reason]
 * @returns {Promise<'cancelled' | 'requested' | 'success' | 'failed'>}
 */
export async function cancelJob(db, type, id, reason) {
  const job = await db.get(docId(type, id), {conflicts: true});
  if (job._conflicts) throw new RefusedError(`cancel ${job._id}: it has conflicts, which the queue resolves; try again after replication`);
  if (isFinished(job)) return job.status;
  const verb = cancelVerb(job, true);
  const next = verb(job, reason, Date.now());
  if (next) await db.put(next);
  return verb === cancel ? 'cancelled' : 'requested';
}
