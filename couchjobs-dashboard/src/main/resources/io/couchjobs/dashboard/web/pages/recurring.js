// The schedules of recurring jobs.
import { h, Loading, Ago, Card, Empty, Trouble, Button, get, post, go, jobHref, jobsHref, duration } from '../lib.js';
import { addSchedule } from '../actions.js';
import { ask, attempt } from '../dialog.js';

export class Recurring extends Loading {
  ask() {
    return get('recurring');
  }

  concerns(tick) {
    return tick.schedules;
  }

  async act(schedule, action) {
    const sure = action === 'enable' || await ask(action === 'run'
      ? { title: 'Run ' + schedule.name + ' now?', text: 'A job of type ' + schedule.type + ' is made at once, beside its ticks.', yes: 'Run now' }
      : { title: 'Disable ' + schedule.name + '?', text: 'It makes no jobs until it is enabled. Ticks that pass until then are not made up for.', yes: 'Disable' });
    if (sure) {
      const done = await attempt(schedule.name, () => post('recurring', { name: schedule.name, action }));
      if (done && done.job) {
        go(jobHref(done.job));
      } else if (done) {
        this.load();
      }
    }
  }

  render({ actions }, { data, error }) {
    return h('div', null,
      h('div', { class: 'job-head' }, h('h1', { tabIndex: -1 }, 'Recurring jobs'),
        actions && h('span', { class: 'group' }, h(Button, { onClick: () => addSchedule().then((added) => added && this.load()) }, 'Add a schedule …'))),
      h(Trouble, { error }),
      data && Object.entries(data.malformed).map(([name, why]) => h(Trouble, { key: name, error: name + ': ' + why })),
      data && h(Card, null, data.schedules.length === 0
        ? h(Empty, null, 'Nothing recurs. Make something: couchjobs cron add nightly "0 3 * * *" report')
        : h('table', { class: 'cards' },
          h('thead', null, h('tr', null, ['Name', 'When', 'Type', 'State', 'Next', 'Last tick'].map((text) => h('th', { scope: 'col', key: text }, text)),
            actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')))),
          h('tbody', null, data.schedules.map((schedule) => this.row(schedule, actions))))));
  }

  row(schedule, actions) {
    const button = (action, text) => h(Button, { kind: 'small', 'aria-label': text + ' ' + schedule.name, onClick: () => this.act(schedule, action) }, text);
    return h('tr', { key: schedule.name },
      h('th', { scope: 'row' }, schedule.name),
      h('td', { 'data-label': 'When' }, schedule.cron ? h('code', null, schedule.cron) : 'every ' + duration(schedule.every),
        schedule.zone && h('span', { class: 'faint' }, ' ' + schedule.zone)),
      h('td', { 'data-label': 'Type' }, h('a', { href: jobsHref({ type: schedule.type }) }, schedule.type)),
      h('td', { 'data-label': 'State' }, schedule.enabled ? h('span', { class: 'badge good' }, '▶ Enabled') : h('span', { class: 'badge warn' }, '❚❚ Disabled')),
      h('td', { 'data-label': 'Next', class: 'next' }, h('span', null, schedule.next.length
        ? schedule.next.slice(0, 3).map((time, index) => [index > 0 && h('span', { class: 'faint' }, ', '), h(Ago, { key: time, time })])
        : h('span', { class: 'faint' }, 'never'))),
      h('td', { 'data-label': 'Last tick' }, h(Ago, { time: schedule.last, none: 'never' })),
      actions && h('td', { class: 'act' }, button('run', 'Run now'), schedule.enabled ? button('disable', 'Disable') : button('enable', 'Enable')));
  }
}
