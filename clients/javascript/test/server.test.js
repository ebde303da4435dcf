// The client against a server (COUCHJOBS_TEST_URL, else an embedded one), and beside the Java command line.
import assert from 'node:assert/strict';
import {createHash, randomUUID} from 'node:crypto';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {fileURLToPath} from 'node:url';
import {after, before, test} from 'node:test';
import {CancelError, CouchError, HaltError, Queue, RefusedError, UnconfirmedError} from '../src/index.js';
import {Couch} from '../src/couch.js';
import {isFinished, path} from '../src/protocol.js';
import {assertHealthy, couchjobs, database, request, start, until} from './support/couchjobs.js';

let db;
let queue;

before(async () => {
  db = await database();
  queue = new Queue(db.url);
});

after(async () => {
  await db?.close();
});

/** A type that no other test uses, with settings if there are any. */
async function type(settings) {
  const name = `t-${randomUUID().slice(0, 8)}`;
  if (settings) await put(`type:${name}`, settings);
  return name;
}

const put = async (id, doc) => {
  const response = await request(`${db.url}/${path(id)}`, {method: 'PUT', body: JSON.stringify(doc)});
  assert.equal(response.status, 201, await response.clone().text());
  return response.json();
};

const ended = (type, id) => until(async () => {
  const job = await queue.get(type, id);
  return isFinished(job) && job;
}, `${type}:${id} has ended`);

/** Asks the owner of a job to stop (2.2). */
async function requestCancel(type, id) {
  await put(`job:${type}:${id}`, {...await queue.get(type, id), cancelRequested: true, cancelReason: 'too late'});
  return 'requested';
}

/** An update of a job. */
async function renewed(type, id) {
  const updated = async () => (await queue.get(type, id)).times.updated;
  const seen = await updated();
  await until(async () => await updated() !== seen, `${type}:${id} is updated`);
}

/** Runs a test's body with workers that are stopped after it. */
async function withWorker(types, {handler, ...options}, body, on = queue) {
  const worker = await on.work(types, handler, options);
  try {
    return await body(worker);
  } finally {
    await worker.stop();
  }
}

/** A queue whose transport does something to requests that match: `act(send, url, init)`. */
function through(act) {
  return new Queue(db.url, {fetch: (url, init) => act(() => fetch(url, init), String(url), init)});
}

const refuse = status => Promise.resolve(Response.json({error: 'refused'}, {status}));

/** A queue whose database takes no request above 2,000 characters. */
const narrow = () => through((send, url, init) => init?.body?.length > 2000 ? refuse(413) : send());

const isWrite = (url, init, id) => init?.method === 'PUT' && url.endsWith(`/${path(id)}`);
/** Whether a write is of a job with this status. */
const writes = (init, status) => typeof init?.body === 'string' && JSON.parse(init.body).status === status;

/** A job `1` that has its data attached. */
const putAttached = (type, json) => put(`job:${type}:1`, {status: 'waiting', dataDigest: `sha-256=${createHash('sha256').update(json).digest('base64')}`,
  _attachments: {'data.json': {content_type: 'application/octet-stream', data: Buffer.from(json).toString('base64')}}});
/** Whether a request is for that data. */
const isDataOf = (url, type) => url.includes(path(`job:${type}:1`)) && url.includes('attachments=true');

/** An object of so many levels. */
const nested = levels => levels === 1 ? {} : {in: nested(levels - 1)};

/** A request that nobody answers. */
const silent = signal => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Sets both clocks of this process on when it is called, in ms. */
function clocks(t) {
  const [now, mono] = [Date.now.bind(Date), performance.now.bind(performance)];
  let on = 0;
  t.mock.method(Date, 'now', () => now() + on);
  t.mock.method(performance, 'now', () => mono() + on);
  return ms => on += ms;
}

/** The times for which the client pauses; of random ones the longest. */
function pausesOf(t) {
  const [waits, wait] = [[], setTimeout];
  t.mock.method(Math, 'random', () => 1);
  t.mock.method(globalThis, 'setTimeout', (act, ms) => {
    if (ms % 200 === 0 && ms <= 1600) waits.push(ms);
    return wait(act, ms);
  });
  return waits;
}

/** The same answer, as a cluster would give it when no majority confirmed the write. */
const accepted = async response => response.status === 201 ? new Response(await response.text(), {status: 202, headers: response.headers}) : response;

/** The server says that it is a cluster of three copies. */
async function asCluster(send, url) {
  const response = await send();
  if (url !== new URL(db.url).href.replace(/\/\/[^@]*@/, '//')) return response;
  return new Response(JSON.stringify({...await response.json(), cluster: {n: 3, q: 1, w: 2, r: 2}}), {status: 200, headers: response.headers});
}

test('a job is added once, and then exists', async () => {
  const email = await type();
  assert.deepEqual(await queue.add(email, {n: 1}, {id: '1/ä', priority: 75, tags: ['a']}), {outcome: 'added', id: '1/ä'});
  assert.deepEqual(await queue.add(email, {n: 2}, {id: '1/ä'}), {outcome: 'exists', id: '1/ä'});
  const job = await queue.get(email, '1/ä');
  assert.deepEqual([job.status, job.data, job.priority, job.tags], ['waiting', {n: 1}, 75, ['a']]);
  assert.equal(await queue.get(email, '2'), null);
});

test('what cannot be a job is refused before anything is written', async () => {
  await assert.rejects(queue.add('email', {}, {priority: 100}), error => error instanceof RefusedError && /priority 100/.test(error.message));
  await assert.rejects(queue.add('e:mail', {}), /type "e:mail"/);
  await assert.rejects(queue.add('email', {}, {id: '1', tracker: 'order-1'}), error => error instanceof RefusedError && /tracker "order-1".*id is "1"/.test(error.message));
});

test('a handler runs the job, and its creator hears the result', async () => {
  const email = await type();
  await withWorker(email, {handler: job => ({sent: job.data.to})}, async () => {
    const {id} = await queue.add(email, {to: 'ada'});
    const job = await queue.wait(email, id);
    assert.deepEqual([job.status, job.result, job.attempt, job.fence, job.lock], ['success', {sent: 'ada'}, 1, 1, undefined]);
  });
});

test('jobs are run in the order of their times', async () => {
  const email = await type();
  const ran = [];
  for (const [id, scheduledTime] of [['b', 2e12 - 1e12], ['a', 1e12], ['c', 9e11]]) await queue.add(email, {}, {id, scheduledTime});
  await withWorker(email, {handler: job => void ran.push(job.id)}, () => Promise.all(['a', 'b', 'c'].map(id => queue.wait(email, id))));
  assert.deepEqual(ran, ['c', 'a', 'b']);
});

test('a job with a time is run when it is due, not before', async () => {
  const email = await type();
  await withWorker(email, {handler: () => ({at: queue.couch.now()})}, async () => {
    const due = queue.couch.now() + 1500;
    const {id} = await queue.add(email, {}, {scheduledTime: due});
    const {result} = await queue.wait(email, id);
    assert.ok(result.at >= due, `${result.at - due} ms early`);
  });
});

