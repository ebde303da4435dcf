// Failed and stuck jobs, grouped by type and message. Numbers and ids in a message do not count.
import { h, Loading, Ago, Card, Empty, Trouble, Button, get, jobHref, jobsHref, number } from '../lib.js';
import { actOnFailures } from '../actions.js';

export class Failures extends Loading {
  pace = 3000;

  ask() {
    return get('failures');
  }

  concerns(tick) {
    return tick.more || tick.jobs.length > 0;
  }

  render({ actions }, { data, error }) {
    return h('div', null, h('h1', { tabIndex: -1 }, 'Failures'), h(Trouble, { error }),
      !data && !error && h(Empty, null, 'Looking …'),
      data && h('p', { class: 'faint lead' }, 'Failed jobs and jobs that wait for a retry, grouped by type and last error. Numbers and ids in an error do not count. ',
        data.mark && ['New are those that began after the mark ', h('b', null, data.mark.text), ', ', h(Ago, { time: data.mark.at }), '.']),
      data && h(Card, null, data.groups.length === 0
        ? h(Empty, null, 'Nothing has failed.')
        : h('table', { class: 'cards failures' },
          h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Error'), h('th', { scope: 'col' }, 'Type'),
            h('th', { scope: 'col', class: 'num' }, 'Failed'), h('th', { scope: 'col', class: 'num' }, 'Retrying'),
            h('th', { scope: 'col' }, 'First'), h('th', { scope: 'col' }, 'Last'), h('th', { scope: 'col' }, 'Per hour, 24 hours'),
            actions && h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Actions')))),
          h('tbody', null, data.groups.map((group) => h(Row, { key: group.group, group, mark: data.mark, actions }))))),
      data && data.more > 0 && h('p', { class: 'faint' }, 'and ' + number(data.more) + ' more that failed longer ago: couchjobs failures shows all of them.'));
  }
}

function Row({ group, mark, actions }) {
  const button = (name, text, kind) => h(Button, { kind: 'small ' + kind, 'aria-label': text + ' jobs of type ' + group.type + ': ' + group.message,
    onClick: () => actOnFailures(name, group) }, text + ' …');
  return h('tr', null,
    h('td', { 'data-label': 'Error', class: 'what' }, h('span', null,
      h('a', { href: jobHref({ type: group.type, id: group.example }), title: 'the latest: ' + group.example }, group.message || 'without a message'),
      mark && group.first > mark.at && [' ', h('span', { class: 'badge bad' }, 'New')])),
    h('td', { 'data-label': 'Type' }, h('a', { href: jobsHref({ type: group.type, status: group.failed ? 'failed' : 'stuck' }) }, group.type)),
    h('td', { 'data-label': 'Failed', class: 'num' }, number(group.failed)),
    h('td', { 'data-label': 'Retrying', class: 'num' }, number(group.stuck)),
    h('td', { 'data-label': 'First' }, h(Ago, { time: group.first })),
    h('td', { 'data-label': 'Last' }, h(Ago, { time: group.last })),
    h('td', { 'data-label': 'Per hour' }, h(Hours, { hours: group.perHour })),
    actions && h('td', { class: 'act' }, h('span', { class: 'group' }, button('retry', 'Retry', ''), group.stuck > 0 && button('cancel', 'Cancel', 'danger'))));
}

const WIDTH = 120;
const HEIGHT = 22;

/** Shows a bar for each hour. */
function Hours({ hours }) {
  const most = Math.max(1, ...hours);
  const step = WIDTH / hours.length;
  return h('svg', { class: 'hours', width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': number(hours[hours.length - 1]) + ' in the last hour, at most ' + number(most) + ' in one of the last ' + hours.length },
    h('title', null, number(hours[hours.length - 1]) + ' in the last hour'),
    h('line', { class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
    hours.map((count, index) => count > 0 && h('rect', { key: index, class: 'area is-failed', x: index * step, width: step - 1,
      y: HEIGHT - Math.max(2, HEIGHT * count / most), height: Math.max(2, HEIGHT * count / most) })));
}
