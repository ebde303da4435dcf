// One job: its state and its history, its data, its errors and its log.
import { h, Loading, Ago, Card, Empty, Trouble, Status, Progress, Button, get, jobHref, jobsHref, duration, exact, number } from '../lib.js';
import { actionsFor, actOn, editAgain, isObject } from '../actions.js';
import { Labels } from './jobs.js';
import { say } from '../dialog.js';
import { arrayHref, Strip } from '../items.js';

export class Job extends Loading {
  componentDidMount() {
    super.componentDidMount();
    this.told = (event) => this.hearJob(event.detail);
    addEventListener('couchjobs-job', this.told);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    removeEventListener('couchjobs-job', this.told);
  }

  ask() {
    return get('job', { type: this.props.params.type, id: this.props.params.id });
  }

  /** Ignores events after the job was removed. */
  hear(tick) {
    if (!this.state.gone) {
      super.hear(tick);
    }
  }

  hearJob(job) {
    if (job.gone) {
      this.learn({ error: 'This job was removed. What is shown is how it was.', gone: true });
    } else if (job.rev) {
      this.learn({ data: job, error: null, gone: false });
    } else {
      this.soon();
    }
  }

  /** Shows the news of the stream, and ignores the answer to an earlier request, which would be older. */
  learn(news) {
    this.asked++;
    this.show(news);
  }

  render({ params, actions }, { data: job, error }) {
    const title = h('h1', { tabIndex: -1, class: 'job-title' },
      h('a', { class: 'type', href: jobsHref({ type: params.type }) }, params.type), ' ', h('span', { class: 'id' }, params.id));
    if (!job) {
      return h('div', null, title, error ? h(Trouble, { error }) : h(Empty, null, 'Looking …'));
    }
    return h('div', { class: 'job-page' },
      h('div', { class: 'job-head' },
        title, h('span', { role: 'status' }, h(Status, { status: job.status })),
        actions && h('span', { class: 'group', role: 'group', 'aria-label': 'Act on this job' },
          actionsFor(job.status).map((action) => h(Button, { key: action.name, kind: action.kind || '', onClick: () => actOn(action.name, job) }, action.word)),
          mayBeEdited(job) && h(Button, { onClick: () => editAgain(job) }, 'Edit and run again'))),
      h(Trouble, { error }),
      h(Sentence, { job }),
      job.state === 'pending' && h(Why, { key: job.rev, type: job.type, id: job.id }),
      h('div', { class: 'columns uneven' },
        h('div', null,
          h(Items, { job }),
          h(Errors, { job }),
          h(Text, { title: 'Data', text: job.data, none: 'No data.' }),
          h(Text, { title: 'Result', text: job.result, none: job.state === 'finished' ? 'No result.' : 'No result yet.' }),
          h(Log, { type: job.type, id: job.id, running: job.status === 'running' })),
        h('div', null, h(Timeline, { job }), h(Facts, { job }))));
  }
}

/**
 * Returns whether the job can be edited and run again. The page may have only the beginning of the data, which is not a JSON
 * object.
 */
function mayBeEdited(job) {
  return job.state === 'finished' && !job.items && isObject(job.data);
}

/** Shows the items of a job that is a chunk of an array. */
function Items({ job }) {
  return job.items && h(Card, { title: 'Items', tools: h('a', { href: arrayHref(job.type, job.items.array) }, 'Array ' + job.items.array) },
    h(Strip, { items: job.items }));
}

/** Shows what keeps the job from running, the decisive reason first. */
class Why extends Loading {
  pace = 5000;

  ask() {
    return get('explain', { type: this.props.type, id: this.props.id });
  }

  concerns(tick) {
    return tick.types || tick.workers;
  }

  render(props, { data, error }) {
    return (data || error) && h(Card, { title: 'Why it does not run', class: 'reasons' }, h(Trouble, { error }),
      data && h('ol', null, data.reasons.map((reason) => h('li', { key: reason.verdict },
        h('p', null, h('span', { class: 'badge warn' }, reason.verdict.replaceAll('-', ' ')), ' ', reason.because),
        h('p', { class: 'faint' }, h('b', null, 'Do: '), reason.do),
        h('p', null, reason.commands.map((command) => h(Copy, { key: command, text: command, what: command }, 'Copy ' + command.split(' ').slice(0, 2).join(' '))))))));
  }
}

/** A button that copies a text. */
function Copy({ text, what, children }) {
  return navigator.clipboard && h(Button, { kind: 'small', 'aria-label': 'Copy ' + what, onClick: () => navigator.clipboard.writeText(text).then(() => say('Copied ' + what)) }, children || 'Copy');
}