test('a failed run is retried by the settings of its type; then the job has failed', async () => {
  const email = await type({maxRetries: 1, retryDelay: 10, maxRetryDelay: 10});
  await withWorker(email, {handler: () => { throw new Error('no connection'); }}, async () => {
    const {id} = await queue.add(email, {});
    const job = await queue.wait(email, id);
    assert.deepEqual([job.status, job.attempt, job.errors.map(error => [error.attempt, error.kind, error.message])],
      ['failed', 2, [[1, 'failed', 'no connection'], [2, 'failed', 'no connection']]]);
  });
});

test('a failure that is permanent is not retried', async () => {
  const email = await type();
  await withWorker(email, {handler: () => { throw Object.assign(new Error('no such address'), {permanent: true}); }}, async () => {
    const {id} = await queue.add(email, {});
    assert.equal((await queue.wait(email, id)).status, 'failed');
  });
});

test('a request that is refused inside a handler is a failure that is retried', async () => {
  const email = await type({retryDelay: 10});
  const away = through(() => refuse(503));
  const full = through((send, url, init) => init?.method === 'PUT' ? refuse(413) : send());
  const answers = [408, 401];
  const shaky = through((send, url, init) => answers.length && init?.body?.includes('"percent"') ? refuse(answers.shift()) : send());
  const requests = [() => away.get(email, '1'), () => full.add(email), job => job.update({progress: {percent: 1}}), () => 'done'];
  await withWorker(email, {handler: job => requests[job.attempt - 1](job)}, async () => {
    const {id} = await queue.add(email, {});
    const job = await ended(email, id);
    assert.deepEqual([job.status, job.errors.map(error => error.message.match(/ (\d+) refused/)?.[1])], ['success', ['503', '413', '401']], JSON.stringify(job));
  }, shaky);
});

test('a job has failed for good when the database refuses what its owner writes', async () => {
  const email = await type();
  await withWorker(email, {handler: () => 'long '.repeat(1000)}, async () => {
    const {id} = await queue.add(email, {});
    const job = await ended(email, id);
    assert.deepEqual([job.status, job.attempt], ['failed', 1]);
  }, narrow());
});

test('a result or an update that is no JSON, or nested too deeply, fails the job for good', async () => {
  const email = await type();
  const results = {big: 1n, cycle: {}, deep: nested(500)};
  results.cycle.again = results.cycle;
  await withWorker(email, {handler: job => job.id in results ? results[job.id] : job.update({progress: {percent: 1, n: 1n}})}, async () => {
    for (const id of [...Object.keys(results), 'update']) {
      await queue.add(email, {}, {id});
      const {status, attempt, errors} = await ended(email, id);
      assert.deepEqual([status, attempt, errors.length], ['failed', 1, 1], id);
    }
  });
});

test('a document has at most 500 levels', async () => {
  const email = await type();
  const tooDeep = error => error instanceof RefusedError && /^data: .*500 levels/.test(error.message);
  await assert.rejects(queue.add(email, nested(500), {id: '1'}), tooDeep);
  assert.equal(await queue.get(email, '1'), null);
  await queue.add(email, nested(499), {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await assert.rejects(job.finish(nested(500)), error => error instanceof RefusedError && /^result: .*500 levels/.test(error.message));
    await job.finish(new Date(0));
    assert.equal((await queue.get(email, '1')).result, '1970-01-01T00:00:00.000Z');
  });
});

test('a refusal whose body is not JSON is told with its status', async () => {
  const email = await type({timeout: 5000});
  await queue.add(email, {}, {id: '1'});
  const proxied = through((send, url, init) => init?.body?.includes('"result"') ? Promise.resolve(new Response('<html>', {status: 413})) : send());
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await assert.rejects(job.finish('done'), error => error instanceof CouchError && error.status === 413);
  }, proxied);
});

test('a 404 of a proxy does not say that there is no such job', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let away = 0;
  const proxied = through((send, url, init) => init?.body?.includes('"result"') && !away++ ? Promise.resolve(new Response('404 page not found', {status: 404})) : send());
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await job.finish('done');
    assert.equal((await queue.get(email, '1')).status, 'success');
  }, proxied);
});

test('a write whose answer is 201 with a body that is not JSON is looked for, and counts', async () => {
  const email = await type();
  let cut = 0;
  const proxied = through(async (send, url, init) => {
    const response = await send();
    return isWrite(url, init, `job:${email}:1`) && !cut++ ? new Response('<html>', {status: 201}) : response;
  });
  assert.deepEqual(await proxied.add(email, {}, {id: '1'}), {outcome: 'added', id: '1'});
});

test('what onError returns is not taken for a job', async () => {
  const email = await type();
  const [ran, errors] = [[], []];
  const shaky = through((send, url) => url.includes('/_view/due') && !errors.length ? refuse(503) : send());
  await withWorker(email, {handler: job => void ran.push(job.id), onError: error => errors.push(error)}, async () => {
    await queue.add(email, {}, {id: '1'});
    await ended(email, '1');
    assert.deepEqual([ran, errors.map(error => error.status)], [['1'], [503]]);
  }, shaky);
});

test('a chunk of an array fails, and its handler is not called', async () => {
  const email = await type();
  await put(`job:${email}:a:000001`, {data: {items: [{}]}, array: {id: 'a', first: 0, last: true, digest: 'd', states: '.'}});
  const ran = [];
  await withWorker(email, {handler: job => void ran.push(job.id)}, async () => {
    const job = await ended(email, 'a:000001');
    assert.deepEqual([job.status, job.attempt, ran], ['failed', 1, []]);
    assert.match(job.errors[0].message, /array/);
  });
});

test('a job that is only to be ended is left to other workers, and those behind it run', async () => {
  const email = await type();
  for (let i = 0; i < 30; i++) await put(`job:${email}:a${i}`, {data: {}, attempt: 1, expirations: 1, fence: 1, endAs: i % 2 ? 'cancelled' : 'failed'});
  await queue.add(email, {}, {id: 'b'});
  const ran = [];
  await withWorker(email, {handler: job => void ran.push(job.id)}, async () => {
    await ended(email, 'b');
    assert.deepEqual([ran, (await queue.get(email, 'a0')).status], [['b'], undefined]);
  });
});

test('an error whose text is cut within a character is stored, and the job fails', async () => {
  const email = await type({maxRetries: 0});
  const handler = () => { throw Object.assign(new Error('sad \ud83d'), {stack: 'at \ude00'}); };
  await withWorker(email, {handler, onError: () => {}}, async () => {
    const {id} = await queue.add(email, {});
    const {status, attempt, errors: [{message, stack}]} = await ended(email, id);
    assert.deepEqual([status, attempt, message, stack], ['failed', 1, 'sad \ufffd', 'at \ufffd']);
  });
});

test('a long error is cut', async () => {
  const email = await type({maxRetries: 0});
  const handler = () => { throw Object.assign(new Error('long '.repeat(1000)), {stack: 'at '.repeat(10_000)}); };
  await withWorker(email, {handler}, async () => {
    const {id} = await queue.add(email, {});
    const {status, errors: [{message, stack}]} = await ended(email, id);
    assert.deepEqual([status, message.length, stack.length], ['failed', 2000, 8000]);
  });
});

