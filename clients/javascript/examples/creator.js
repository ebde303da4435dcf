#!/usr/bin/env node
// A creator on the command line: adds jobs and waits until they have ended.
//   creator.js URL TYPE [--count N] [--data JSON]
import {parseArgs} from 'node:util';
import {Queue} from '../src/index.js';

const {values, positionals: [url, type]} = parseArgs({allowPositionals: true, options: {
  count: {type: 'string', default: '1'}, data: {type: 'string', default: '{}'}}});
if (!url || !type) {
  console.error('usage: creator.js URL TYPE [--count N] [--data JSON]');
  process.exit(2);
}

const queue = new Queue(url);
const data = JSON.parse(values.data);
const added = await Promise.all(Array.from({length: Number(values.count)}, () => queue.add(type, data)));
for (const {outcome, id} of added) console.log(JSON.stringify({event: outcome, type, id}));
for (const {id} of added) {
  const job = await queue.wait(type, id);
  console.log(JSON.stringify({event: 'end', type, id, status: job.status, result: job.result}));
}
