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
      text: 'Running workers follow within moments. An empty field is the default.',
      fields: h('div', { class: 'form' },
        field('timeout', 'Timeout, in seconds', type.timeout === null ? '' : type.timeout / 1000, 'default', 0.001, 'any'),
        field('maxRetries', 'Retries after failures', type.maxRetries, '', 0),
        field('limit', 'Running at once', type.limit, 'any number', 0),
        field('groupLimit', 'Running at once of a group', type.groupLimit, 'any number', 0),
        field('maxQueued', 'Pending at most', type.maxQueued, 'any number', 0),
        field('maxExpirations', 'Leases that may run out', type.maxExpirations, 'any number', 0)),
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
          h('thead', null, h('tr', null, ['Type', 'Claiming'].map(head), ['Pending', 'Running', 'Oldest due', 'Timeout', 'Retries'].map(headNumber),
            head('Limits'), head('Kept'), actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')))),
          h('tbody', null, data.types.map((type) => this.row(type, actions))))));
  }

  row(type, actions) {
    return h('tr', { key: type.type },
      h('th', { scope: 'row' }, h('a', { href: jobsHref({ type: type.type }) }, type.type)),
      h('td', { 'data-label': 'Claiming' }, type.paused ? h('span', { class: 'badge warn' }, '❚❚ Paused') : h('span', { class: 'badge good' }, '▶ Open')),
      h('td', { 'data-label': 'Pending', class: 'num' }, number(type.waiting + type.stuck)),
      h('td', { 'data-label': 'Running', class: 'num' }, number(type.running + type.scheduled)),
      h('td', { 'data-label': 'Oldest due', class: 'num' }, type.oldest && type.oldest <= now() ? h(Ago, { time: type.oldest, since: true }) : '–'),
      h('td', { 'data-label': 'Timeout', class: 'num' }, type.timeout === null ? h('span', { class: 'faint' }, 'default') : duration(type.timeout)),
      h('td', { 'data-label': 'Retries', class: 'num' }, type.maxRetries),
      h('td', { 'data-label': 'Limits' }, limits(type)),
      h('td', { 'data-label': 'Kept' }, kept(type.retention)),
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

/** Only what somebody changed: the rest may have been changed by others meanwhile. */
function changes(type, form) {
  const changed = {};
  for (const [name, text] of Object.entries(form)) {
    const value = text === '' ? null : name === 'timeout' ? Math.round(Number(text) * 1000) : Number(text);
    if (value !== type[name] && !(name === 'maxRetries' && value === null)) {
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
