// One trigger: its databases, the changes that failed, and the actions on them.
import { h, Loading, Ago, Card, Empty, Trouble, Button, get, post, go, jobHref, jobsHref, number, duration } from '../lib.js';
import { ask, attempt } from '../dialog.js';

export class TriggerPage extends Loading {
  pace = 3000;

  ask() {
    return get('trigger', { name: this.props.params.name });
  }

  concerns(tick) {
    return tick.triggers;
  }

  render({ params, actions }, { data: trigger, error }) {
    const title = h('h1', { tabIndex: -1, class: 'job-title' }, h('a', { class: 'type', href: 'triggers' }, 'trigger'), ' ', h('span', { class: 'id' }, params.name));
    if (!trigger) {
      return h('div', null, title, error ? h(Trouble, { error }) : h(Empty, null, 'Looking …'));
    }
    return h('div', null,
      h('div', { class: 'job-head' }, title, h(State, { trigger }), actions && this.buttons(trigger)),
      h(Trouble, { error }),
      h(Card, null, h('dl', { class: 'facts' }, facts(trigger).map(([name, value]) => [h('dt', { key: name }, name), h('dd', null, value)]))),
      h(Sources, { trigger }), h(Failures, { trigger }),
      h(Card, { title: 'Document' }, h('pre', { tabIndex: 0, 'aria-label': 'The document of the trigger' }, trigger.text)));
  }

  buttons(trigger) {
    const button = (action, text, kind) => h(Button, {
      kind, onClick: () => act(trigger, action, () => (action === 'remove' ? go('triggers') : this.load())),
    }, text);
    return h('span', { class: 'group', role: 'group', 'aria-label': 'Act on this trigger' },
      trigger.enabled ? button('pause', 'Pause') : button('resume', 'Resume'),
      trigger.failed.length > 0 && button('retry', 'Retry errors'),
      button('replay', 'Replay'), button('remove', 'Remove', 'danger'));
  }
}

/** Asks a question if the action has one, takes the action, and calls `then` when it succeeded. */
export async function act(trigger, action, then) {
  const question = questions(trigger)[action];
  const form = question ? await ask(question) : {};
  if (form && await attempt(trigger.name, () => post('triggers', { name: trigger.name, action, ...form }))) {
    then();
  }
}

function questions(trigger) {
  return {
    pause: { title: 'Pause ' + trigger.name + '?', text: 'It makes no jobs until it is resumed, and then those of all changes since.', yes: 'Pause' },
    replay: {
      title: 'Send ' + trigger.name + ' back?',
      text: 'From the beginning: it makes jobs for each document of ' + trigger.source + ' once more. From now: it makes no jobs for the changes that wait.',
      fields: h('label', { class: 'field' }, 'From',
        h('select', { name: 'from' }, h('option', { value: 'beginning' }, 'the beginning'), h('option', { value: 'now' }, 'now'))),
      yes: 'Send back', kind: 'danger',
    },
    remove: { title: 'Remove ' + trigger.name + '?', text: 'Its positions are removed, too. Its jobs stay.', yes: 'Remove', kind: 'danger' },
  };
}

function facts(trigger) {
  const { deliver, debounce, writeBack } = trigger.document;
  return [
    ['Source', trigger.source + (trigger.connection ? ' at ' + trigger.connection : '')],
    ['Jobs of', trigger.type || 'the documents (outbox)'],
    ['Delivers', deliver === 'every' ? 'every revision' : 'the newest state'],
    debounce && ['Debounce', duration(debounce)],
    writeBack && ['Writes back', h(WritesBack, { to: writeBack, ends: trigger.ends })],
    ['Lag', h(Lag, { of: trigger })],
    ['Changes per minute', number(trigger.perMinute)],
    ['Jobs', h(JobsOf, { trigger })],
    ['Errors', number(trigger.errors)],
    ['Follower', h(Follower, { trigger })],
  ].filter(Boolean);
}

function WritesBack({ to, ends }) {
  return h('span', null, 'the ends to ' + to,
    ends && ': ' + number(ends.changes) + ' taken, ' + number(ends.errors) + ' failed',
    ends?.problem && h('span', { class: 'bad' }, ' ' + ends.problem));
}

function Sources({ trigger }) {
  const more = trigger.databases - trigger.sources.length;
  return h(Card, { title: trigger.databases === 1 ? '1 database' : number(trigger.databases) + ' databases' }, trigger.sources.length === 0
    ? h(Empty, null, 'No database is followed yet.')
    : h('table', { class: 'cards' },
      h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Database'), ['Lag', 'Changes', 'Jobs', 'Errors'].map((text) => h('th', { scope: 'col', key: text, class: 'num' }, text)),
        h('th', { scope: 'col' }, 'Moved'), h('th', { scope: 'col' }, 'Problem'))),
      h('tbody', null, trigger.sources.map((source) => h('tr', { key: source.database },
        h('th', { scope: 'row' }, source.database),
        h('td', { 'data-label': 'Lag', class: 'num' }, h(Lag, { of: source })),
        h('td', { 'data-label': 'Changes', class: 'num' }, number(source.changes)),
        h('td', { 'data-label': 'Jobs', class: 'num' }, number(source.jobs)),
        h('td', { 'data-label': 'Errors', class: 'num' }, number(source.errors)),
        h('td', { 'data-label': 'Moved' }, h(Ago, { time: source.last, none: 'never' })),
        h('td', { 'data-label': 'Problem' }, source.problem ? h('span', { class: 'bad' }, source.problem) : h('span', { class: 'faint' }, 'none')))))),
  more > 0 && h('p', { class: 'faint' }, 'and ' + number(more) + ' more'));
}

function Failures({ trigger }) {
  if (trigger.failed.length === 0) {
    return null;
  }
  return h(Card, { title: 'Changes that failed' }, h('ul', { class: 'errors' }, trigger.failed.map((error) => h('li', { key: error.database + ' ' + error.id + ' ' + error.rev },
    h('p', { class: 'message' }, error.reason),
    h('p', { class: 'faint' }, 'Document ', h('span', { class: 'id' }, error.id), ' of ' + error.database + ', revision ' + error.rev + ' · ', h(Ago, { time: error.at }))))));
}

export function State({ trigger }) {
  const [kind, text] = !trigger.enabled ? ['warn', '❚❚ Paused'] : trigger.problem ? ['bad', '✕ In trouble'] : trigger.follower ? ['good', '▶ Follows'] : ['warn', '○ Nobody follows'];
  return h('span', { class: 'badge ' + kind, title: trigger.problem }, text);
}

export function JobsOf({ trigger }) {
  return trigger.jobs > 0 ? h('a', { href: jobsHref({ origin: 'trigger:' + trigger.name }) }, number(trigger.jobs)) : '0';
}

/** Shows the follower of a trigger: the owner of the trigger's job. */
export function Follower({ trigger }) {
  return trigger.follower
    ? h('a', { href: jobHref({ type: 'couchjobs-trigger', id: trigger.name }), 'aria-label': trigger.follower + ' follows ' + trigger.name }, trigger.follower)
    : h('span', { class: 'faint' }, 'none');
}

/** Shows how many changes wait, and for how long. */
export function Lag({ of: { lag, behind } }) {
  return lag === null ? h('span', { class: 'faint', title: 'The source cannot be asked' }, '–')
    : [number(lag), lag > 0 && behind !== null && h('span', { class: 'faint', title: 'Changes have been waiting for so long, at least' }, ' for ' + duration(behind))];
}
