// The code that all pages share: requests to the server, the format of times and numbers, and small components. Everything that
// users wrote goes into the page as text, never as HTML: nothing here or elsewhere sets innerHTML.
import { h, Component } from './preact/preact.module.js';

export { h, Component };
export { render } from './preact/preact.module.js';

const base = new URL(document.baseURI).pathname;

export const STATUSES = ['waiting', 'scheduled', 'running', 'stuck', 'success', 'failed', 'cancelled'];
export const WORDS = {
  waiting: 'Waiting',
  scheduled: 'Claimed',
  running: 'Running',
  stuck: 'Retrying',
  success: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
};
const SIGNS = { waiting: '○', scheduled: '◐', running: '▶', stuck: '↻', success: '✓', failed: '✕', cancelled: '⊘' };

// ---- the server -------------------------------------------------------------------------------------------------

let offset = 0;

/** Returns the database server's time, by which all times of jobs are written. */
export function now() {
  return Date.now() + offset;
}

export function learnTime(serverNow) {
  if (serverNow) {
    offset = serverNow - Date.now();
  }
}

export async function get(path, params) {
  const response = await fetch('api/' + path + query(params), {
    headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(90_000),
  });
  return answered(response);
}

export async function post(path, body) {
  const response = await fetch('api/' + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Couchjobs-Dashboard': '1' },
    body: JSON.stringify(body),
  });
  return answered(response);
}

async function answered(response) {
  const json = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Error(json.error || 'the dashboard answered ' + response.status);
  }
  learnTime(json.now);
  return json;
}

/** Returns a query string of the parameters that are set. */
export function query(params) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params || {})) {
    if (value !== undefined && value !== null && value !== '') {
      search.set(name, value);
    }
  }
  const text = search.toString();
  return text ? '?' + text : '';
}

// ---- where we are -------------------------------------------------------------------------------------------------

export function place() {
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : '';
  return { page: path || 'overview', params: Object.fromEntries(new URLSearchParams(location.search)) };
}

export function go(href, replace) {
  history[replace ? 'replaceState' : 'pushState'](null, '', new URL(href, document.baseURI));
  dispatchEvent(new Event('couchjobs-place'));
}

export function jobHref(job) {
  return 'job' + query({ type: job.type, id: job.id });
}

export function jobsHref(params) {
  return 'jobs' + query(params);
}

// ---- numbers and times ----------------------------------------------------------------------------------------------

const grouping = new Intl.NumberFormat('en');

export function number(value) {
  return grouping.format(value || 0);
}

/** Formats a rate or another small number, with a digit after the point where that digit is meaningful. */
export function small(value) {
  return value >= 100 || value === 0 ? number(Math.round(value)) : value.toFixed(value >= 10 ? 0 : 1);
}

export function duration(millis) {
  const ms = Math.max(0, millis);
  if (ms < 1000) {
    return Math.round(ms) + ' ms';
  }
  const s = ms / 1000;
  if (s < 10) {
    return s.toFixed(1) + ' s';
  }
  if (s < 100) {
    return Math.round(s) + ' s';
  }
  const units = [['d', 86400], ['h', 3600], ['min', 60]];
  for (const [name, seconds] of units) {
    if (s >= seconds * (name === 'min' ? 1 : 2)) {
      return Math.round(s / seconds) + ' ' + name;
    }
  }
  return Math.round(s) + ' s';
}

function ago(time) {
  const distance = now() - time;
  if (Math.abs(distance) < 1000) {
    return 'now';
  }
  const words = Math.abs(distance) < 10000 ? Math.round(Math.abs(distance) / 1000) + ' s' : duration(Math.abs(distance));
  return distance > 0 ? words + ' ago' : 'in ' + words;
}

/** The largest distance from 1970 of a JavaScript date, in milliseconds; documents may have any number. */
const LAST_TIME = 8.64e15;

function isTime(time) {
  return !!time && Math.abs(time) <= LAST_TIME;
}

export function exact(time) {
  if (!isTime(time)) {
    return '–';
  }
  const date = new Date(time);
  const pad = (n, width) => String(n).padStart(width || 2, '0');
  return date.getFullYear() + '-' + pad(date.getMonth() + 1) + '-' + pad(date.getDate()) + ' ' + pad(date.getHours()) + ':'
    + pad(date.getMinutes()) + ':' + pad(date.getSeconds()) + '.' + pad(date.getMilliseconds(), 3);
}

const clocks = new Set();
setInterval(() => clocks.forEach((clock) => clock.forceUpdate()), 1000);

