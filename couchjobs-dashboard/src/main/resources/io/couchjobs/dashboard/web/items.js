// Shows the items of a chunk of an array, a small square for each.
import { h, number, query } from './lib.js';

const STATUS = { s: 'success', f: 'failed', r: 'stuck', '.': 'waiting' };

export function count(states, state) {
  return states.split(state).length - 1;
}

export function arrayHref(type, id) {
  return 'array' + query({ type, id });
}

export function Strip({ items }) {
  const label = number(count(items.states, 's')) + ' of ' + number(items.states.length) + ' items have succeeded, ' + number(count(items.states, 'f')) + ' have failed';
  return h('div', { class: 'strip', role: 'img', 'aria-label': label },
    [...items.states].map((state, place) => h('span', { key: place, class: 'is-' + STATUS[state], title: 'item ' + (items.first + place) + ': ' + STATUS[state] })));
}