test('of two workers that race for one job one owns it', async () => {
  const email = await type();
  const other = new Queue(db.url);
  await withWorker(email, {}, one => withWorker(email, {}, async two => {
    for (let round = 0; round < 5; round++) {
      await queue.add(email, {}, {id: `${round}`});
      const claims = await until(async () => {
        one.reset(), two.reset();
        const found = (await Promise.all([one.claim(), two.claim()])).filter(Boolean);
        return found.length && found;
      });
      assert.equal(claims.length, 1);
      await claims[0].finish();
    }
  }, other));
});

test('two workers share the jobs, and each job runs once', async () => {
  const email = await type();
  const runs = [];
  const other = new Queue(db.url);
  const handler = job => void runs.push(job.id);
  await Promise.all(Array.from({length: 40}, (_, i) => queue.add(email, {}, {id: `${i}`})));
  await withWorker(email, {handler, concurrency: 3}, () => withWorker(email, {handler, concurrency: 3}, async () => {
    for (let i = 0; i < 40; i++) assert.equal((await queue.wait(email, `${i}`)).status, 'success');
  }, other));
  assert.equal(runs.length, 40);
  assert.equal(new Set(runs).size, 40);
});

test('waiting for a job that was removed is an error, and for one that retention deleted gives its end', async () => {
  const email = await type();
  for (const id of ['removed', 'retired']) {
    await queue.add(email, {}, {id});
    const {_id, _rev} = await queue.get(email, id);
    await queue.couch.put({_id, _rev, _deleted: true, status: 'success', fence: 1, ...id === 'retired' && {removedBy: 'retention'}});
  }
  await assert.rejects(queue.wait(email, 'removed'), error => error instanceof CouchError && error.status === 404 && /:removed: 404 removed$/.test(error.message));
  assert.equal((await queue.wait(email, 'retired')).status, 'success');
});

test('a status that nobody knows is no end', async () => {
  const email = await type();
  await put(`job:${email}:1`, {status: 'archived'});
  assert.equal(await queue.wait(email, '1', {timeout: 100}), null);
  await queue.couch.put({...await queue.get(email, '1'), _deleted: true});
});

test('a cancel while a job runs stops its handler, and the job remembers why', async () => {
  const email = await type();
  let reason;
  const handler = job => new Promise((_, reject) => job.signal.addEventListener('abort', () => reject(reason = job.signal.reason)));
  await withWorker(email, {handler}, async () => {
    const {id} = await queue.add(email, {});
    await until(async () => (await queue.get(email, id)).status === 'running');
    await requestCancel(email, id);
    const job = await queue.wait(email, id);
    const [{kind, message}] = job.errors;
    assert.deepEqual([job.status, kind, message, job.cancelReason], ['cancelled', 'cancelled', 'cancelled on request: too late', undefined]);
    assert.ok(reason instanceof CancelError);
  });
});

test('a run that goes on while its worker is being stopped hears of a cancel', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let running = false;
  const handler = job => new Promise((_, reject) => {
    running = true;
    job.signal.addEventListener('abort', () => reject(job.signal.reason));
  });
  const worker = await queue.work(email, handler);
  await until(() => running);
  const stopped = worker.stop();
  await queue.add(email, {}, {id: '2'}); // which the feed tells of, too
  await requestCancel(email, '1');
  await stopped;
  assert.deepEqual([(await queue.get(email, '1')).status, (await queue.get(email, '2')).status], ['cancelled', 'waiting']);
});

for (const [what, take] of [
  ['that was taken over', async (email, id) => put(`job:${email}:${id}`, {...await queue.get(email, id), status: 'waiting', lock: undefined})],
  ['that was removed', async (email, id) => put(`job:${email}:${id}`, {_rev: (await queue.get(email, id))._rev, _deleted: true, fence: 2})],
]) {
  test(`the owner of a job ${what} hears of it, and writes nothing more`, async () => {
    const email = await type();
    await withWorker(email, {}, async worker => {
      const {id} = await queue.add(email, {});
      const job = await until(() => worker.claim());
      await take(email, id).catch(error => assert.match(error.message, /200/)); // of a deletion CouchDB answers 200
      await until(() => job.isHalted);
      assert.ok(job.signal.reason instanceof HaltError);
      await assert.rejects(job.finish(), HaltError);
    });
  });
}

test('an owner keeps what others write into its job while it runs', async () => {
  const email = await type();
  await withWorker(email, {}, async worker => {
    const {id} = await queue.add(email, {n: 1});
    const job = await until(() => worker.claim());
    await put(`job:${email}:${id}`, {...await queue.get(email, id), 'acme:trace': 'x', priority: 99});
    await job.update({progress: {percent: 50}});
    await job.finish({ok: true}); // 409 both times, or heard before
    const done = await queue.get(email, id);
    assert.deepEqual([done.status, done['acme:trace'], done.priority, done.progress.percent], ['success', 'x', 99, 50]);
  });
});

test('progress that no job can have is refused, and the job can still be finished', async () => {
  const email = await type();
  await withWorker(email, {}, async worker => {
    const {id} = await queue.add(email, {});
    const job = await until(() => worker.claim());
    for (const progress of [50, 0, 'half', [50], {}, {percent: '50'}, {percent: 101}, {percent: 50, message: 1}]) {
      await assert.rejects(job.update({progress}), error => error instanceof RefusedError && error.message.startsWith(`progress ${JSON.stringify(progress)}: `));
    }
    await job.update({progress: {percent: 50.9, message: 'half'}});
    await job.update({progress: null});
    await assert.rejects(job.update({data: {n: 1}}), error => error instanceof RefusedError && error.message.startsWith('data: '));
    await job.finish();
    const done = await queue.get(email, id);
    assert.deepEqual([done.status, done.progress], ['success', {percent: 50, message: 'half'}]);
  });
});

test('a lease is renewed by updates of the job as long as it is owned', async () => {
  const email = await type({timeout: 3000});
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    for (let i = 0; i < 4; i++) await renewed(email, '1');
    assert.equal(job.isHalted, false);
    await job.finish();
    assert.equal(await queue.couch.get(`worker:${worker.id}`), null);
  });
});

test('a lease is renewed while the job is read that the feed cast doubt on', async () => {
  const email = await type({timeout: 3000});
  let [isRead, looks] = [false, 0];
  const slow = through(async (send, url) => {
    if (url.includes('open_revs=all') && ++looks) await until(() => isRead);
    return send();
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    const look = job.doubt();
    await until(() => looks);
    for (let i = 0; i < 4; i++) await renewed(email, '1');
    isRead = true;
    await look;
    await job.finish();
  }, slow);
});

test('an owner whose renewal is forbidden once renews again', async () => {
  const email = await type({timeout: 6000});
  const errors = [];
  let signs = 0;
  const guarded = through((send, url, init) => init?.body?.includes('"updated"') && ++signs === 1 ? refuse(403) : send());
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {onError: error => errors.push(error)}, async worker => {
    const job = await until(() => worker.claim());
    await renewed(email, '1');
    assert.deepEqual([job.isHalted, errors.map(error => error.status)], [false, [403]]);
    await job.finish();
  }, guarded);
});

