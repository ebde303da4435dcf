/**
 * Jobs from PouchDB, in a browser or on a phone: in a local database that replicates to the queue (docs/sites.md). Works offline. A phone
 * creates jobs and reads how they end; it never claims, ends or removes one.
 * @module
 */
import {create, newId, RefusedError, storable} from './protocol.js';

/** @typedef {import('./protocol.js').Doc} Doc */
/** @typedef {{put: (doc: any) => Promise<any>}} Pouch a PouchDB database */

/** The documents to replicate: `db.sync(url, {live: true, retry: true, selector: jobsOnly})`. */
export const jobsOnly = {_id: {$gte: 'job:', $lt: 'job;'}};

/**
 * Creates a job in the local database; replication brings it to the queue.
 * @param {Pouch} db @param {string} type @param {Doc} [data]
 * @param {Omit<import('./queue.js').JobOptions, never>} [options] `id`: one that no other phone chooses, default a random UUID; `site`: where the queue's database has a name
 * @returns {Promise<{outcome: 'added' | 'exists', id: string}>} `exists`: in the local database. When two phones choose one id, the first to be replicated wins
 */
export async function createJob(db, type, data = {}, options = {}) {
  const id = newId(options, () => globalThis.crypto?.randomUUID?.());
  if (!id) throw new RefusedError('id undefined: this platform makes no random UUIDs, so give one');
  try {
    await db.put(storable(create(type, data, {...options, id}, Date.now())));
    return {outcome: 'added', id};
  } catch (/** @type {any} */ error) {
    if (error.status !== 409) throw error;
    return {outcome: 'exists', id};
  }
}
