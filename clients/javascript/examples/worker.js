#!/usr/bin/env node
// A worker on the command line: tells of each run in a line of JSON, and sleeps for a while.
//   worker.js URL TYPE[,TYPE...] [--id NAME] [--concurrency N] [--sleep MS] [--out FILE]
import {appendFileSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseArgs} from 'node:util';
import {Queue} from '../src/index.js';

const {values, positionals: [url, types]} = parseArgs({allowPositionals: true, options: {
  id: {type: 'string'}, concurrency: {type: 'string', default: '1'}, sleep: {type: 'string', default: '0'}, out: {type: 'string'}}});
if (!url || !types) {
  console.error('usage: worker.js URL TYPE[,TYPE...] [--id NAME] [--concurrency N] [--sleep MS] [--out FILE]');
  process.exit(2);
}

function tell(event, {type, id, fence}, more = {}) {
  const line = JSON.stringify({event, type, id, fence, at: Date.now(), ...more}) + '\n';
  if (values.out) appendFileSync(values.out, line);
  else writeSync(1, line);
}

async function handler(job) {
  const fence = job.fence;
  tell('start', job);
  let outcome = 'success';
  try {
    await sleep(Number(values.sleep), undefined, {signal: job.signal});
    await job.finish({fence});
  } catch (error) {
    outcome = job.isHalted ? 'halted' : job.isCancelRequested ? 'cancelled' : 'failed';
    throw error;
  } finally {
    tell('end', {type: job.type, id: job.id, fence}, {outcome});
  }
}

const worker = await new Queue(url).work(types.split(','), handler, {id: values.id, concurrency: Number(values.concurrency)});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => worker.stop());
