// What the page does, for a browser and for Node.
import {createJob, jobsOnly} from '../../clients/javascript/src/pouch.js';

/** Works offline: the job is in the local database until there is a network. */
export const order = (db, to) => createJob(db, 'email', {to, subject: 'Your order'});

/** Brings jobs to the queue, and their ends back. Calls show(job) for each change, until cancel() is called on what it returns. */
export function synchronize(db, url, show) {
  db.changes({live: true, since: 'now', include_docs: true}).on('change', change => show(change.doc));
  return db.sync(url, {live: true, retry: true, selector: jobsOnly});
}
