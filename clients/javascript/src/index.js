/**
 * A client of couchjobs for JavaScript: creators and workers. See README.md.
 * @module
 */
export {CouchError} from './couch.js';
export {RefusedError} from './protocol.js';
export {Queue, UnconfirmedError} from './queue.js';
export {CancelError, HaltError, Job, Worker} from './worker.js';
