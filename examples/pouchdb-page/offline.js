// The page without a browser: orders offline, then synchronizes until the worker's answer is there. offline.js URL POUCHDB-FOLDER
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {order, synchronize} from './shop.js';

const [url, home] = process.argv.slice(2);
const PouchDB = createRequire(join(home, 'package.json'))('pouchdb');
const folder = mkdtempSync(join(tmpdir(), 'orders-'));
const db = new PouchDB(join(folder, 'orders'));

const {id} = await order(db, 'ada@example.org');
console.log(`offline: ${(await db.get(`job:email:${id}`)).status}`);

const job = await new Promise(resolve => {
  const sync = synchronize(db, url, change => {
    if (change.status !== 'success') return;
    sync.cancel();
    resolve(change);
  });
});
console.log(`back online: ${job.status}, ${job.result.output}`);
rmSync(folder, {recursive: true});
process.exit();