/** Shows a time relative to now, and the exact time on hover. Updates itself every second. */
export class Ago extends Component {
  componentDidMount() {
    clocks.add(this);
  }

  componentWillUnmount() {
    clocks.delete(this);
  }

  render({ time, none, since }) {
    if (!isTime(time)) {
      return h('span', { class: 'faint' }, none || '–');
    }
    const text = since ? duration(now() - time) : ago(time);
    return h('time', { dateTime: new Date(time).toISOString(), title: exact(time) }, text);
  }
}

// ---- parts ----------------------------------------------------------------------------------------------------------

export function Status({ status, quiet }) {
  return h('span', { class: 'status ' + (quiet ? 'quiet ' : '') + 'is-' + status },
    h('span', { class: 'sign', 'aria-hidden': 'true' }, SIGNS[status] || '?'), WORDS[status] || status);
}

export function Progress({ progress }) {
  if (!progress) {
    return null;
  }
  const label = progress.percent + ' %' + (progress.message ? ', ' + progress.message : '');
  return h('span', { class: 'progress', title: label },
    h('progress', { max: 100, value: progress.percent, 'aria-label': 'progress: ' + label }),
    h('span', { class: 'num' }, progress.percent + ' %'));
}

export function JobLink({ job }) {
  return h('a', { class: 'joblink', href: jobHref(job), title: job.type + ' ' + job.id },
    h('span', { class: 'type' }, job.type), h('span', { class: 'id' }, job.id));
}

export function Card({ title, tools, children, class: more }) {
  return h('section', { class: 'card ' + (more || '') },
    title && h('header', null, h('h2', null, title), tools && h('div', { class: 'tools' }, tools)), children);
}

export function Empty({ children }) {
  return h('p', { class: 'empty' }, children);
}

/** Shows why a page cannot be shown. An index that is being built is not an error: the page appears when it is done. */
export function Trouble({ error }) {
  if (error && error.startsWith('building the index ')) {
    return h('p', { class: 'empty', role: 'status' }, 'The server is ' + error + '. This page is shown as soon as it is done.');
  }
  return error ? h('p', { class: 'trouble', role: 'alert' }, h('span', { 'aria-hidden': 'true' }, '✕ '), error) : null;
}

export function Button({ children, kind, ...props }) {
  return h('button', { type: 'button', class: 'button ' + (kind || ''), ...props }, children);
}

const CALM = 3000;
const SLOWLY = 15000;

/** A component that loads data, and loads it again when it may have changed, but at most once per `pace` milliseconds. */
export class Loading extends Component {
  state = { data: null, error: null };
  pace = 1500;

  componentDidMount() {
    this.load();
    this.heard = (event) => this.hear(event.detail);
    addEventListener('couchjobs-tick', this.heard);
  }

  componentWillUnmount() {
    this.gone = true;
    clearTimeout(this.later);
    clearTimeout(this.last);
    removeEventListener('couchjobs-tick', this.heard);
  }

  /**
   * Loads again after a change. The server's answers may be older than the events of the stream, so it loads once more when no
   * more changes come, and now and then even without changes.
   */
  hear(tick) {
    const moved = tick.reset || this.concerns(tick);
    if (moved || Date.now() - (this.loadedAt || Date.now()) > SLOWLY) {
      this.soon();
    }
    if (moved || tick.opened) {
      clearTimeout(this.last);
      this.last = setTimeout(() => this.soon(), CALM);
    }
  }

  /** Returns whether an event may change what is shown. */
  concerns() {
    return false;
  }

  /** Loads as soon as the pace allows, once for several calls. A call during a request loads once more after its answer. */
  soon() {
    if (this.asking) {
      this.again = true;
    } else if (!this.later) {
      const wait = Math.max(0, (this.loadedAt || 0) + this.pace - Date.now());
      this.later = setTimeout(() => {
        this.later = null;
        this.load();
      }, wait);
    }
  }

  /** Loads at once, such as after an action of the user. The answer to an earlier request is then ignored. */
  async load() {
    const asked = (this.asked = (this.asked || 0) + 1);
    this.asking = true;
    const answer = await this.ask().then((data) => ({ data, error: null }), (error) => ({ error: error.message }));
    if (!this.gone && asked === this.asked) {
      this.show(answer);
    }
  }

  show(answer) {
    this.asking = false;
    this.loadedAt = Date.now();
    this.setState(answer);
    if (this.again) {
      this.again = false;
      this.soon();
    }
  }
}
