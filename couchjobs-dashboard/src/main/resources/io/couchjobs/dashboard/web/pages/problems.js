// The problems that people should know of, and their remedies.
import { h, Loading, Card, Empty, Trouble, get } from '../lib.js';

const LEVELS = { problem: ['bad', '✕ Problem'], note: ['warn', '! Note'], ok: ['good', '✓ Ok'] };

export class Problems extends Loading {
  pace = 5000;

  ask() {
    return get('problems');
  }

  concerns(tick) {
    return !!tick.second;
  }

  render(props, { data, error }) {
    const order = Object.keys(LEVELS);
    const all = data ? [...data.problems].sort((one, other) => order.indexOf(one.level) - order.indexOf(other.level)) : [];
    return h('div', null, h('h1', { tabIndex: -1 }, 'Problems'), h(Trouble, { error }),
      !data && !error && h(Empty, null, 'Checking …'),
      data && all.length === 0 && h(Card, null, h(Empty, null, 'Nothing is wrong.')),
      h('ul', { class: 'problems' }, all.map((problem, index) => h('li', { key: index, class: 'card is-' + problem.level },
        h('div', { class: 'problem-head' }, h('span', { class: 'badge ' + LEVELS[problem.level][0] }, LEVELS[problem.level][1]), h('h2', null, problem.name), h('p', null, problem.finding)),
        problem.consequence && h('p', { class: 'faint' }, h('b', null, 'So: '), problem.consequence),
        problem.remedy && h('p', null, h('b', null, 'Do: '), problem.remedy)))));
  }
}