test('a renewal that hangs does not cost the lease', async () => {
  const email = await type({timeout: 6000});
  let signs = 0;
  const hanging = through((send, url, init) => init?.body?.includes('"updated"') && ++signs === 1 ? silent(init.signal) : send());
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await renewed(email, '1');
    assert.equal(job.isHalted, false);
    await job.finish();
  }, hanging);
});

test('a job that is released waits again, and the run does not count', async () => {
  const email = await type();
  const {id} = await queue.add(email, {});
  await withWorker(email, {}, async worker => void await until(() => worker.claim())); // stopping releases it
  const job = await queue.get(email, id);
  assert.deepEqual([job.status, job.attempt, job.fence, job.lock], ['waiting', 0, 1, undefined]);
});

test('a job whose claim is under way when the worker is stopped is released, and handed to nobody', async () => {
  const email = await type();
  const {id} = await queue.add(email, {});
  let stopped;
  const slow = through(async (send, url, init) => {
    if (isWrite(url, init, `job:${email}:${id}`)) stopped ??= worker.stop();
    return send();
  });
  const worker = await slow.work([email]);
  const claimed = await until(async () => {
    const job = await worker.claim();
    return stopped && {job};
  });
  assert.equal(claimed.job, null);
  await stopped;
  const job = await queue.get(email, id);
  assert.deepEqual([job.status, job.attempt, job.lock], ['waiting', 0, undefined]);
});

test('a job that was claimed by hand is released when its worker is stopped, and whoever runs it hears of that', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  const worker = await queue.work(email);
  const job = await until(() => worker.claim());
  await worker.stop();
  assert.equal((await queue.get(email, '1')).status, 'waiting');
  assert.ok(job.isHalted && job.signal.reason instanceof HaltError);
  await assert.rejects(job.finish(), HaltError);
});

test('a job whose handler does not end within the grace is released, and its handler hears of that', async () => {
  const email = await type();
  let ended;
  const worker = await queue.work(email, ({signal}) => new Promise(resolve => signal.addEventListener('abort', () => resolve(ended = signal.reason))));
  await queue.add(email, {}, {id: '1'});
  await until(async () => (await queue.get(email, '1')).status === 'running');
  await worker.stop({grace: 50});
  assert.deepEqual([(await queue.get(email, '1')).status, ended instanceof HaltError], ['waiting', true]);
});

test('a job that was claimed by hand, and cannot be released when its worker is stopped, is halted', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  const worker = await through((send, url, init) => writes(init, 'waiting') ? refuse(403) : send()).work(email, undefined, {onError: () => {}});
  const job = await until(() => worker.claim());
  await worker.stop();
  assert.ok(job.isHalted && job.signal.reason instanceof HaltError);
});

test('a job whose attached data is under way when the worker is stopped is released, and handed to nobody', async () => {
  const email = await type();
  let stopped;
  const slow = through(async (send, url) => {
    const response = await send();
    if (isDataOf(url, email)) await (stopped ??= worker.stop());
    return response;
  });
  await putAttached(email, '{}');
  const worker = await slow.work(email);
  const claimed = await until(async () => {
    const job = await worker.claim();
    return stopped && {job};
  });
  assert.equal(claimed.job, null);
  assert.equal((await queue.get(email, '1')).status, 'waiting');
});

test('a paused type is not claimed until it goes on', async () => {
  const email = await type({paused: true});
  const {id} = await queue.add(email, {});
  await withWorker(email, {}, async worker => {
    assert.equal(await worker.claim(), null);
    const {_rev} = await queue.couch.get(`type:${email}`);
    await put(`type:${email}`, {_rev});
    const job = await until(() => worker.claim());
    assert.equal(job.id, id);
  });
});

/** A queue that notes on the monotonic clock when the first page of the due jobs was asked for, and 250 jobs of a type that are due. */
async function backlog(email) {
  const docs = Array.from({length: 250}, (_, i) => ({_id: `job:${email}:${i}`, data: {}}));
  await request(`${db.url}/_bulk_docs`, {method: 'POST', body: JSON.stringify({docs})});
  const asked = [];
  return {asked, noted: through((send, url) => {
    if (url.includes('/_view/due') && !url.includes('startkey_docid')) asked.push(performance.now());
    return send();
  })};
}

test('the backlog of a paused type is not read', async () => {
  const email = await type({paused: true});
  const {asked, noted} = await backlog(email);
  await withWorker(email, {}, async worker => assert.equal(await worker.claim(), null), noted);
  assert.deepEqual(asked, []);
});

test('a backlog of which nothing may be claimed is read once a second, however often a worker is woken', async () => {
  const email = await type({classes: ['bulk']});
  const {asked, noted} = await backlog(email);
  await withWorker(email, {}, async worker => {
    for (let i = 0; i < 3; i++) {
      assert.equal(await worker.claim(), null);
      worker.reset();
    }
    await queue.add(email, {}, {id: 'bulk', class: 'bulk'});
    assert.equal((await until(() => worker.claim())).id, 'bulk');
  }, noted);
  assert.ok(asked.length >= 3);
  for (let i = 1; i < asked.length; i++) assert.ok(asked[i] - asked[i - 1] >= 999, `${asked}`);
});

test('only jobs of the classes that the type lets in are claimed', async () => {
  const email = await type({classes: ['bulk']});
  await queue.add(email, {}, {id: 'none'});
  await queue.add(email, {}, {id: 'bulk', class: 'bulk'});
  await withWorker(email, {}, async worker => {
    assert.equal((await until(() => worker.claim())).id, 'bulk');
    assert.equal(await worker.claim(), null);
  });
});

test('a class of null counts as none', async () => {
  const email = await type({classes: ['']});
  await put(`job:${email}:1`, {data: {}, class: null});
  await withWorker(email, {}, async worker => assert.equal((await until(() => worker.claim())).id, '1'));
});

test('a claim that is refused for good is told', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  const errors = [];
  const guarded = through((send, url, init) => writes(init, 'running') ? refuse(413) : send());
  await withWorker(email, {onError: error => errors.push(error)}, async worker => assert.equal(await worker.claim(), null), guarded);
  assert.deepEqual(errors.map(({status, message}) => [status, message.includes(`claim job:${email}:1`)]), [[413, true]]);
});

test('data that is attached is read and kept', async () => {
  const email = await type();
  await putAttached(email, JSON.stringify({text: 'x'.repeat(100)}));
  await withWorker(email, {handler: job => ({length: job.data.text.length})}, async () => {
    const job = await queue.wait(email, '1');
    assert.deepEqual([job.result, Object.keys(job._attachments)], [{length: 100}, ['data.json']]);
  });
});

test('attached data that cannot be read for a moment fails no run', async () => {
  const email = await type();
  await putAttached(email, '{"n":1}');
  let refused = 0;
  const shaky = through((send, url) => isDataOf(url, email) && refused++ < 2 ? refuse(503) : send());
  await withWorker(email, {handler: job => job.data.n}, async () => {
    const job = await queue.wait(email, '1');
    assert.deepEqual([job.result, job.attempt, refused], [1, 1, 3]);
  }, shaky);
});

