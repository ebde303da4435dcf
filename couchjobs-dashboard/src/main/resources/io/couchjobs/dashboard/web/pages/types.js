// The types of jobs and their settings.
import { h, Loading, Ago, Card, Empty, Trouble, Button, get, post, jobsHref, number, duration, now } from '../lib.js';
import { ask, attempt } from '../dialog.js';

export class Types extends Loading {
  ask() {
    return get('types');
  }

  concerns(tick) {
    return tick.types || tick.more || tick.jobs.length > 0;
  }

  async pause(type) {
    const paused = !type.paused;
    const sure = !paused || await ask({
      title: 'Pause ' + type.type + '?',
      text: 'No worker takes jobs of this type until it is resumed. Those that run go on.',
      yes: 'Pause',
    });
    if (sure && await attempt((paused ? 'Pause ' : 'Resume ') + type.type, () => post('types', { type: type.type, paused }))) {
      this.load();
    }
  }

  async edit(type) {
    const form = await ask({
      title: 'Settings of ' + type.type,
      text: 'Running workers follow within moments. An empty field is the default. What is kept: a time such as 30d, a number of jobs, delete or forever.',
      fields: h('div', { class: 'form' },
        field('timeout', 'Timeout, in seconds', type.timeout === null ? '' : type.timeout / 1000, 'default', 0.001, 'any'),
        field('maxRetries', 'Retries after failures', type.maxRetries, 'default', 0),
        field('rateStarts', 'Starts in a time at most', type.rate ? type.rate.starts : null, 'any number', 1),
        field('rateWindow', 'That time, in seconds', type.rate ? type.rate.window / 1000 : null, '60', 1, 'any'),
        field('limit', 'Running at once', type.limit, 'any number', 0),
        field('groupLimit', 'Running at once of a group', type.groupLimit, 'any number', 0),
        field('maxQueued', 'Pending at most', type.maxQueued, 'any number', 0),
        field('maxExpirations', 'Leases that may run out', type.maxExpirations, 'any number', 0),
        keep('retention', 'Keep what succeeded', type.retention),
        keep('failureRetention', 'Keep what failed or was cancelled', type.failureRetention)),
      yes: 'Save',
    });
    const change = form && changes(type, form);
    if (change && Object.keys(change).length > 0 && await attempt('Settings of ' + type.type, () => post('types', { type: type.type, ...change }))) {
      this.load();
    }
  }

