// Shows the progress of an action on many jobs.
import { h, Component, Button, get, post, number } from './lib.js';
import { attempt } from './dialog.js';
import { word } from './actions.js';

function sum(counts) {
  return Object.values(counts || {}).reduce((all, one) => all + one, 0);
}

export class BulkState extends Component {
  componentDidMount() {
    this.heard = () => this.look();
    addEventListener('couchjobs-bulk', this.heard);
    this.look();
  }

  componentWillUnmount() {
    clearTimeout(this.later);
    removeEventListener('couchjobs-bulk', this.heard);
  }

  async look() {
    clearTimeout(this.later);
    try {
      const run = await get('bulk');
      const first = this.state.run === undefined;
      if (run.number && !(first && run.done)) {
        this.setState({ run });
      } else {
        this.setState({ run: null });
      }
      if (!run.done) {
        this.later = setTimeout(() => this.look(), 500);
      }
    } catch (error) {
      this.later = setTimeout(() => this.look(), 3000);
    }
  }

  render(props, { run }) {
    if (!run) {
      return null;
    }
    const refused = Object.entries(run.refused);
    return h('div', { class: 'bulk' },
      h('strong', { role: 'status' }, word(run.action) + (run.done ? (run.stopped ? ': stopped' : ': finished') : ' …')),
      h('span', { class: 'num' }, number(sum(run.changed)) + ' done'),
      sum(run.refused) > 0 && h('span', { class: 'num', title: refused.map(([why, n]) => n + ': ' + why).join('\n') },
        number(sum(run.refused)) + ' refused (' + refused[0][0] + (refused.length > 1 ? ', …' : '') + ')'),
      run.gone > 0 && h('span', { class: 'num' }, number(run.gone) + ' gone'),
      run.problem && h('span', { class: 'bad' }, run.problem),
      run.done
        ? h(Button, { onClick: () => this.setState({ run: null }) }, 'Close')
        : h(Button, { onClick: () => attempt('Stop', () => post('bulk/stop', {})) }, 'Stop'));
  }
}
