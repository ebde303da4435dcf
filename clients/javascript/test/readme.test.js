// The examples of the README for Node, run as they are against a server.
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {test} from 'node:test';
import {database} from './support/couchjobs.js';

const ADDRESS = 'http://user:password@127.0.0.1:5984/jobs';

test('the worker of the README runs the job that its creator adds', async () => {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [adds, works] = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const db = await database();
  const run = (code, before, exported) => {
    assert.ok(code.includes(ADDRESS));
    const here = code.replace(ADDRESS, db.url).replace("from 'couchjobs'", `from '${new URL('../src/index.js', import.meta.url)}'`);
    return import(`data:text/javascript,${encodeURIComponent(`${before}\n${here}\nexport {${exported}};`)}`);
  };
  try {
    const {worker} = await run(works, 'const send = async () => {};', 'worker');
    try {
      const {outcome, job} = await run(adds, '', 'outcome, job');
      assert.equal(outcome, 'added');
      assert.equal(job.status, 'success');
      assert.deepEqual(job.result, {sent: true});
    } finally {
      await worker.stop();
    }
  } finally {
    await db.close();
  }
});