test('a job that is due by a clock which the answer of the index corrects is not claimed', async t => {
  const email = await type();
  let [looks, ahead] = [0, 0];
  const now = Date.now.bind(Date);
  const shaky = through((send, url) => {
    if (url.includes('/_view/due')) [looks, ahead] = [looks + 1, 0];
    return send();
  });
  await queue.add(email, {}, {id: '1', scheduledTime: Date.now() + 600_000});
  await withWorker(email, {}, async worker => {
    t.mock.method(Date, 'now', () => now() + ahead);
    ahead = 3_600_000;
    worker.reset();
    assert.equal(await worker.claim(), null);
    assert.ok(looks > 0);
  }, shaky);
});

test('an end that is answered 401 is no failure of the run', async () => {
  const email = await type({maxRetries: 0});
  await queue.add(email, {}, {id: '1'});
  const told = [];
  const shaky = through((send, url, init) => writes(init, 'success') && !told.length ? refuse(401) : send());
  await withWorker(email, {handler: () => 'done', onError: error => told.push(error.status)}, () => until(() => told.length > 0), shaky);
  assert.deepEqual([told, (await queue.get(email, '1')).status], [[401], 'running']);
});

test('a claim whose answer is lost is given back, and the job runs once', async () => {
  const email = await type();
  const [lost, runs] = [[], []];
  const shaky = through(async (send, url, init) => {
    const response = await send();
    if (isWrite(url, init, `job:${email}:1`) && writes(init, 'running') && !lost.length) {
      lost.push(JSON.parse(init.body).lock.token);
      throw new TypeError('the connection was lost');
    }
    return response;
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {handler: job => void runs.push([lost.includes(job.token), job.attempt, job.fence])}, async () => {
    const {times} = await ended(email, '1');
    assert.ok(times.claimed - times.created < 15000, 'it waited for the next look at the clock');
  }, shaky);
  assert.deepEqual(runs, [[false, 1, 2]]);
});

test('a claim that never reached the server is made once more', async () => {
  const email = await type({timeout: 600_000});
  let lost = 0;
  const shaky = through((send, url, init) => {
    if (isWrite(url, init, `job:${email}:1`) && writes(init, 'running') && !lost++) throw new TypeError('the connection was lost');
    return send();
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {handler: () => 'done'}, async () => assert.equal((await ended(email, '1')).result, 'done'), shaky);
});

test('a claim without an answer is not followed by those of other jobs that were read before', async () => {
  const email = await type();
  let claims = 0;
  const shaky = through((send, url, init) => {
    if (writes(init, 'running')) claims++;
    if (claims) throw new TypeError('the connection was lost');
    return send();
  });
  for (const id of ['1', '2', '3']) await queue.add(email, {}, {id});
  const worker = await shaky.work(email, undefined, {onError: () => {}});
  await assert.rejects(worker.claim(), CouchError);
  assert.equal(claims, 1);
  await worker.stop();
});

test('a request to cancel that comes before the answer to the claim is heard', async () => {
  const email = await type();
  let [asked, text] = [null, ''];
  const slow = through(async (send, url, init) => {
    const response = await send();
    if (url.includes('/_changes')) text += await response.clone().text();
    if (isWrite(url, init, `job:${email}:1`) && !asked) {
      asked = await requestCancel(email, '1');
      await queue.add(email, {}, {id: 'later'});
      await until(() => text.includes(`job:${email}:later`), 'the feed tells of the request');
    }
    return response;
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {handler: job => job.signal.throwIfAborted()}, async () => {
    const {status, errors} = await ended(email, '1');
    assert.deepEqual([asked, status, errors?.[0].message], ['requested', 'cancelled', 'cancelled on request: too late']);
  }, slow);
});

test('settings that could not be read when they were changed are read again', async () => {
  const email = await type({paused: true});
  let refused = 0;
  const shaky = through((send, url) => {
    const isRead = url.includes(path(`type:${email}`));
    return isRead && refused === 1 && ++refused ? refuse(503) : send();
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {handler: () => 'done', onError: () => {}}, async () => {
    const {_rev} = await queue.couch.get(`type:${email}`);
    refused = 1;
    await put(`type:${email}`, {_rev});
    assert.equal((await ended(email, '1')).result, 'done');
    assert.equal(refused, 2);
  }, shaky);
});

test('a claim that another worker won while the answer was lost owns nothing', async () => {
  const email = await type();
  const {id} = await queue.add(email, {});
  const shaky = through(async (send, url, init) => {
    if (isWrite(url, init, `job:${email}:${id}`) && writes(init, 'running')) {
      await put(`job:${email}:${id}`, {...await queue.get(email, id), status: 'running', fence: 1, attempt: 1, lock: {token: randomUUID(), worker: 'other'}});
      throw new TypeError('the connection was lost');
    }
    return send();
  });
  await withWorker(email, {}, async worker => assert.equal(await worker.claim(), null), shaky);
  assert.equal((await queue.get(email, id)).lock.worker, 'other');
});

for (const [what, change] of [['removed', {_deleted: true}], ['withdrawn', {lock: {withdrawn: {at: 1, reason: 'no majority'}}}]]) {
  test(`a claim that was ${what} while its answer was lost owns nothing`, async () => {
    const email = await type();
    const {id} = await queue.add(email, {});
    const shaky = through(async (send, url, init) => {
      if (!isWrite(url, init, `job:${email}:${id}`) || !writes(init, 'running')) return send();
      const {rev} = await (await send()).json();
      const claimed = JSON.parse(init.body);
      const {status} = await queue.couch.put({...claimed, _rev: rev, ...change, lock: {...claimed.lock, ...change.lock}});
      assert.ok([200, 201].includes(status));
      throw new TypeError('the connection was lost');
    });
    await withWorker(email, {}, async worker => assert.equal(await worker.claim(), null), shaky);
  });
}

test('a lost answer to a creation is no conflict where a job of that id was removed', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  await queue.couch.put({...await queue.get(email, '1'), _deleted: true});
  let lost = 0;
  const shaky = through(async send => {
    const response = await send();
    if (response.status === 201 && !lost++) throw new TypeError('the connection was lost');
    return response;
  });
  assert.deepEqual(await shaky.add(email, {}, {id: '1'}), {outcome: 'added', id: '1'});
  assert.equal(lost, 1);
});

/** A queue whose first creation is stored, ended and deleted, while its answer is lost; then `also` is done. And the requests that created jobs. */
function lostAndDeleted(email, also = async () => {}) {
  const made = [];
  const shaky = through(async (send, url, init) => {
    const response = await send();
    if (!isWrite(url, init, `job:${email}:1`) || made.push(init.body) > 1) return response;
    const {rev} = await response.json();
    await queue.couch.put({_id: `job:${email}:1`, _rev: rev, _deleted: true, status: 'success', fence: 1, removedBy: 'retention'});
    await also(rev);
    throw new TypeError('the connection was lost');
  });
  return {shaky, made};
}

test('a job whose creation was stored without an answer, and that was run and deleted, is not made again', async () => {
  const email = await type();
  for (const where of ['nothing', 'a tombstone']) {
    const {shaky, made} = lostAndDeleted(email);
    assert.equal((await shaky.add(email, {}, {id: '1'})).outcome, 'added', where);
    assert.deepEqual([made.length, await queue.get(email, '1')], [1, null], where);
  }
});

test('a creation without an answer whose traces were compacted away is unconfirmed', async t => {
  const email = await type();
  const setOn = clocks(t);
  const {shaky, made} = lostAndDeleted(email, async rev => {
    await request(`${db.url}/_compact`, {method: 'POST', body: '{}'});
    await until(async () => (await request(`${db.url}/${path(`job:${email}:1`)}?rev=${rev}`)).status === 404);
    setOn(29_900);
  });
  await assert.rejects(shaky.add(email, {}, {id: '1'}), error => error instanceof UnconfirmedError && error.id === '1');
  assert.deepEqual([made.length, await queue.get(email, '1')], [1, null]);
});

test('a creation that met a refused connection was not sent: a job of that id that was deleted before casts no doubt on it', async () => {
  const email = await type();
  const {id} = await queue.add(email, {}, {id: '1'});
  const {_rev} = await queue.get(email, id);
  await queue.couch.put({_id: `job:${email}:1`, _rev, _deleted: true, status: 'success', fence: 1, removedBy: 'retention'});
  await request(`${db.url}/_compact`, {method: 'POST', body: '{}'});
  await until(async () => (await request(`${db.url}/${path(`job:${email}:1`)}?rev=${_rev}`)).status === 404);
  const [server, made] = [createServer().listen(0, '127.0.0.1'), []];
  await once(server, 'listening');
  const closed = `http://127.0.0.1:${server.address().port}`;
  await new Promise(resolve => server.close(resolve));
  const shaky = through((send, url, init) => isWrite(url, init, `job:${email}:1`) && made.push(url) === 1 ? fetch(closed, init) : send());
  assert.deepEqual([(await shaky.add(email, {}, {id: '1'})).outcome, made.length], ['added', 2]);
});

test('an option that is there without a value counts as absent', async () => {
  const email = await type();
  const {id} = await queue.add(email, {}, {tracker: null, site: undefined, priority: null});
  assert.match(id, /^[0-9a-f]{32}$/); // not in the form of ids that are only ever written with the same bytes
  const named = new Queue(db.url);
  await named.open();
  named.site = {site: 'oslo'};
  await named.add(email, {}, {id: '1', site: undefined});
  assert.equal((await queue.get(email, '1')).site, 'oslo');
});

test('each request has a connection of its own', async () => {
  const connections = new Set();
  const server = createServer((request, response) => {
    connections.add(request.socket);
    response.writeHead(412).end('{}');
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    const couch = new Couch(`http://127.0.0.1:${server.address().port}/jobs`);
    for (let i = 0; i < 3; i++) assert.equal((await couch.put({_id: 'job:email:1'})).status, 412);
    assert.equal(connections.size, 3);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an end whose answer is lost, and one that is added twice so, are done once', async () => {
  const email = await type();
  const lost = {success: 0, waiting: 0};
  const shaky = through(async (send, url, init) => {
    const response = await send();
    const status = init?.method === 'PUT' && JSON.parse(init.body).status;
    if (status in lost && !lost[status]++) throw new TypeError('the connection was lost');
    return response;
  });
  assert.deepEqual(await shaky.add(email, {}, {id: '1'}), {outcome: 'added', id: '1'});
  await withWorker(email, {handler: () => ({ok: true})}, async () => {
    assert.deepEqual((await queue.wait(email, '1')).result, {ok: true});
  }, shaky);
  assert.deepEqual(lost, {success: 2, waiting: 1}); // the end is sent again, and refused because it is in place
  assert.match((await queue.get(email, '1'))._rev, /^3-/);
});

test('an owner whose job others took while the answer to its update was lost halts', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let taken = null;
  const shaky = through(async (send, url, init) => {
    const response = await send();
    if (taken || !isWrite(url, init, `job:${email}:1`) || !init.body.includes('"percent"')) return response;
    taken = {...JSON.parse(init.body), _rev: (await response.json()).rev, fence: 2, lock: {token: 'theirs', worker: 'other'}};
    await put(taken._id, taken);
    throw new TypeError('the connection was lost');
  });
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await assert.rejects(job.update({progress: {percent: 50}}), HaltError);
    await assert.rejects(job.finish(), HaltError);
    const {status, lock} = await queue.get(email, '1');
    assert.deepEqual([status, lock.token], ['running', 'theirs']);
  }, shaky);
  await queue.couch.put({...await queue.get(email, '1'), _deleted: true});
});

test('a claim that was answered 202 is withdrawn, and owns nothing', async () => {
  const email = await type();
  const {id} = await queue.add(email, {});
  const cluster = through(async (send, url, init) => {
    const response = await asCluster(send, url);
    return isWrite(url, init, `job:${email}:${id}`) && writes(init, 'running') && !JSON.parse(init.body).lock.withdrawn ? accepted(response) : response;
  });
  await withWorker(email, {}, async worker => {
    assert.equal(await worker.claim(), null);
    const job = await until(async () => {
      const job = await queue.get(email, id);
      return job.lock?.withdrawn && job;
    });
    assert.deepEqual([job.status, job.fence, typeof job.lock.withdrawn.at], ['running', 1, 'number']);
  }, cluster);
});

test('a claim that was answered 202 and is not shown at first is withdrawn', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let hidden = 0;
  const cluster = through(async (send, url, init) => {
    if (url.includes('/_changes')) return silent(init.signal);
    if (url.includes('open_revs=all') && hidden++ < 2) return Response.json([]);
    const response = await asCluster(send, url);
    return isWrite(url, init, `job:${email}:1`) && !JSON.parse(init.body).lock.withdrawn ? accepted(response) : response;
  });
  await withWorker(email, {onError: () => {}}, async worker => {
    assert.equal(await worker.claim(), null);
    await until(async () => (await queue.get(email, '1')).lock.withdrawn, 'the withdrawal');
  }, cluster);
});

test('a tombstone beside the job that is told of while the owner writes halts the owner', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let isRemoved = false;
  const cluster = through(async (send, url) => {
    const response = await asCluster(send, url);
    if (!isRemoved || !url.includes('open_revs=all')) return response;
    const removed = {_id: `job:${email}:1`, _rev: `2-${'f'.repeat(32)}`, _deleted: true, fence: 9, _revisions: {start: 2, ids: ['f'.repeat(32), 'e'.repeat(32)]}};
    return Response.json([...await response.json(), {ok: removed}]);
  });
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    isRemoved = true;
    const write = job.update();
    job.hear(job.doc, true);
    await write.catch(error => assert.ok(error instanceof HaltError));
    await until(() => job.isHalted);
  }, cluster);
  await queue.couch.put({...await queue.get(email, '1'), _deleted: true});
});

