// The rules of src/protocol.js against the test vectors of the protocol (design-docs/vectors).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import * as protocol from '../src/protocol.js';

const vectors = name => JSON.parse(readFileSync(new URL(`../../../design-docs/vectors/${name}.json`, import.meta.url), 'utf8'));
const count = (t, cases) => t.diagnostic(`${cases.length} cases`);

/** Each event of the vectors as this client writes it; others are not in it: add (again), cancel, requestCancel, expire, keep, letGo, start, snooze, resubmit, retry,
 * reschedule, prioritize, remove, retire. */
const events = {
  create: (job, {id, type, request}, now) => {
    const name = id && protocol.parseDocId(id);
    const {data, ...options} = request;
    return protocol.create(name?.type ?? type, data, {...name && {id: name.id}, ...options}, now);
  },
  claim: (job, lock, now) => protocol.claim(job, lock, now),
  update: (job, changes, now) => protocol.update(job, changes, now),
  finish: (job, {result}, now) => protocol.finish(job, result, now),
  fail: (job, failure, now) => protocol.fail(job, failure, now),
  release: (job, _, now) => protocol.release(job, now),
  acknowledgeCancel: (job, {reason}, now) => protocol.acknowledgeCancel(job, reason, now),
  withdraw: (job, {reason}, now) => protocol.withdraw(job, reason, now),
};

for (const [event, run] of Object.entries(events)) {
  test(`transitions: ${event} writes what the vectors say`, t => {
    // This client starts what it claims, and leaves jobs that are only to be ended, and new data of an owner, to others.
    const isLeftOut = ({job, arguments: {start, data} = {}}) => start === false || data || job?.endAs || (event !== 'claim' && job?.status === 'scheduled');
    const cases = vectors('transitions').cases.filter(c => c.event === event && !isLeftOut(c));
    for (const {name, job, now, expect, ...c} of cases) {
      const act = () => run(structuredClone(job), c.arguments ?? {}, now);
      if (expect.refused) assert.throws(act, protocol.RefusedError, name);
      else assert.deepEqual(act(), expect.write, name);
    }
    count(t, cases);
  });
}

test('ids: names of jobs, and what documents name', t => {
  const {cases, documents} = vectors('ids');
  for (const {type, id, expect} of cases) {
    if (expect.refused) assert.throws(() => protocol.docId(type, id), protocol.RefusedError);
    else assert.deepEqual({docId: protocol.docId(type, id), path: protocol.path(protocol.docId(type, id))}, expect);
  }
  for (const {docId, expect} of documents) assert.deepEqual(protocol.parseDocId(docId), expect.refused ? null : expect);
  count(t, [...cases, ...documents]);
});

test('retries: delays, and the last run', t => {
  const {cases, last} = vectors('retries');
  for (const {policy, failure, luck, expect} of cases) assert.equal(protocol.retryDelay(policy, failure, luck), expect);
  for (const {attempt, expirations, jobRetries, typeRetries, expect} of last) {
    assert.equal(protocol.isLast({attempt, expirations, maxRetries: jobRetries}, {maxRetries: typeRetries}), expect);
  }
  count(t, [...cases, ...last]);
});

test('rivals: whether a confirmed claim owns the job', t => {
  const {cases} = vectors('rivals');
  for (const {name, base, claim, leaves, expect} of cases) assert.equal(protocol.standing(base, claim, leaves), expect.standing, name);
  count(t, cases);
});

test('probes: the part of a document, and its probe', t => {
  const {cases} = vectors('probes');
  for (const {id, q, expect} of cases) assert.deepEqual({part: protocol.part(id, q), probe: protocol.probe(id, q)}, expect);
  count(t, cases);
});

test('a reason to cancel lasts until the run has ended', () => {
  const policy = protocol.settings();
  const running = {_id: 'job:email:1', _rev: '2-a', status: 'running', lock: {token: 't', worker: 'w'}, attempt: 1};
  const requested = {...running, cancelRequested: true, cancelReason: 'too late'};
  const ends = [protocol.finish(requested, undefined, 0), protocol.fail(requested, {message: 'no', policy}, 0), protocol.acknowledgeCancel(requested, 'stopped', 0)];
  assert.deepEqual(ends.map(job => [job.status, job.cancelReason, job.errors?.[0].message]),
    [['success', undefined, undefined], ['cancelled', undefined, 'no'], ['cancelled', undefined, 'stopped: too late']]);
  const stale = {...running, cancelReason: 'of a former run'};
  assert.equal(protocol.acknowledgeCancel(stale, 'stopped', 0).errors[0].message, 'stopped');
});

test('a request that cannot be a job is refused, and the message names field and value', () => {
  for (const [options, message] of [[{priority: 100}, 'priority 100'], [{maxRetries: 1.5}, 'maxRetries 1.5'], [{tags: 'a'}, 'tags "a"'],
    [{colour: 'red'}, 'colour "red"'], [{site: ''}, 'site ""'], [{after: {jobs: []}}, 'after {"jobs":[]}']]) {
    assert.throws(() => protocol.create('email', {}, {id: '1', ...options}, 0), error => error.message.startsWith(message), message);
  }
  assert.throws(() => protocol.create('email', [1], {id: '1'}, 0), /data \[1\]/);
});
