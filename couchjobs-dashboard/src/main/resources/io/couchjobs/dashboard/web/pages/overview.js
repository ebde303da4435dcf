// The overview: speed, numbers of jobs, failures and workers.
import { h, Component, Loading, Ago, Card, Empty, Trouble, JobLink, STATUSES, WORDS, get, jobsHref, number, small, now, duration } from '../lib.js';
import { Throughput, Latency } from '../chart.js';
import { Past } from '../past.js';
import { RowAction } from '../row.js';

const NOTHING = { ok: 0, retried: 0, failed: 0, cancelled: 0 };

/** Returns the last minutes of one type. */
function ofType(history, type) {
  return history.map((second) => ({ at: second.at, ...((second.types || {})[type] || NOTHING) }));
}

export class Overview extends Component {
  live(summary, type) {
    const history = type ? ofType(summary.history, type) : summary.history;
    const choice = h('select', { 'aria-label': 'Type', value: type || '', onChange: (event) => this.setState({ type: event.target.value }) },
      h('option', { value: '' }, 'All types'), summary.types.map(({ type: name }) => h('option', { key: name, value: name }, name)));
    return h(Card, { title: 'Last 5 minutes', tools: choice },
      h('div', { class: 'charts' }, h(Throughput, { history }), h(Latency, { history })));
  }

  render({ summary, summaryError: error, actions }, { type }) {
    if (!summary) {
      return h('div', null, h('h1', { tabIndex: -1 }, 'Overview'), h(Trouble, { error }), !error && h(Empty, null, 'Looking …'));
    }
    return h('div', null,
      h('h1', { tabIndex: -1, class: 'away' }, 'Overview'),
      h(Trouble, { error }),
      h(Tiles, { summary }),
      this.live(summary, type),
      h(Past, null),
      h(TypeTable, { types: summary.types }),
      h('div', { class: 'columns' },
        h(Latest, { title: 'Latest failures', status: 'failed', none: 'Nothing has failed for good.', actions }),
        h(Latest, { title: 'Waiting for a retry', status: 'stuck', none: 'Nothing waits for a retry.', actions })),
      h(Fleet, { workers: summary.workers }));
  }
}

function sum(types, ...statuses) {
  return types.reduce((all, type) => all + statuses.reduce((some, status) => some + type[status], 0), 0);
}

/** Returns the time since which the oldest due job could have run. */
function oldestDue(types) {
  const due = types.filter((type) => type.oldest && type.oldest <= now()).map((type) => type.oldest);
  return due.length ? Math.min(...due) : null;
}

function Tiles({ summary }) {
  const { types, history, workers } = summary;
  const last = history.slice(-10);
  const rate = last.reduce((all, second) => all + second.ok, 0) / Math.max(1, last.length);
  const living = workers.filter((worker) => !worker.silent).length;
  const oldest = oldestDue(types);
  return h('ul', { class: 'tiles' },
    h(Tile, { label: 'Succeeding', value: small(rate), unit: 'per s' }),
    h(Tile, { label: WORDS.waiting, value: number(sum(types, 'waiting')), href: jobsHref({ status: 'waiting' }), kind: 'waiting' }),
    h(Tile, { label: WORDS.running, value: number(sum(types, 'running')), href: jobsHref({ status: 'running' }), kind: 'running' }),
    h(Tile, { label: WORDS.stuck, value: number(sum(types, 'stuck')), href: jobsHref({ status: 'stuck' }), kind: 'stuck' }),
    h(Tile, { label: WORDS.failed, value: number(sum(types, 'failed')), href: jobsHref({ status: 'failed' }), kind: 'failed' }),
    h(Tile, { label: WORDS.success, value: number(sum(types, 'success')), href: jobsHref({ status: 'success' }), kind: 'success' }),
    h(Tile, { label: 'Oldest due', value: oldest ? h(Ago, { time: oldest, since: true }) : '–' }),
    h(Tile, { label: 'Workers', value: number(living), unit: living < workers.length ? '+ ' + (workers.length - living) + ' silent' : '', href: 'workers' }));
}

