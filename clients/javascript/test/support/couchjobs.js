// A server with an empty queue, and the Java command line.
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const command = process.env.COUCHJOBS ?? fileURLToPath(new URL('../../../../couchjobs', import.meta.url));
/** How long a condition may take to come true, in ms: generous, as the machine may be busy and a JVM slow. */
export const PATIENCE = Number(process.env.COUCHJOBS_TEST_PATIENCE ?? 600) * 1000;

/** A command of couchjobs; its standard output. An exit code other than 0 is an error that has both outputs. */
export async function couchjobs(...args) {
  return (await promisify(execFile)(command, args, {timeout: PATIENCE})).stdout;
}

/** A command that stays. */
export const start = (...args) => spawn(command, args, {stdio: ['ignore', 'pipe', 'inherit']});

/**
 * A database that `couchjobs init` prepared, by a URL for each node: at COUCHJOBS_TEST_URL, for several nodes at COUCHJOBS_TEST_CLUSTER_URLS
 * (separated by spaces), else at an embedded server of its own.
 * @returns {Promise<{urls: string[], url: string, close: () => Promise<void>}>}
 */
export async function database(nodes = 1) {
  const given = (nodes === 1 ? process.env.COUCHJOBS_TEST_URL : process.env.COUCHJOBS_TEST_CLUSTER_URLS)?.split(/\s+/);
  const server = given ? null : start('serve', '--port', '0', ...nodes > 1 ? ['--simulate-cluster', `${nodes}`] : []);
  const roots = given ?? (await lines(server.stdout, nodes)).map(line => new URL(line).origin);
  const name = `js-${randomUUID().slice(0, 8)}`;
  const urls = roots.map(root => `${root.replace(/\/$/, '')}/${name}`);
  await couchjobs('init', '--url', urls[0]);
  return {urls, url: urls[0], close: async () => {
    if (!server) return void await request(urls[0], {method: 'DELETE'});
    server.kill();
    await new Promise(resolve => server.once('exit', resolve));
  }};
}

async function lines(stream, count) {
  const found = [];
  for await (const line of createInterface({input: stream})) {
    found.push(line.trim());
    if (found.length === count) {
      stream.resume();
      return found;
    }
  }
  throw new Error(`the server did not start: ${found}`);
}

/** fetch with the user of the URL. */
export function request(url, init = {}) {
  const {username, password} = new URL(url);
  const plain = new URL(url);
  plain.username = plain.password = '';
  const auth = username ? {Authorization: `Basic ${Buffer.from(`${username}:${decodeURIComponent(password)}`).toString('base64')}`} : {};
  return fetch(plain, {...init, headers: {'Content-Type': 'application/json', ...auth, ...init.headers}});
}

/** Waits until the condition gives something that counts as true. */
export async function until(condition, what = String(condition)) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    const found = await condition();
    if (found) return found;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error(`in vain: ${what}`);
}

/** What `couchjobs doctor` says of the documents: all can be jobs, and none is in conflict. Jobs may wait for a worker. */
export function assertHealthy(findings) {
  const levels = Object.fromEntries(JSON.parse(findings).map(({check, level}) => [check, level]));
  assert.deepEqual(['malformed', 'documents', 'conflicts', 'times', 'design'].map(check => levels[check]), ['ok', 'ok', 'ok', 'ok', 'ok'], findings);
}
