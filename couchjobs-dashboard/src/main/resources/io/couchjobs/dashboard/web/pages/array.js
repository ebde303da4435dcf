// One array: its progress, a strip of its chunks, and the items that failed.
import { h, Loading, Card, Empty, Trouble, Button, get, jobHref, jobsHref, number } from '../lib.js';
import { order } from '../actions.js';
import { count } from '../items.js';

export class ArrayPage extends Loading {
  pace = 5000;

  ask() {
    return get('array', { type: this.props.params.type, id: this.props.params.id });
  }

  concerns() {
    return true;
  }

  render({ params, actions }, { data: array, error }) {
    const title = h('h1', { tabIndex: -1, class: 'job-title' },
      h('a', { class: 'type', href: jobsHref({ type: params.type }) }, params.type), ' ', h('span', { class: 'id' }, params.id));
    if (!array) {
      return h('div', null, title, error ? h(Trouble, { error }) : h(Empty, null, 'Looking …'));
    }
    const states = array.chunks.map((chunk) => chunk.states).join('');
    const failed = array.chunks.filter((chunk) => chunk.status === 'failed').length;
    return h('div', { class: 'job-page' },
      h('div', { class: 'job-head' }, title,
        actions && (failed > 0 || array.more) && h('span', { class: 'group', role: 'group', 'aria-label': 'Act on this array' },
          h(Button, { onClick: () => order({ action: 'retry', array: { type: params.type, id: params.id } }) }, 'Retry failed'))),
      h(Trouble, { error }),
      h('div', { class: 'sentence' }, h('p', null, sentence(states, array))),
      h(Card, { title: number(array.chunks.length) + (array.chunks.length === 1 ? ' chunk' : ' chunks') },
        h('ol', { class: 'chunks' }, array.chunks.map((chunk) => h('li', { key: chunk.id },
          h('a', { class: 'chunk is-' + chunk.status, href: jobHref({ type: params.type, id: chunk.id }), title: chunk.id + ': ' + chunk.status + ', ' + words(chunk.states) },
            h('span', { class: 'unseen' }, chunk.id + ' ' + chunk.status), h('progress', { max: 100, value: percent(chunk.states), 'aria-hidden': 'true' })))))),
      h(Failures, { array }));
  }
}

function sentence(states, array) {
  const more = array.more ? ' Only its first ' + number(array.chunks.length) + ' chunks are shown.' : array.complete ? '' : ' Not all of its items have been added.';
  return number(states.length) + ' items: ' + words(states) + '.' + more;
}

function words(states) {
  const parts = [['s', ' succeeded'], ['f', ' failed for good'], ['r', ' failed and run again'], ['.', ' to run']]
    .map(([state, word]) => [count(states, state), word]).filter(([many]) => many > 0);
  return parts.map(([many, word]) => number(many) + word).join(', ');
}

function percent(states) {
  return Math.floor(100 * (count(states, 's') + count(states, 'f')) / states.length);
}

function Failures({ array }) {
  if (array.errors.length === 0) {
    return null;
  }
  return h(Card, { title: 'Items that failed' }, h('ul', { class: 'errors' }, array.errors.map((error) => h('li', { key: error.index },
    h('p', { class: 'message' }, error.message),
    h('p', { class: 'faint' }, 'Item ' + number(error.index) + ' in ', h('a', { href: jobHref({ type: array.type, id: error.chunk }) }, error.chunk),
      ' · run ' + error.attempt + ' · ' + (error.final ? 'failed for good' : 'runs again'))))));
}