/** Shows the state of the job in a sentence. */
function Sentence({ job }) {
  const parts = {
    waiting: () => job.held
      ? ['Waits for ' + (job.after.count === 1 ? 'another job' : number(job.after.count) + ' other jobs') + ' to finish.']
      : job.time ? ['Waits to run; due ', h(Ago, { time: job.time }), '.'] : ['Waits to run; it is due.'],
    scheduled: () => ['Claimed by ', h('b', null, job.worker), ' ', h(Ago, { time: job.since }), '; starts when it has a free place.'],
    running: () => ['Runs on ', h('b', null, job.worker), ' since ', h(Ago, { time: job.times.started, since: true }), ', attempt ' + job.attempt + '.'],
    stuck: () => ['Failed in attempt ' + job.attempt + ', runs again ', h(Ago, { time: job.time }), '.'],
    success: () => ['Succeeded ', h(Ago, { time: job.times.finished }), ran(job), '.'],
    failed: () => ['Failed for good ', h(Ago, { time: job.times.finished }), ' after ' + job.attempt + (job.attempt === 1 ? ' attempt' : ' attempts') + '.'],
    cancelled: () => ['Was cancelled ', h(Ago, { time: job.times.finished }), '.'],
  }[job.status];
  return h('div', { class: 'sentence' },
    h('p', null, parts ? parts() : job.status, job.cancelRequested && ' It has been asked to stop.', job.resubmitted && ' It will run once more afterwards.'),
    (job.status === 'running' || job.status === 'scheduled') && h(Progress, { progress: job.progress }),
    job.progress && job.progress.message && job.status === 'running' && h('p', { class: 'faint' }, job.progress.message));
}

function ran(job) {
  return job.times.started && job.times.finished ? ', ran ' + duration(job.times.finished - job.times.started) : '';
}

const MOMENTS = {
  created: ['waiting', 'Created'],
  claimed: ['scheduled', 'Claimed'],
  started: ['running', 'Started'],
  released: ['waiting', 'Given back'],
  failed: ['failed', 'Last failure'],
  retried: ['waiting', 'Let run again'],
  expired: ['stuck', 'Its worker gave no sign of life'],
  stopped: ['cancelled', 'Stopped while it ran'],
  finished: ['', 'Finished'],
};

function Timeline({ job }) {
  const moments = [];
  for (const [name, time] of Object.entries(job.times)) {
    const [status, text] = MOMENTS[name] || ['', plain(name)];
    const end = name === 'finished';
    moments.push({ time, status: end ? job.status : status, text, key: name, why: name === 'retried' && job.retryReason });
  }
  for (const error of job.errors) {
    moments.push({ time: error.at, status: 'failed', text: 'Attempt ' + error.attempt + ' ' + (error.kind === 'failed' ? 'failed' : 'ended: ' + error.kind), why: error.message, key: 'error' + error.at + error.attempt });
  }
  const last = job.errors.map((error) => error.at);
  const all = moments.filter((moment) => moment.key !== 'failed' || !last.includes(moment.time));
  if (job.status === 'waiting' || job.status === 'stuck') {
    if (job.time) {
      all.push({ time: job.time, status: 'next', text: 'To run', key: 'next' });
    }
  }
  all.sort((one, other) => one.time - other.time || order(one) - order(other));
  return h(Card, { title: 'Timeline' }, h('ol', { class: 'timeline' }, all.map((moment) => h('li', { key: moment.key, class: 'is-' + moment.status },
    h('span', { class: 'text' }, moment.text), h('span', { class: 'clock', title: exact(moment.time) }, h(Ago, { time: moment.time })),
    moment.why && h('span', { class: 'why', title: moment.why }, moment.why)))));
}

