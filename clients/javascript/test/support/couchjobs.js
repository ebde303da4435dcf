// A server with an empty queue, and the Java command line.
import {execFile, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
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
 * A database that `couchjobs init` prepared: at COUCHJOBS_TEST_URL, or at an embedded server of its own.
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function database(...serve) {
  const given = serve.length ? undefined : process.env.COUCHJOBS_TEST_URL;
  const server = given ? null : start('serve', '--port', '0', ...serve);
  const root = given ?? new URL(await firstLine(server.stdout)).origin;
  const url = `${root.replace(/\/$/, '')}/js-${randomUUID().slice(0, 8)}`;
  await couchjobs('init', '--url', url);
  return {url, close: async () => {
    if (!server) return void await request(url, {method: 'DELETE'});
    server.kill();
    await new Promise(resolve => server.once('exit', resolve));
  }};
}

async function firstLine(stream) {
  let text = '';
  for await (const bytes of stream) {
    text += bytes;
    const found = /https?:\/\/\S+/.exec(text);
    if (found && text.includes('\n')) {
      stream.resume();
      return found[0];
    }
  }
  throw new Error(`the server did not start: ${text}`);
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
