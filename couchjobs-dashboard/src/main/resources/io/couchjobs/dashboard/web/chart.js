// Draws values over time as SVG; the colours come from the style sheet.
import { h, Component, now, duration, exact, small } from './lib.js';

const SECONDS = 300;
const LIVE = {
  span: (SECONDS - 1) * 1000,
  step: 1000,
  gap: 10000,
  ticks: [[299000, '−5 min'], [240000, '−4 min'], [180000, '−3 min'], [120000, '−2 min'], [60000, '−1 min']],
  marks: [],
};
const MOST_NAMED = 6;
const HEIGHT = 150;
const LEFT = 52;
const BOTTOM = 20;
const TOP = 8;

/** Returns the least round number that is not below the value. */
function round(value) {
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
  const steps = [1, 2, 5, 10];
  return power * steps.find((step) => step * power >= value * 0.9999);
}

/**
 * A plot of points, each at the end of its step. The plot begins at the first tick. Beside each name stands the value at the
 * pointer. Without a pointer, it is the newest value, or the sum of all values if they are counts, which `sum` formats.
 */
export class Plot extends Component {
  constructor() {
    super();
    this.state = { width: 600, at: null };
  }

  componentDidMount() {
    this.observer = new ResizeObserver((entries) => this.setState({ width: Math.max(200, entries[0].contentRect.width) }));
    this.observer.observe(this.element);
  }

  componentWillUnmount() {
    this.observer.disconnect();
  }

  point(event) {
    const box = this.element.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (this.state.width - LEFT);
    this.setState({ at: share >= 0 && share <= 1 ? share : null });
  }