test('an owner halts beside a leaf that counts more', async () => {
  const email = await type();
  const {id} = await queue.add(email, {});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    const rival = {_id: `job:${email}:${id}`, _rev: `1-${'f'.repeat(32)}`, status: 'waiting', fence: 9};
    await request(`${db.url}/_bulk_docs`, {method: 'POST', body: JSON.stringify({docs: [rival], new_edits: false})});
    await until(() => job.isHalted);
    await assert.rejects(job.finish(), HaltError);
  });
  for (const leaf of await queue.couch.leaves(`job:${email}:${id}`)) await queue.couch.put({...leaf, _deleted: true});
});

test('a confirmed claim beside another leaf is withdrawn', async () => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  const cluster = through(async (send, url) => {
    const response = await asCluster(send, url);
    if (!url.includes('open_revs=all')) return response;
    const leaves = await response.json();
    const rival = {_id: `job:${email}:1`, _rev: '2-ffffffffffffffffffffffffffffffff', fence: 1, status: 'success', _revisions: {start: 2, ids: ['f'.repeat(32), 'e'.repeat(32)]}};
    return Response.json([...leaves, {ok: rival}]);
  });
  await withWorker(email, {}, async worker => {
    assert.equal(await worker.claim(), null);
    await until(async () => /contested/.test((await queue.get(email, '1')).lock?.withdrawn?.reason));
  }, cluster);
});

