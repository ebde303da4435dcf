// The jobs that pass a filter, newest first or by their ids, a page at a time. The URL has the filter and the page.
import { h, Component, Loading, Ago, Card, Empty, Trouble, Status, JobLink, Progress, Button, STATUSES, WORDS, get, go, jobHref, jobsHref, number } from '../lib.js';
import { RowAction } from '../row.js';
import { actionsFor, actOnAll, addJob } from '../actions.js';

const FIELDS = ['type', 'status', 'id', 'group', 'class', 'origin', 'tag', 'correlation', 'site'];

function filterOf(params) {
  return Object.fromEntries(FIELDS.filter((field) => params[field]).map((field) => [field, params[field]]));
}

export class Jobs extends Component {
  render({ params, summary, actions }) {
    const filter = filterOf(params);
    return h('div', null,
      h('div', { class: 'job-head' }, h('h1', { tabIndex: -1 }, 'Jobs'),
        actions && h('span', { class: 'group' }, h(Button, { onClick: () => addJob(filter.type) }, 'Add a job …'))),
      h(FilterBar, { filter, key: JSON.stringify(filter), types: summary ? summary.types.map((type) => type.type) : [] }),
      h(List, { key: JSON.stringify(filter) + params.after, filter, after: params.after, actions }));
  }
}

class FilterBar extends Component {
  changed(event) {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget.form || event.currentTarget));
    go(jobsHref(form));
  }

  render({ filter, types }) {
    const known = filter.type && !types.includes(filter.type) ? [filter.type, ...types] : types;
    const text = (field, label) => h('label', { class: 'field' }, label,
      h('input', { name: field, defaultValue: filter[field] || '', autocomplete: 'off', spellcheck: false, placeholder: 'any' }));
    return h('form', { class: 'filters', role: 'search', 'aria-label': 'Filter jobs', onSubmit: (event) => this.changed(event) },
      h('label', { class: 'field' }, 'Type', h('select', { name: 'type', onChange: (event) => this.changed(event) },
        h('option', { value: '' }, 'any'), known.map((type) => h('option', { key: type, value: type, selected: type === filter.type }, type)))),
      h('label', { class: 'field' }, 'Status', h('select', { name: 'status', onChange: (event) => this.changed(event) },
        h('option', { value: '' }, 'any'), STATUSES.map((status) => h('option', { key: status, value: status, selected: status === filter.status }, WORDS[status])))),
      text('id', 'Id begins with'), text('group', 'Group'), text('class', 'Class'), text('origin', 'Origin'), text('tag', 'Tag'), text('correlation', 'Correlation'),
      filter.site && text('site', 'Site'),
      h('div', { class: 'buttons' },
        h('button', { type: 'submit', class: 'button primary' }, 'Filter'),
        Object.keys(filter).length > 0 && h('a', { class: 'button', href: 'jobs' }, 'Clear')));
  }
}

class List extends Loading {
  ask() {
    return get('jobs', { ...this.props.filter, after: this.props.after, limit: 50 });
  }

  concerns(tick) {
    return tick.more || tick.jobs.length > 0;
  }

  render({ filter, after, actions }, { data, error }) {
    if (!data) {
      return error ? h(Trouble, { error }) : h(Empty, null, 'Looking …');
    }
    const many = data.count === undefined
      ? number(data.jobs.length) + (data.next ? ' shown, more follow' : ' shown')
      : (data.count === 1 ? '1 job' : number(data.count) + ' jobs');
    this.first = this.first || many;
    return h(Card, {
      title: many,
      tools: actions && Object.keys(filter).length > 0 && !filter.id && h(Bulk, { filter }),
    },
    h('p', { class: 'unseen', role: 'status' }, this.first),
    h(Trouble, { error }),
    data.jobs.length === 0
      ? h(Empty, null, data.next ? 'None among the jobs that were looked at; go on.' : 'No jobs here.')
      : h(Table, { jobs: data.jobs, actions }),
    h('nav', { class: 'pager', 'aria-label': 'Pages of jobs' },
      after && h('a', { class: 'button', href: jobsHref(filter) }, filter.id ? '« First' : '« Newest'),
      data.next && h('a', { class: 'button', href: jobsHref({ ...filter, after: data.next }) }, filter.id ? 'More »' : 'Older »')));
  }
}