function Tile({ label, value, unit, href, kind }) {
  const inner = [h('span', { class: 'label' }, label), h('span', { class: 'value' }, value, unit && h('span', { class: 'unit' }, ' ' + unit))];
  const zero = value === '0' ? ' zero' : '';
  return h('li', { class: 'tile' + (kind ? ' is-' + kind : '') + zero }, href ? h('a', { href }, inner) : h('div', null, inner));
}

function TypeTable({ types }) {
  if (!types.length) {
    return h(Card, { title: 'Types' }, h(Empty, null, 'No jobs yet. Add one: couchjobs enqueue email 1 --data \'{"to": "ada@example.org"}\''));
  }
  return h(Card, { title: 'Types' }, h('table', { class: 'cards counts' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Type'),
      STATUSES.map((status) => h('th', { scope: 'col', key: status, class: 'num' }, WORDS[status])),
      ['p50', 'p95', 'Oldest due'].map((text) => h('th', { scope: 'col', key: text, class: 'num' }, text)), h('th', { scope: 'col' }, 'State'))),
    h('tbody', null, types.map((type) => h('tr', { key: type.type },
      h('th', { scope: 'row' }, h('a', { href: jobsHref({ type: type.type }) }, type.type)),
      STATUSES.map((status) => h('td', { key: status, class: 'num', 'data-label': WORDS[status] }, type[status]
        ? h('a', { class: 'count-of is-' + status, href: jobsHref({ type: type.type, status }) }, number(type[status]))
        : h('span', { class: 'faint' }, '0'))),
      ['p50', 'p95'].map((part) => h('td', { class: 'num', key: part, 'data-label': part, title: 'how long runs took in the last hour' },
        type[part] === undefined ? h('span', { class: 'faint' }, '–') : duration(type[part]))),
      h('td', { class: 'num', 'data-label': 'Oldest due' }, type.oldest && type.oldest <= now() ? h(Ago, { time: type.oldest, since: true }) : h('span', { class: 'faint' }, '–')),
      h('td', { 'data-label': 'State' }, stateOf(type)))))));
}

function stateOf(type) {
  const count = type.workers;
  const isDue = (type.waiting || type.stuck) && type.oldest <= now();
  if (type.paused) {
    return h('span', { class: 'badge warn' }, 'Paused');
  }
  if (count === 0 && isDue && type.type !== 'couchjobs-trigger') { // workers of any type run these jobs
    return h('span', { class: 'badge bad' }, 'No worker');
  }
  return h('span', { class: 'faint' }, count === 0 ? 'idle' : count === 1 ? '1 worker' : count + ' workers');
}

class Latest extends Loading {
  ask() {
    return get('jobs', { status: this.props.status, limit: 6 });
  }

  concerns(tick) {
    return tick.more || tick.jobs.length > 0;
  }

  render({ title, status, none, actions }, { data, error }) {
    const all = h('a', { href: jobsHref({ status }) }, 'All');
    return h(Card, { title, tools: all },
      h(Trouble, { error }),
      data && !data.jobs.length && h(Empty, null, none),
      data && data.jobs.length > 0 && h('ul', { class: 'list' }, data.jobs.map((job) => h('li', { key: job.type + ' ' + job.id },
        h('div', { class: 'main' }, h(JobLink, { job }), h('p', { class: 'why', title: job.error }, job.error || '')),
        h('div', { class: 'side' }, h(Ago, { time: status === 'stuck' ? job.time : job.times.finished || job.times.failed }), actions && h(RowAction, { job }))))));
  }
}

function Fleet({ workers }) {
  const all = h('a', { href: 'workers' }, 'All');
  return h(Card, { title: 'Workers', tools: all },
    workers.length === 0
      ? h(Empty, null, 'No worker has registered. Start one: couchjobs work TYPE -- COMMAND')
      : h('ul', { class: 'fleet' }, workers.slice(0, 24).map((worker) => h('li', { key: worker.id, class: worker.silent ? 'silent' : '' },
        h('a', { href: 'workers' }, worker.id),
        h('span', { class: 'num' }, worker.owned === 1 ? '1 job' : number(worker.owned) + ' jobs'),
        h('span', { class: 'faint' }, worker.registered ? h(Ago, { time: worker.at }) : 'not registered')))));
}