test('a worker of a cluster that was woken lets others go first, and asks a copy of the index that lags once more', async t => {
  const email = await type();
  const asked = [];
  const cluster = through(async (send, url, init) => {
    if (url.includes('/_changes')) return silent(init.signal);
    if (!url.includes('/_view/due')) return asCluster(send, url);
    asked.push(performance.now());
    return asked.length === 2 ? Response.json({rows: []}) : send();
  });
  await withWorker(email, {}, async worker => {
    assert.equal(await worker.claim(), null);
    await queue.add(email, {}, {id: '1'});
    t.mock.method(Math, 'random', () => 1);
    const woken = performance.now();
    worker.reset();
    const job = await until(() => worker.claim());
    assert.ok(asked[1] - woken >= 99, `after ${asked[1] - woken} ms`);
    assert.ok(job.doc.lock.since - job.doc.times.created < 15000, 'it waited for the next look at the clock');
  }, cluster);
});

test('an end that was answered 202, and is not confirmed, halts its owner', async () => {
  const email = await type();
  let doubted = 0;
  const cluster = through(async (send, url, init) => writes(init, 'success') && !doubted++ ? accepted(await send()) : asCluster(send, url));
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await assert.rejects(job.finish('done'), error => error instanceof HaltError && /nobody knows/.test(error.message));
    assert.ok(job.isHalted);
  }, cluster);
  assert.equal((await queue.get(email, '1')).result, 'done');
});

/** Adds a job on a server that takes itself for a cluster; the first answer is 202. */
function addInDoubt(email) {
  let doubted = 0;
  return through(async (send, url, init) => isWrite(url, init, `job:${email}:1`) && !doubted++ ? accepted(await send()) : asCluster(send, url)).add(email, {}, {id: '1'});
}

test('a creation that was answered 202 counts when a majority has it, but not on top of a tombstone', async t => {
  const email = await type();
  assert.equal((await addInDoubt(email)).outcome, 'added');
  await queue.couch.put({...await queue.get(email, '1'), _deleted: true});
  const setOn = clocks(t);
  const added = assert.rejects(addInDoubt(email), UnconfirmedError);
  await until(async () => await queue.get(email, '1'));
  setOn(31_000);
  await added;
});

test('a creation whose answer was lost, and that others have built on, was added', async () => {
  const email = await type();
  let lost = 0;
  const cluster = through(async (send, url, init) => {
    const response = await asCluster(send, url);
    if (!isWrite(url, init, `job:${email}:1`) || lost++) return response;
    await put(`job:${email}:1`, {...JSON.parse(init.body), _rev: (await response.json()).rev, priority: 99});
    throw new TypeError('the connection was lost');
  });
  assert.deepEqual(await cluster.add(email, {a: [1]}, {id: '1'}), {outcome: 'added', id: '1'});
});

test('a failure that a request to cancel kept from being stored stays one on a cluster', async () => {
  for (const [isCluster, permanent, status] of [[true, true, 'failed'], [true, false, 'cancelled'], [false, true, 'cancelled']]) {
    const email = await type();
    const asked = [];
    const on = through(async (send, url, init) => {
      if (isWrite(url, init, `job:${email}:1`) && (writes(init, 'failed') || writes(init, 'stuck')) && !asked.length) {
        asked.push(await requestCancel(email, '1'));
      }
      return isCluster ? asCluster(send, url) : send();
    });
    await queue.add(email, {}, {id: '1'});
    await withWorker(email, {}, async worker => {
      const job = await until(() => worker.claim());
      await job.fail('no connection', {permanent});
      const {status: is, errors, cancelRequested} = await queue.get(email, '1');
      assert.deepEqual([asked, is, errors[0].message, cancelRequested], [['requested'], status, 'no connection', undefined]);
    }, on);
  }
});

test('an end that is confirmed when the lease is over counts, but not beside a leaf that counts more', async t => {
  const email = await type({timeout: 600_000});
  const setOn = clocks(t);
  for (const id of ['alone', 'taken']) {
    let isLate = false;
    const cluster = through(async (send, url, init) => {
      const response = await asCluster(send, url);
      if (isWrite(url, init, `job:${email}:${id}`) && writes(init, 'success')) [isLate] = [true, setOn(700_000)];
      if (id === 'alone' || !isLate || !url.includes('open_revs=all')) return response;
      const rival = {_id: `job:${email}:${id}`, _rev: `2-${'f'.repeat(32)}`, status: 'waiting', fence: 9, _revisions: {start: 2, ids: ['f'.repeat(32), 'e'.repeat(32)]}};
      return Response.json([...await response.json(), {ok: rival}]);
    });
    await queue.add(email, {}, {id});
    await withWorker(email, {}, async worker => {
      const job = await until(() => worker.claim());
      if (id === 'alone') await job.finish();
      else await assert.rejects(job.finish(), HaltError);
    }, cluster);
  }
});

test('an end that is confirmed after a lost answer does not count beside a leaf that counts more', async () => {
  const email = await type();
  let ends = 0;
  const cluster = through(async (send, url, init) => {
    if (isWrite(url, init, `job:${email}:1`) && writes(init, 'success') && !ends++) throw new TypeError('the connection was lost');
    const response = await asCluster(send, url);
    if (!ends || !url.includes('open_revs=all')) return response;
    const rival = {_id: `job:${email}:1`, _rev: `2-${'f'.repeat(32)}`, status: 'waiting', fence: 9, _revisions: {start: 2, ids: ['f'.repeat(32), 'e'.repeat(32)]}};
    return Response.json([...await response.json(), {ok: rival}]);
  });
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    await assert.rejects(job.finish(), HaltError);
    assert.equal(ends, 2);
  }, cluster);
});