  render({ actions }, { data, error }) {
    return h('div', null, h('h1', { tabIndex: -1 }, 'Types'), h(Trouble, { error }),
      data && h(Card, null, data.types.length === 0
        ? h(Empty, null, 'No types yet: the first job or setting of a type makes it.')
        : h('table', { class: 'cards' },
          h('thead', null, h('tr', null, ['Type', 'Claiming'].map(head), ['Pending', 'Running', 'p50', 'p95', 'Oldest due', 'Timeout', 'Retries'].map(headNumber),
            head('Limits'), head('Kept'), actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')))),
          h('tbody', null, data.types.map((type) => this.row(type, actions))))));
  }

  row(type, actions) {
    return h('tr', { key: type.type },
      h('th', { scope: 'row' }, h('a', { href: jobsHref({ type: type.type }) }, type.type)),
      h('td', { 'data-label': 'Claiming' }, type.paused ? h('span', { class: 'badge warn' }, '❚❚ Paused') : h('span', { class: 'badge good' }, '▶ Open')),
      h('td', { 'data-label': 'Pending', class: 'num' }, number(type.waiting + type.stuck)),
      h('td', { 'data-label': 'Running', class: 'num' }, number(type.running + type.scheduled)),
      ['p50', 'p95'].map((part) => h('td', { key: part, 'data-label': part, class: 'num' }, type[part] === undefined ? '–' : duration(type[part]))),
      h('td', { 'data-label': 'Oldest due', class: 'num' }, type.oldest && type.oldest <= now() ? h(Ago, { time: type.oldest, since: true }) : '–'),
      h('td', { 'data-label': 'Timeout', class: 'num' }, type.timeout === null ? h('span', { class: 'faint' }, 'default') : duration(type.timeout)),
      h('td', { 'data-label': 'Retries', class: 'num' }, type.maxRetries),
      h('td', { 'data-label': 'Limits' }, limits(type)),
      h('td', { 'data-label': 'Kept' }, kept(type.retention),
        kept(type.failureRetention) !== kept(type.retention) && ' (failed: ' + kept(type.failureRetention) + ')'),
      actions && h('td', { class: 'act' },
        h(Button, { kind: 'small', 'aria-label': (type.paused ? 'Resume ' : 'Pause ') + type.type, onClick: () => this.pause(type) }, type.paused ? 'Resume' : 'Pause'),
        h(Button, { kind: 'small', 'aria-label': 'Settings of ' + type.type, onClick: () => this.edit(type) }, 'Edit')));
  }
}

function head(text) {
  return h('th', { scope: 'col', key: text }, text);
}

function headNumber(text) {
  return h('th', { scope: 'col', key: text, class: 'num' }, text);
}

function field(name, label, value, placeholder, min, step) {
  return h('label', { class: 'field' }, label,
    h('input', { name, type: 'number', min, step: step || 1, value: value === null ? '' : value, placeholder }));
}

/** Returns the field of a retention as text: a time such as 30d, a number of jobs, delete, forever. */
function keep(name, label, retention) {
  return h('label', { class: 'field' }, label,
    h('input', {
      name, value: keepText(retention), placeholder: 'default', autocomplete: 'off', spellcheck: false,
      pattern: KEEP.source, title: 'A time such as 12h or 30d, a number of jobs (the newest), delete or forever',
    }));
}

const KEEP = /^(\d{1,9}(s|m|h|d)?|delete|forever)$/;
const MILLIS = { s: 1000, m: 60000, h: 3600000, d: 86400000 };

function keepText(retention) {
  if (retention.newest) {
    return String(retention.newest);
  }
  if (!retention.time) {
    return retention;
  }
  const unit = ['d', 'h', 'm', 's'].find((name) => retention.time % MILLIS[name] === 0) || 's';
  return Math.round(retention.time / MILLIS[unit]) + unit;
}

function keepValue(text) {
  const [, number, unit] = /^(\d+)([smhd]?)$/.exec(text) || [];
  return number === undefined ? text || null : unit ? { time: number * MILLIS[unit] } : { newest: Number(number) };
}

/** Returns only the settings that the user changed, because others may have changed the rest meanwhile. */
function changes(type, { rateStarts, rateWindow, retention, failureRetention, ...form }) {
  const changed = {};
  const rate = rateStarts === '' ? null : { starts: Number(rateStarts), window: Math.round((rateWindow === '' ? 60 : Number(rateWindow)) * 1000) };
  if (JSON.stringify(rate) !== JSON.stringify(type.rate || null)) {
    changed.rate = rate;
  }
  for (const [name, text] of Object.entries({ retention, failureRetention })) {
    if (text.trim() !== keepText(type[name])) {
      changed[name] = keepValue(text.trim());
    }
  }
  for (const [name, text] of Object.entries(form)) {
    const value = text === '' ? null : name === 'timeout' ? Math.round(Number(text) * 1000) : Number(text);
    if (value !== type[name]) {
      changed[name] = value;
    }
  }
  return changed;
}

function limits(type) {
  const parts = [];
  const add = (value, text) => value !== null && value !== undefined && parts.push(number(value) + ' ' + text);
  add(type.limit, 'at once');
  add(type.groupLimit, 'of a group');
  if (type.rate) {
    parts.push(number(type.rate.starts) + ' per ' + duration(type.rate.window));
  }
  add(type.maxQueued, 'pending');
  add(type.maxExpirations, 'expirations');
  if (type.classes) {
    parts.push('classes ' + (type.classes.map((name) => name || '(none)').join(', ') || 'none'));
  }
  return parts.length ? parts.join(', ') : h('span', { class: 'faint' }, 'none');
}

function kept(retention) {
  if (retention && retention.newest) {
    return number(retention.newest) + ' newest';
  }
  return retention && retention.time ? duration(retention.time) : String(retention);
}