function Bulk({ filter }) {
  return h('span', { class: 'group', role: 'group', 'aria-label': 'Act on all jobs of this filter' }, h('span', { class: 'faint' }, 'All:'),
    actionsFor(filter.status).map((action) => h(Button, { key: action.name, kind: 'small ' + (action.kind || ''), onClick: () => actOnAll(action.name, filter) }, action.word + ' …')));
}

function Table({ jobs, actions }) {
  return h('table', { class: 'cards jobs' },
    h('thead', null, h('tr', null,
      h('th', { scope: 'col' }, 'Status'), h('th', { scope: 'col' }, 'Job'), h('th', { scope: 'col' }, 'What'),
      h('th', { scope: 'col', class: 'num' }, 'Runs'), h('th', { scope: 'col' }, 'Created'), h('th', { scope: 'col' }, 'Last'),
      actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Action')))),
    h('tbody', null, jobs.map((job) => h('tr', { key: job.type + ' ' + job.id },
      h('td', { 'data-label': 'Status' }, h(Status, { status: job.status })),
      h('td', { 'data-label': 'Job', class: 'name' }, h(JobLink, { job }), h(Labels, { job })),
      h('td', { 'data-label': 'What', class: 'what' }, what(job)),
      h('td', { 'data-label': 'Runs', class: 'num' }, job.attempt),
      h('td', { 'data-label': 'Created' }, h(Ago, { time: job.times.created })),
      h('td', { 'data-label': 'Last' }, h(Ago, { time: lastTime(job) })),
      actions && h('td', { class: 'act' }, h(RowAction, { job }))))));
}

export function Labels({ job }) {
  const labels = [];
  if (job.group) {
    labels.push(h('a', { class: 'label', href: jobsHref({ group: job.group }), title: 'group ' + job.group }, 'group ', h('b', null, job.group)));
  }
  if (job.class) {
    labels.push(h('a', { class: 'label', href: jobsHref({ class: job.class }), title: 'class ' + job.class }, 'class ', h('b', null, job.class)));
  }
  if (job.origin) {
    const [, type, id] = /^job:([^:]+):(.+)$/s.exec(job.origin) || [];
    labels.push(h('a', { class: 'label', href: type ? jobHref({ type, id }) : jobsHref({ origin: job.origin }), title: 'origin ' + job.origin }, 'from ', h('b', null, job.origin)));
  }
  (job.tags || []).forEach((tag) => labels.push(h('a', { class: 'label', href: jobsHref({ tag }), title: 'tag ' + tag }, '#', h('b', null, tag))));
  if (job.correlation) {
    labels.push(h('a', { class: 'label', href: jobsHref({ correlation: job.correlation }), title: 'correlation ' + job.correlation }, 'with ', h('b', null, job.correlation)));
  }
  return labels.length ? h('span', { class: 'labels' }, labels) : null;
}

function lastTime(job) {
  const times = Object.values(job.times);
  return times.length ? Math.max(...times) : null;
}

/** Returns the most important fact about a job. */
function what(job) {
  if (job.held) {
    return h('span', { class: 'faint' }, 'waits for other jobs');
  }
  if (job.status === 'failed' || job.status === 'stuck') {
    return [h('span', { class: 'why', title: job.error }, job.error), job.status === 'stuck' && h('span', { class: 'faint' }, ' retry ', h(Ago, { time: job.time }))];
  }
  if (job.status === 'running' || job.status === 'scheduled') {
    return [h(Progress, { progress: job.progress }), h('span', { class: 'faint' }, 'on ' + job.worker)];
  }
  if (job.status === 'waiting') {
    return h('span', { class: 'faint' }, job.time ? ['due ', h(Ago, { time: job.time })] : 'due at once');
  }
  return hasRun(job) ? h('span', { class: 'faint' }, 'ran ' + span(job)) : '';
}

/** Returns whether a finished job ended with a run; a job that was cancelled while it waited did not. */
export function hasRun({ status, times }) {
  return times.started && times.finished &&
    (status !== 'cancelled' || [times.stopped, times.failed, times.expired].includes(times.finished));
}

function span(job) {
  const ms = job.times.finished - job.times.started;
  return ms < 1000 ? ms + ' ms' : (ms / 1000).toFixed(1) + ' s';
}
