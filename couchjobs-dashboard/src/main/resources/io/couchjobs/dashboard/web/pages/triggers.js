// All triggers, which make jobs from the changes of documents.
import { h, Loading, Card, Empty, Trouble, Button, get, jobsHref, number, query } from '../lib.js';
import { act, State, JobsOf, Follower, Lag } from './trigger.js';

export class Triggers extends Loading {
  pace = 3000;

  ask() {
    return get('triggers');
  }

  concerns(tick) {
    return tick.triggers;
  }

  render({ actions }, { data, error }) {
    return h('div', null, h('h1', { tabIndex: -1 }, 'Triggers'), h(Trouble, { error }),
      data && Object.entries(data.malformed).map(([name, why]) => h(Trouble, { key: name, error: why })),
      data && h(Card, null, data.triggers.length === 0
        ? h(Empty, null, 'No trigger. Make jobs from the changes of a database: couchjobs trigger add order-mail --source orders --type email')
        : h('table', { class: 'cards' },
          h('thead', null, h('tr', null, ['Name', 'Source', 'Jobs of', 'State'].map((text) => h('th', { scope: 'col', key: text }, text)),
            ['Lag', 'Jobs', 'Errors'].map((text) => h('th', { scope: 'col', key: text, class: 'num' }, text)), h('th', { scope: 'col' }, 'Follower'),
            actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')))),
          h('tbody', null, data.triggers.map((trigger) => this.row(trigger, actions))))));
  }

  row(trigger, actions) {
    const [action, text] = trigger.enabled ? ['pause', 'Pause'] : ['resume', 'Resume'];
    return h('tr', { key: trigger.name },
      h('th', { scope: 'row' }, h('a', { href: 'trigger' + query({ name: trigger.name }) }, trigger.name)),
      h('td', { 'data-label': 'Source' }, trigger.source, trigger.connection && h('span', { class: 'faint' }, ' at ' + trigger.connection)),
      h('td', { 'data-label': 'Jobs of' }, trigger.type ? h('a', { href: jobsHref({ type: trigger.type }) }, trigger.type) : h('span', { class: 'faint' }, '(outbox)')),
      h('td', { 'data-label': 'State' }, h(State, { trigger })),
      h('td', { 'data-label': 'Lag', class: 'num' }, h(Lag, { of: trigger })),
      h('td', { 'data-label': 'Jobs', class: 'num' }, h(JobsOf, { trigger })),
      h('td', { 'data-label': 'Errors', class: 'num' }, trigger.errors > 0 ? h('span', { class: 'count-of is-failed' }, number(trigger.errors)) : '0'),
      h('td', { 'data-label': 'Follower' }, h(Follower, { trigger })),
      actions && h('td', { class: 'act' },
        h(Button, { kind: 'small', 'aria-label': text + ' ' + trigger.name, onClick: () => act(trigger, action, () => this.load()) }, text)));
  }
}