/** Makes words from the name of a moment that has no text of its own. */
function plain(name) {
  const words = name.replace(/([A-Z])/g, (letter) => ' ' + letter.toLowerCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function order(moment) {
  return Object.keys(MOMENTS).indexOf(moment.key);
}

function Facts({ job }) {
  const rows = [
    ['Type', h('a', { href: jobsHref({ type: job.type }) }, job.type)],
    ['Id', h('span', { class: 'id' }, job.id)],
    ['Attempts', job.attempt + (job.maxRetries !== null ? ' of ' + (job.maxRetries + 1) : '')],
    job.expirations > 0 && ['Leases that ran out', job.expirations],
    ['Priority', job.priority],
    job.worker && ['Worker', job.worker],
    job.tracker && ['Tracker', job.tracker],
    job.site && ['Site', h('a', { href: jobsHref({ site: job.site }) }, job.site)],
    ['Claims (fence)', job.fence],
    ['Revision', h('span', { class: 'id' }, job.rev)],
  ].filter(Boolean);
  return h(Card, { title: 'About' },
    h('dl', { class: 'facts' }, rows.map(([name, value]) => [h('dt', { key: name }, name), h('dd', null, value)])),
    h(Labels, { job }),
    job.after && h('div', { class: 'after' }, h('h3', null, 'Waits for'),
      h('ul', null, job.after.jobs.map((other) => h('li', { key: other.type + other.id }, h('a', { href: jobHref(other) }, other.type + ' ' + other.id))))));
}

/** Groups the errors, so that the same error of several attempts is shown once. */
function grouped(errors) {
  const groups = new Map();
  for (const error of errors) {
    const key = error.kind + '\n' + error.message;
    const group = groups.get(key) || { kind: error.kind, message: error.message, attempts: [], last: 0, stack: null };
    group.attempts.push(error.attempt);
    group.last = Math.max(group.last, error.at);
    group.stack = error.stack || group.stack;
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => other.last - one.last);
}

function Errors({ job }) {
  if (job.errors.length === 0) {
    return null;
  }
  return h(Card, { title: 'Errors' }, h('ul', { class: 'errors' }, grouped(job.errors).map((group) => h('li', { key: group.kind + group.message },
    h('p', { class: 'message' }, group.message),
    h('p', { class: 'faint' }, (group.attempts.length === 1 ? 'Attempt ' : group.attempts.length + ' times, attempts ') + group.attempts.join(', ') + ' · ' + group.kind + ' · last ', h(Ago, { time: group.last })),
    group.stack && h('details', null, h('summary', null, 'Stack trace'), h('pre', { tabIndex: 0 }, group.stack))))));
}

function Text({ title, text, none }) {
  return h(Card, { title, tools: text && h(Copy, { text, what: title.toLowerCase() }) }, text ? h('pre', { tabIndex: 0, 'aria-label': title }, text) : h(Empty, null, none));
}

/** How many of the newest lines of a log are shown: more than the server sends at a time. */
const MOST_LINES = 6000;

class Log extends Loading {
  constructor(props) {
    super(props);
    this.chunks = new Map();
    this.state.follow = true;
  }

  componentDidMount() {
    super.componentDidMount();
    this.logged = (event) => this.add(event.detail);
    addEventListener('couchjobs-log', this.logged);
  }

  componentWillUnmount() {
    super.componentWillUnmount();
    removeEventListener('couchjobs-log', this.logged);
  }

  async ask() {
    const answer = await get('log', { type: this.props.type, id: this.props.id });
    this.add(answer.chunks);
    return answer;
  }

  /** Loads the log again only when lines may be missing, because new lines come by the stream. */
  hear(tick) {
    if (tick.reset || tick.opened || this.state.error) {
      this.soon();
    }
  }

  /** Adds chunks, which come from the server's answer and from the stream, in any order and possibly twice. */
  add(chunks) {
    for (const chunk of chunks) {
      this.chunks.set(String(chunk.fence).padStart(16, '0') + ' ' + String(chunk.number).padStart(8, '0'), chunk);
    }
    this.forgetOldest();
    this.forceUpdate(() => {
      if (this.state.follow && this.box) {
        this.box.scrollTop = this.box.scrollHeight;
      }
    });
  }

  forgetOldest() {
    const keys = [...this.chunks.keys()].sort();
    let lines = keys.reduce((sum, key) => sum + this.chunks.get(key).lines.length, 0);
    while (lines > MOST_LINES && keys.length > 1) {
      const oldest = keys.shift();
      lines -= this.chunks.get(oldest).lines.length;
      this.chunks.delete(oldest);
      this.forgot = true;
    }
  }

  lines() {
    const lines = [];
    for (const key of [...this.chunks.keys()].sort()) {
      const chunk = this.chunks.get(key);
      if (chunk.dropped) {
        lines.push({ dropped: chunk.dropped });
      }
      lines.push(...chunk.lines);
    }
    return lines;
  }

  render({ running }, { data, error, follow }) {
    const lines = this.lines();
    const toggle = lines.length > 0 && h('label', { class: 'check' },
      h('input', { type: 'checkbox', checked: follow, onChange: (event) => this.setState({ follow: event.target.checked }) }), 'Follow');
    return h(Card, { title: 'Log', tools: toggle },
      h(Trouble, { error }),
      lines.length === 0
        ? h(Empty, null, data ? (running ? 'Nothing logged yet.' : 'Nothing was logged.') : 'Looking …')
        : h('div', { class: 'log', ref: (element) => { this.box = element; }, tabIndex: 0, role: 'log', 'aria-label': 'Log', 'aria-live': 'off' },
          lines.map((line, index) => line.dropped
            ? h('div', { key: index, class: 'faint' }, number(line.dropped) + ' lines were dropped')
            : h('div', { key: index, class: 'entry' }, h('span', { class: 'clock', title: exact(line.at) + ', attempt ' + line.attempt }, exact(line.at).slice(11, 23)), h('span', { class: 'line' }, line.text)))),
      (this.forgot || data && data.more) && h('p', { class: 'faint' }, 'The log is longer: couchjobs logs shows all of it.'));
  }
}
