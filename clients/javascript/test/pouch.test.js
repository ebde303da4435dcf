// src/pouch.js. With COUCHJOBS_POUCHDB, the folder that .ci/pouchdb-client prints, on a PouchDB that replicates to a queue.
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {Queue, RefusedError} from '../src/index.js';
import {createJob, jobsOnly} from '../src/pouch.js';
import {database, until} from './support/couchjobs.js';

/** As much of PouchDB as this module uses. */
function memory() {
  const docs = new Map();
  return {docs, get: async id => docs.get(id), put: async doc => {
    if (docs.has(doc._id) && !doc._rev) throw Object.assign(new Error('conflict'), {status: 409});
    docs.set(doc._id, {...doc, _rev: `${docs.size + 1}-a`});
  }};
}

test('a job is created offline, and one of the same id is there already', async () => {
  const db = memory();
  assert.deepEqual(await createJob(db, 'email', {to: 'ada'}, {id: 'phone-1/1', priority: 75}), {outcome: 'added', id: 'phone-1/1'});
  assert.deepEqual(await createJob(db, 'email', {to: 'bob'}, {id: 'phone-1/1'}), {outcome: 'exists', id: 'phone-1/1'});
  const {times, ...job} = db.docs.get('job:email:phone-1/1');
  assert.deepEqual(job, {_id: 'job:email:phone-1/1', _rev: '1-a', status: 'waiting', scheduledTime: 0, data: {to: 'ada'}, priority: 75});
  assert.equal(typeof times.created, 'number');
  await assert.rejects(createJob(db, 'e:mail', {}, {id: '1'}), RefusedError);
  await assert.rejects(createJob(db, 'email', {n: 1n}, {id: '2'}), RefusedError);
});

test('a phone creates jobs offline, cancels them by their status, and hears how they end', {skip: !process.env.COUCHJOBS_POUCHDB && 'COUCHJOBS_POUCHDB names no PouchDB'}, async () => {
  const PouchDB = createRequire(join(process.env.COUCHJOBS_POUCHDB, 'package.json'))('pouchdb');
  const folder = await mkdtemp(join(tmpdir(), 'couchjobs-'));
  const server = await database();
  const phone = new PouchDB(join(folder, 'phone'));
  const remote = new PouchDB(server.url);
  const queue = new Queue(server.url);
  const type = `phone-${randomUUID().slice(0, 8)}`;
  try {
    await createJob(phone, type, {n: 1}, {id: 'run'});
    await createJob(phone, type, {n: 2}, {id: 'cancelled'});
    await phone.put({...await phone.get(`job:${type}:cancelled`), status: 'cancelled'});
    const sync = () => phone.sync(remote, {selector: jobsOnly});
    await sync();
    const worker = await queue.work(type, job => ({twice: job.data.n * 2}));
    await queue.wait(type, 'run');
    await worker.stop();
    await until(async () => (await sync(), (await phone.get(`job:${type}:run`)).status === 'success'));
    assert.deepEqual((await phone.get(`job:${type}:run`)).result, {twice: 2});
    assert.equal((await queue.get(type, 'cancelled')).status, 'cancelled');
  } finally {
    await phone.close();
    await server.close();
    await rm(folder, {recursive: true});
  }
});
