// The runs of the last hour, day or month, of all types or of one.
import { h, Loading, Card, Empty, Trouble, get, go, query, duration, exact, number } from '../lib.js';
import { RANGES, Runs, Took, Waiting } from '../past.js';

export class History extends Loading {
  pace = 5000;

  range() {
    return RANGES[this.props.params.range] ? this.props.params.range : 'hour';
  }

  ask() {
    const asked = { range: this.range(), type: this.props.params.type };
    return get('history', asked).then((answer) => ({ ...answer, range: asked.range }));
  }

  componentDidUpdate(before) {
    if (before.params.range !== this.props.params.range || before.params.type !== this.props.params.type) {
      this.load();
    }
  }

  concerns(tick) {
    return tick.more || tick.jobs.length > 0;
  }

  render({ params }, { data, error }) {
    const range = this.range();
    const href = (more) => 'history' + query({ range, type: params.type, ...more });
    return h('div', null,
      h('h1', { tabIndex: -1 }, 'History'),
      h('p', { class: 'choices' }, Object.entries(RANGES).map(([name, { title }]) => h('a', { key: name, class: 'button', href: href({ range: name }), 'aria-current': name === range ? 'true' : null }, title)),
        data && h('select', { 'aria-label': 'Type', value: params.type || '', onChange: (event) => go(href({ type: event.target.value })) },
          h('option', { value: '' }, 'All types'), names(data, params.type).map((type) => h('option', { key: type, value: type }, type)))),
      h(Trouble, { error }),
      data && data.range === range && h(Card, { class: 'charts' }, h(Runs, { range, data }), h(Took, { range, data }), h(Waiting, { range, data })),
      data && data.range === range && h(Totals, { types: data.types, href }),
      data && data.range === range && h(Marks, { marks: data.marks }));
  }
}

/** Returns the types to choose from. The chosen type is among them even if it had no runs in this time. */
function names(data, chosen) {
  const known = data.types.map((type) => type.type);
  return chosen && !known.includes(chosen) ? [...known, chosen] : known;
}

function Totals({ types, href }) {
  if (!types.length) {
    return h(Card, { title: 'Types' }, h(Empty, null, 'Nothing ran and nothing waited in this time.'));
  }
  const time = (value) => (value === undefined ? '–' : duration(value));
  return h(Card, { title: 'Types' }, h('table', { class: 'cards' },
    h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Type'),
      ['Runs', 'Failed', 'p50', 'p95', 'Waiting, at most'].map((text) => h('th', { scope: 'col', key: text, class: 'num' }, text)))),
    h('tbody', null, types.map((type) => h('tr', { key: type.type },
      h('th', { scope: 'row' }, h('a', { href: href({ type: type.type }) }, type.type)),
      h('td', { class: 'num', 'data-label': 'Runs' }, number(type.runs)),
      h('td', { class: 'num', 'data-label': 'Failed' }, number(type.failures)),
      h('td', { class: 'num', 'data-label': 'p50' }, time(type.p50)),
      h('td', { class: 'num', 'data-label': 'p95' }, time(type.p95)),
      h('td', { class: 'num', 'data-label': 'Waiting, at most' }, number(type.waiting)))))));
}

function Marks({ marks }) {
  return h(Card, { title: 'Marks' }, marks.length === 0
    ? h(Empty, null, 'None. After a deploy: couchjobs mark v1.4')
    : h('ul', { class: 'list' }, [...marks].reverse().map((mark) => h('li', { key: mark.at },
      h('div', { class: 'main' }, mark.text), h('div', { class: 'side' }, exact(mark.at))))));
}