test('an owner that reaches nobody halts when its lease is over, and leaves the job', async () => {
  const email = await type({timeout: 1000});
  let cut = false;
  const island = through((send, url, init) => cut && init?.method === 'PUT' ? Promise.reject(new TypeError('unreachable')) : send());
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    cut = true;
    const aborted = new Promise(resolve => job.signal.addEventListener('abort', () => resolve(job.leaseLeft)));
    await assert.rejects(job.update(), HaltError);
    const left = await aborted;
    assert.ok(left <= 0 && left > -500, `${left}`);
    cut = false;
    await assert.rejects(job.finish(), HaltError);
  }, island);
  assert.equal((await queue.get(email, '1')).status, 'running');
});

test('a shorter timeout leaves half of it to renew', async t => {
  const email = await type({timeout: 600_000});
  const setOn = clocks(t);
  await queue.add(email, {}, {id: '1'});
  await withWorker(email, {}, async worker => {
    const job = await until(() => worker.claim());
    setOn(190_000);
    await put(`type:${email}`, {...await queue.couch.get(`type:${email}`), timeout: 60_000});
    await until(() => worker.settings(email).timeout === 60_000);
    assert.ok(job.leaseLeft > 25_000, `${job.leaseLeft}`);
    await job.finish();
  });
});

test('a lease lasts as long as the queue says when its type does not', async () => {
  const [email, sms] = [await type(), await type({timeout: 5000})];
  const hasty = new Queue(db.url, {defaultTimeout: 9000});
  await withWorker([email, sms], {}, async worker => {
    for (const [name, timeout] of [[email, 9000], [sms, 5000]]) {
      await queue.add(name, {});
      const job = await until(() => worker.claim());
      assert.ok(job.leaseLeft > 0 && job.leaseLeft <= timeout, `${name}: ${job.leaseLeft}`);
    }
  }, hasty);
});

test('a database with a name runs the jobs that carry it', async () => {
  const url = `${db.url}-oslo`;
  const designs = await (await request(`${db.url}/_all_docs?startkey=${encodeURIComponent('"_design/"')}&endkey=${encodeURIComponent('"_design0"')}&include_docs=true`)).json();
  await request(url, {method: 'PUT'});
  await request(`${url}/_bulk_docs`, {method: 'POST', body: JSON.stringify({docs: designs.rows.map(({doc: {_rev, ...doc}}) => doc)})});
  await request(`${url}/_local/couchjobs-site`, {method: 'PUT', body: JSON.stringify({site: 'oslo'})});
  const oslo = new Queue(url);
  await oslo.add('email', {}, {id: 'here'});
  await oslo.add('email', {}, {id: 'there', site: 'paris'});
  await request(`${url}/job:email:nowhere`, {method: 'PUT', body: JSON.stringify({data: {}})});
  await withWorker('email', {handler: () => 1}, async worker => {
    assert.match(worker.id, /@oslo$/);
    const job = await oslo.wait('email', 'here');
    assert.deepEqual([job.status, job.site], ['success', 'oslo']);
    for (const id of ['there', 'nowhere']) assert.notEqual((await oslo.get('email', id)).status, 'running');
  }, oslo);
  await request(url, {method: 'DELETE'});
});

test('a Java worker expires a worker that was killed, restores a claim that was withdrawn, and runs the jobs of this client', async () => {
  const [email, back] = [await type({timeout: 15000}), await type()];
  const {id} = await queue.add(email, {});
  const child = spawn(process.execPath, [fileURLToPath(new URL('../examples/worker.js', import.meta.url)), db.url, email, '--id', 'doomed', '--sleep', '3600000'],
    {stdio: ['ignore', 'pipe', 'inherit']});
  for await (const line of child.stdout) if (String(line).includes('"start"')) break;
  child.kill('SIGKILL');
  await put(`job:${back}:1`, {status: 'running', attempt: 1, fence: 1, lock: {token: randomUUID(), worker: 'gone', withdrawn: {at: queue.couch.now(), reason: 'expired'}}});
  await queue.add(back, {n: 7}, {id: '2'});
  const java = start('work', `${email},${back}`, '--url', db.url, '--concurrency', '1', '--', 'cat');
  try {
    assert.deepEqual((await queue.wait(back, '2')).result, {n: 7});
    for (const job of [await queue.wait(email, id), await queue.wait(back, '1')]) {
      assert.ok(job.status === 'success' && job.expirations >= 1, JSON.stringify(job));
      assert.deepEqual([job.attempt, job.fence, job.errors[0].kind], [job.expirations + 1, job.expirations + 1, 'expired']);
    }
  } finally {
    java.kill();
    await new Promise(resolve => java.once('exit', resolve));
  }
});

test('the Java command line adds a job that this client runs, and understands what this client wrote', async () => {
  const email = await type();
  await couchjobs('enqueue', email, '42', '--data', '{"to": "ada"}', '--url', db.url);
  await withWorker(email, {handler: job => ({sent: job.data.to})}, () => queue.wait(email, '42'));
  const inspected = JSON.parse(await couchjobs('inspect', email, '42', '-o', 'json', '--url', db.url));
  assert.deepEqual([inspected.status, inspected.result], ['success', {sent: 'ada'}]);
  assertHealthy(await couchjobs('doctor', '-o', 'json', '--url', db.url).catch(error => error.stdout));
});

test('a URL that cannot be is refused, and the error does not have the password', () => {
  for (const url of ['http://ada:secret@host:port/jobs', 'http://ada:secret', 'ada:secret@host/jobs', 'http//ada:secret@host/jobs']) {
    assert.throws(() => new Queue(url), error => /^url must be/.test(error.message) && !JSON.stringify({...error, text: String(error)}).includes('secret'), url);
  }
});

test('a page of the feed has a thousand rows at most', async () => {
  const docs = Array.from({length: 1001}, (_, n) => ({_id: `note:page:${n}`}));
  const since = (await queue.couch.info()).update_seq;
  assert.equal((await request(`${db.url}/_bulk_docs`, {method: 'POST', body: JSON.stringify({docs})})).status, 201);
  const first = await queue.couch.changes(since);
  const second = await queue.couch.changes(first.last_seq);
  assert.equal(first.results.length, 1000);
  assert.equal([...first.results, ...second.results].filter(({id}) => id.startsWith('note:page:')).length, 1001);
});

test('a feed whose polls end at once, and an index that cannot be read, are asked again after a pause', async t => {
  const email = await type();
  await queue.add(email, {}, {id: '1'});
  let asked = 0;
  const away = through((send, url) => url.includes('/_changes') ? Promise.resolve(Response.json({results: [], last_seq: 0}))
    : url.includes('/_view/due') && ++asked < 3 ? refuse(503) : send());
  const waits = pausesOf(t);
  await withWorker(email, {handler: () => 1, onError: () => {}}, async () => {
    await ended(email, '1');
    assert.ok(waits.length >= 3 && waits.every(wait => wait === 1000), `${waits}`);
  }, away);
});

test('a refusal of the server is told with its status', async () => {
  const missing = new Queue(`${db.url}-missing`);
  await assert.rejects(missing.add('email', {}), error => error instanceof CouchError && error.status === 404);
});
