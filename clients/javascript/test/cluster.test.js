// Creators and workers of this client at the nodes of a cluster that answers 201, 202 and 409 as a real one does, beside one Java worker,
// which resolves conflicts (COUCHJOBS_TEST_CLUSTER_URLS, else a simulated cluster).
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {Queue} from '../src/index.js';
import {assertHealthy, couchjobs, database, start, until} from './support/couchjobs.js';

let db;
let queues;
let java;

before(async () => {
  db = await database(3);
  queues = db.urls.map(url => new Queue(url));
  java = start('work', 'resolver', '--url', db.url, '--concurrency', '1', '--', 'cat');
});

after(async () => {
  java?.kill();
  await new Promise(resolve => java?.once('exit', resolve));
  await db?.close();
});

test('workers at three nodes run each job once, whatever the answers to their claims', async () => {
  const [runs, overlaps, live] = [new Map(), [], new Map()];
  const handler = async job => {
    if (live.has(job.id)) overlaps.push(`${job.id}: fences ${live.get(job.id)} and ${job.fence}`);
    live.set(job.id, job.fence);
    runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
    await job.update({progress: {percent: 50}});
    live.delete(job.id);
    return job.fence;
  };
  const ids = Array.from({length: 30}, (_, i) => `job-${i}`);
  const workers = await Promise.all(queues.map(queue => queue.work('contended', handler, {concurrency: 2})));
  try {
    await Promise.all(ids.map((id, i) => queues[i % 3].add('contended', {i}, {id})));
    for (const [i, id] of ids.entries()) {
      const job = await queues[(i + 1) % 3].wait('contended', id);
      assert.equal(job.status, 'success', JSON.stringify(job));
    }
  } finally {
    await Promise.all(workers.map(worker => worker.stop()));
  }
  assert.deepEqual(overlaps, []);
  assert.deepEqual([...runs.keys()].sort(), [...ids].sort());
});

test('of creators that race for one id one job is left, and nobody is told of an error', async () => {
  for (let round = 0; round < 5; round++) {
    const added = await Promise.all(queues.map((queue, i) => queue.add('raced', {i}, {id: `${round}`})));
    const {data} = await until(async () => {
      const leaves = (await queues[0].couch.leaves(`job:raced:${round}`)).filter(leaf => !leaf._deleted);
      return leaves.length === 1 && leaves[0];
    });
    // Whose it is need not be the one that was told that it added a job (docs/clusters.md, "An insert that both believe in").
    assert.ok([0, 1, 2].includes(data.i), JSON.stringify(data));
    assert.ok(added.every(({outcome}) => outcome === 'added' || outcome === 'exists'), JSON.stringify(added));
  }
});

test('no conflict is left', async () => {
  await until(async () => {
    const findings = await couchjobs('doctor', '-o', 'json', '--url', db.url).catch(error => error.stdout);
    return !/"check" : "conflicts",\s*"level" : "(?!ok)/.test(findings) && (assertHealthy(findings), true);
  });
});