  render({ title, history, lines, stacked, format, sum, least, span, step, gap, ticks, marks }, { width, at }) {
    const end = history.length ? history[history.length - 1].at : now();
    const x = (time) => LEFT + (width - LEFT) * (1 - (end - time) / span);
    const shown = history.filter((point) => point.at >= end - span);
    const values = shown.map((second) => layers(second, lines, stacked));
    const top = round(Math.max(least, ...values.map((value) => Math.max(0, ...value.filter((one) => one !== null)))));
    const y = (value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
    const index = at === null ? shown.length - 1 : nearest(shown, end - (1 - at) * span);
    const second = shown[index];
    return h('figure', { class: 'plot' },
      h('figcaption', null, h('span', { class: 'title' }, title),
        lines.map((line) => h('span', { key: line.field, class: 'key is-' + line.color + (line.dashed ? ' is-dashed' : '') },
          h('span', { class: 'swatch', 'aria-hidden': 'true' }), line.name, ' ',
          h('b', { class: 'num' }, beside(line, sum && at === null ? shown : shown.slice(index, index + 1), sum || format)))),
        at !== null && second && h('span', { class: 'when faint' }, duration(end - second.at) + ' before')),
      h('div', { ref: (element) => { this.element = element; }, onPointerMove: (event) => this.point(event), onPointerLeave: () => this.setState({ at: null }) },
        h('svg', { width, height: HEIGHT, role: 'img', 'aria-label': spoken(title, lines, shown, format) },
          [0, 0.5, 1].map((part) => h('g', { key: part },
            h('line', { class: 'grid', x1: LEFT, x2: width, y1: y(top * part), y2: y(top * part) }),
            h('text', { class: 'axis', x: LEFT - 6, y: y(top * part) + 4, 'text-anchor': 'end' }, format(top * part)))),
          ticks.filter((tick, index) => width >= 480 || index % 2 === 0).map(([back, text], index) => h('text', { key: text, class: 'axis', x: x(end - back), y: HEIGHT - 4, 'text-anchor': index === 0 ? 'start' : 'middle' }, text)),
          h('text', { class: 'axis', x: width, y: HEIGHT - 4, 'text-anchor': 'end' }, 'now'),
          lines.map((line, number) => stacked
            ? h('path', { key: line.field, class: 'area is-' + line.color, d: area(shown, values, number, x, y, (width - LEFT) * step / span) })
            : h('path', { key: line.field, class: 'line is-' + line.color + (line.dashed ? ' is-dashed' : ''), d: path(shown, values, number, x, y, gap) })),
          marks.filter((mark) => mark.at >= end - span).map((mark, index) => h('g', { key: mark.at, class: 'mark' },
            h('title', null, exact(mark.at) + ' ' + mark.text),
            h('line', { x1: x(mark.at), x2: x(mark.at), y1: TOP, y2: HEIGHT - BOTTOM }),
            index < MOST_NAMED && h('text', { class: 'axis', x: x(mark.at) - 3, y: TOP + 9 + 11 * (index % 2), 'text-anchor': 'end' }, mark.text.slice(0, 16)))),
          at !== null && second && h('line', { class: 'cursor', x1: x(second.at), x2: x(second.at), y1: TOP, y2: HEIGHT - BOTTOM }))));
  }
}

function valuesOf(line, seconds) {
  return seconds.map((second) => (line.of ? line.of(second) : second[line.field])).filter((value) => value !== undefined);
}

/** Returns the text beside the name of a line: the sum of the values that are present. */
function beside(line, seconds, format) {
  const values = valuesOf(line, seconds);
  return values.length ? format(values.reduce((sum, value) => sum + value, 0)) : '–';
}

/** Returns the heights of the values of a second; stacked values lie on top of each other. */
function layers(second, lines, stacked) {
  let sum = 0;
  return lines.map((line) => {
    const value = line.of ? line.of(second) : second[line.field];
    if (value === undefined) {
      return null;
    }
    sum = stacked ? sum + value : value;
    return sum;
  });
}

function nearest(seconds, time) {
  let best = 0;
  seconds.forEach((second, index) => {
    if (Math.abs(second.at - time) < Math.abs(seconds[best].at - time)) {
      best = index;
    }
  });
  return best;
}

/** Returns the path of an area: a bar for each step, which begins at the layer below. */
function area(seconds, values, number, x, y, step) {
  const wide = Math.max(1, step * 0.8);
  return seconds.map((second, index) => {
    const low = number === 0 ? 0 : values[index][number - 1];
    const high = values[index][number];
    return high > low ? 'M' + (x(second.at) - wide).toFixed(1) + ' ' + y(low).toFixed(1) + 'V' + y(high).toFixed(1) + 'h' + wide.toFixed(1) + 'V' + y(low).toFixed(1) + 'z' : '';
  }).join('');
}

/** Returns the path of a line through the points that have a value. A long gap between points interrupts the line. */
function path(seconds, values, number, x, y, gap) {
  let last = 0;
  return seconds.map((second, index) => {
    const value = values[index][number];
    if (value === null) {
      return '';
    }
    const move = second.at - last > gap;
    last = second.at;
    return (move ? 'M' : 'L') + x(second.at).toFixed(1) + ' ' + y(value).toFixed(1) + (move ? 'h0.1' : '');
  }).join('');
}

function spoken(title, lines, seconds, format) {
  const last = seconds.slice(-10);
  const parts = lines.map((line) => {
    const values = valuesOf(line, last);
    const mean = values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
    return line.name + ' ' + format(mean);
  });
  return title + ', lately on average: ' + parts.join(', ');
}

export function Throughput({ history }) {
  return h(Plot, {
    ...LIVE,
    title: 'Runs ended per second',
    history,
    stacked: true,
    least: 5,
    format: small,
    lines: [
      { name: 'Succeeded', field: 'ok', color: 'success' },
      { name: 'To be retried', field: 'retried', color: 'stuck' },
      { name: 'Failed', field: 'failed', color: 'failed' },
    ],
  });
}

export function Latency({ history }) {
  return h(Plot, {
    ...LIVE,
    title: 'Times',
    history,
    stacked: false,
    least: 10,
    format: duration,
    lines: [
      { name: 'Waited p50', field: 'wait', color: 'waiting' },
      { name: 'p95', field: 'wait95', color: 'waiting', dashed: true },
      { name: 'Ran p50', field: 'run', color: 'running' },
      { name: 'p95', field: 'run95', color: 'running', dashed: true },
    ],
  });
}
