// The server's clock, by the dates of its answers.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Couch} from '../src/couch.js';

const NOON = Date.parse('2026-01-01T12:00:00Z');

/** What the client takes the server's time for, after answers that came at once at these moments: [here, the answer's date]. */
async function told(t, ...answers) {
  const here = t.mock.method(Date, 'now');
  const couch = new Couch('http://localhost/queue', {fetch: async () => Response.json({}, {headers: {date: new Date(answers[0][1]).toUTCString()}})});
  for (; answers.length; answers.shift()) {
    here.mock.mockImplementation(() => answers[0][0]);
    await couch.request('GET', '');
    if (answers.length === 1) return couch.now();
  }
}

test('a server whose date is a second old, and cut to a second, has the clock of this machine', async t => {
  assert.equal(await told(t, [NOON + 1999, NOON]), NOON + 1999);
  assert.equal(await told(t, [NOON, NOON], [NOON + 1999, NOON]), NOON + 1999);
});

test('the time by a server whose clock is an hour wrong is that of its date', async t => {
  const hour = 3_600_000;
  for (const wrong of [hour, -hour]) {
    assert.equal(await told(t, [NOON, NOON + wrong]), NOON + wrong);
    assert.equal(await told(t, [NOON, NOON + wrong], [NOON + 500, NOON + 1000 + wrong]), NOON + 1000 + wrong);
  }
});

test('a clock that was set right is followed', async t => {
  assert.equal(await told(t, [NOON, NOON + 3_600_000], [NOON + 1999, NOON]), NOON + 1999);
});
