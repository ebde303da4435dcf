// src/pouch.js. With COUCHJOBS_POUCHDB, the folder that .ci/pouchdb-client prints, on a PouchDB that replicates to a queue.
import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mkdtemp, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';
import {Queue, RefusedError} from '../src/index.js';
import {cancelJob, createJob, jobsOnly} from '../src/pouch.js';
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

test('a job in conflict is not cancelled offline', async () => {
  const db = memory();
  await createJob(db, 'email', {}, {id: '1'});
  db.docs.get('job:email:1')._conflicts = ['1-b'];
  await assert.rejects(cancelJob(db, 'email', '1'), /conflicts/);
});

test('a status that nobody knows is no end, and is not cancelled offline', async () => {
  const db = memory();
  db.docs.set('job:email:1', {_id: 'job:email:1', _rev: '2-a', status: 'archived'});
  await assert.rejects(cancelJob(db, 'email', '1'), error => error instanceof RefusedError && /archived/.test(error.message));
});

test('the owner of a job that is cancelled offline hears why', async () => {
  const db = memory();
  db.docs.set('job:email:1', {_id: 'job:email:1', _rev: '2-a', status: 'running', lock: {token: 't', worker: 'w'}});
  assert.equal(await cancelJob(db, 'email', '1', 'too late'), 'requested');
  const {cancelRequested, cancelReason} = db.docs.get('job:email:1');
  assert.deepEqual([cancelRequested, cancelReason], [true, 'too late']);
});

test('a job that its last owner may have ended, which the phone does not know, is left to the next claim to cancel', async () => {
  const db = memory();
  db.docs.set('job:email:1', {_id: 'job:email:1', _rev: '3-a', status: 'waiting', fence: 1, times: {created: 1, claimed: 2, released: 3}});
  assert.equal(await cancelJob(db, 'email', '1', 'too late'), 'requested');
  const {status, fence, endAs, cancelReason} = db.docs.get('job:email:1');
  assert.deepEqual([status, fence, endAs, cancelReason], ['waiting', 1, 'cancelled', 'too late']);
  db.put = () => assert.fail('it is asked for already');
  assert.equal(await cancelJob(db, 'email', '1'), 'requested');
});

test('a phone creates and cancels jobs offline, and hears how they end', {skip: !process.env.COUCHJOBS_POUCHDB && 'COUCHJOBS_POUCHDB names no PouchDB'}, async () => {
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
    assert.equal(await cancelJob(phone, type, 'cancelled', 'changed my mind'), 'cancelled');
    const sync = () => phone.sync(remote, {selector: jobsOnly});
    await sync();
    const worker = await queue.work(type, job => ({twice: job.data.n * 2}));
    await queue.wait(type, 'run');
    await worker.stop();
    await until(async () => (await sync(), (await phone.get(`job:${type}:run`)).status === 'success'));
    assert.deepEqual((await phone.get(`job:${type}:run`)).result, {twice: 2});
    assert.equal((await queue.get(type, 'cancelled')).status, 'cancelled');
    assert.equal(await cancelJob(phone, type, 'run'), 'success');

    // Claimed while the phone is away, which asks for a cancel of the job as it knows it: the owner is asked, or the run counts.
    await createJob(phone, type, {}, {id: 'claimed'});
    await sync();
    const owner = await queue.work(type);
    const job = await until(() => owner.claim());
    await sync();
    assert.equal(await cancelJob(phone, type, 'claimed'), 'requested');
    await sync();
    await until(() => job.isCancelRequested);
    await job.acknowledgeCancel();
    await owner.stop();
    await until(async () => (await sync(), (await phone.get(`job:${type}:claimed`)).status === 'cancelled'));
  } finally {
    await phone.close();
    await server.close();
    await rm(folder, {recursive: true});
  }
});
