// Charts of the last hour, day and month, and what each chart shows.
import { h, Loading, Card, Trouble, get, duration, number, small } from './lib.js';
import { Plot } from './chart.js';

const MINUTE = 60000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const RANGES = {
  hour: { title: 'Last hour', per: 'minute', span: HOUR, ticks: [[HOUR, '−60 min'], [45 * MINUTE, '−45 min'], [30 * MINUTE, '−30 min'], [15 * MINUTE, '−15 min']] },
  day: { title: 'Last day', per: '10 min', span: DAY, ticks: [[DAY, '−24 h'], [18 * HOUR, '−18 h'], [12 * HOUR, '−12 h'], [6 * HOUR, '−6 h']] },
  month: { title: 'Last 30 days', per: '4 h', span: 30 * DAY, ticks: [[30 * DAY, '−30 d'], [20 * DAY, '−20 d'], [10 * DAY, '−10 d']] },
};

/** Returns the properties of a plot, from a range and the server's answer for it. */
function over(range, { points, step, marks }) {
  const { span, ticks } = RANGES[range];
  return { span, step, gap: 3 * step, ticks, marks, history: points.map((point) => ({ ...point, at: point.at + step, ok: point.runs - point.failures })) };
}

export function Runs({ range, data, title }) {
  return h(Plot, {
    ...over(range, data),
    title: title || 'Runs per ' + RANGES[range].per,
    stacked: true,
    least: 5,
    format: small,
    sum: number,
    lines: [{ name: 'Ended well', field: 'ok', color: 'success' }, { name: 'Failed runs', field: 'failures', color: 'failed' }],
  });
}

export function Waiting({ range, data }) {
  return h(Plot, {
    ...over(range, data),
    title: 'Jobs that waited, at most',
    stacked: false,
    least: 5,
    format: number,
    lines: [{ name: 'Waiting', field: 'waiting', color: 'waiting' }],
  });
}

export function Took({ range, data }) {
  return h(Plot, {
    ...over(range, data),
    title: 'Time of runs',
    stacked: false,
    least: 10,
    format: duration,
    lines: [{ name: 'p50', field: 'p50', color: 'running' }, { name: 'p95', field: 'p95', color: 'waiting' }],
  });
}

/** Shows the last hour, day and month side by side. */
export class Past extends Loading {
  pace = 15000;

  async ask() {
    const ranges = Object.keys(RANGES);
    const answers = await Promise.all(ranges.map((range) => get('history', { range })));
    return Object.fromEntries(ranges.map((range, index) => [range, answers[index]]));
  }

  render(props, { data, error }) {
    const all = h('a', { href: 'history' }, 'By type');
    return h(Card, { title: 'History', tools: all }, h(Trouble, { error }),
      data && h('div', { class: 'charts three' }, Object.entries(RANGES).map(([range, { title, per }]) => h(Runs, { key: range, range, data: data[range], title: title + ', per ' + per }))));
  }
}
