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

test('the time by a server whose clock is an hour wrong is never early, and at most two seconds late', async t => {
  const hour = 3_600_000;
  for (const wrong of [hour, -hour]) {
    assert.equal(await told(t, [NOON, NOON + wrong]), NOON + wrong);
    assert.equal(await told(t, [NOON, NOON + wrong], [NOON + 500, NOON + 1000 + wrong]), NOON + 1000 + wrong);
  }
});

test('a clock that was set right is followed', async t => {
  assert.equal(await told(t, [NOON, NOON + 3_600_000], [NOON + 1999, NOON]), NOON + 1999);
});

test('a clock that is less than two seconds ahead is corrected by an old date, and stays corrected', async t => {
  const answers = [[1999, 0], [2000, 2000], [3999, 2000], [4000, 4000], [5999, 4000]]; // [the server's time, the date]
  for (const ahead of [1000, 1500, 1900]) {
    for (let n = 1; n <= answers.length; n++) {
      const seen = answers.slice(0, n).map(([at, date]) => [NOON + at + ahead, NOON + date]);
      assert.equal(await told(t, ...seen) - NOON, n === 1 ? 0 : answers[n - 1][0], `${ahead} ms ahead, after ${n} answers`);
    }
  }
});
