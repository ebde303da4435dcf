// The frame around the pages: it shows the page that the URL names, links to the other pages, and whether the data is live.
import { h, render, Loading, get, place, go } from './lib.js';
import { listen, liveState } from './live.js';
import { Dialogs, Toasts } from './dialog.js';
import { BulkState } from './bulk.js';
import { Theme } from './switch.js';
import { Overview } from './pages/overview.js';
import { Jobs } from './pages/jobs.js';
import { Job } from './pages/job.js';
import { ArrayPage } from './pages/array.js';
import { Failures } from './pages/failures.js';
import { History } from './pages/history.js';
import { Types } from './pages/types.js';
import { Recurring } from './pages/recurring.js';
import { Triggers } from './pages/triggers.js';
import { TriggerPage } from './pages/trigger.js';
import { Workers } from './pages/workers.js';
import { Problems } from './pages/problems.js';

const PAGES = {
  overview: { title: 'Overview', view: Overview },
  jobs: { title: 'Jobs', view: Jobs },
  failures: { title: 'Failures', view: Failures },
  history: { title: 'History', view: History },
  types: { title: 'Types', view: Types },
  recurring: { title: 'Recurring', view: Recurring },
  triggers: { title: 'Triggers', view: Triggers },
  workers: { title: 'Workers', view: Workers },
  problems: { title: 'Problems', view: Problems },
};

/** Each page that shows one thing, and the page that lists all of its kind. */
const PARENTS = { job: 'jobs', array: 'jobs', trigger: 'triggers' };

/** How many seconds of the past are shown. */
const SECONDS = 300;

/** The frame. It loads the numbers that the frame and several pages need, by one request for all of them. */
class App extends Loading {
  state = { ...place(), data: null, error: null };
  pace = 2000;

  ask() {
    return get('overview');
  }

  concerns(tick) {
    return tick.opened || tick.more || tick.types || tick.workers || tick.jobs.length > 0;
  }

  hear(tick) {
    const { data } = this.state;
    if (tick.second && data) {
      data.history = [...data.history, tick.second].slice(-SECONDS);
      this.forceUpdate();
    }
    super.hear(tick);
  }

  /** Shows an answer. After an error it asks again, because no page is of use without the numbers. */
  show(answer) {
    this.again ||= !!answer.error;
    super.show(answer);
  }

  componentDidMount() {
    super.componentDidMount();
    const moved = () => {
      const before = this.state;
      this.setState(place(), () => this.arrived(before));
    };
    addEventListener('popstate', moved);
    addEventListener('couchjobs-place', moved);
    addEventListener('couchjobs-live', () => this.forceUpdate());
    addEventListener('click', followed);
    this.listen();
    this.entitle();
  }

  /** Moves the focus to the heading of a new page, so that a screen reader announces the page. */
  arrived(before) {
    this.entitle();
    const { page, params } = this.state;
    if (page !== before.page || page === 'job') {
      this.listen();
    }
    if (page !== before.page || params.id !== before.params.id || params.name !== before.params.name) {
      scrollTo(0, 0);
      const heading = document.querySelector('main h1');
      if (heading) {
        heading.focus({ preventScroll: true });
      }
    }
  }

  /** On a narrow screen, scrolls the list of pages to the name of this page, and again when a number makes that name wider. */
  componentDidUpdate() {
    const current = document.querySelector("nav[aria-label='Pages'] [aria-current]");
    if (current && (this.named !== current || this.width !== current.offsetWidth)) {
      this.named = current;
      this.width = current.offsetWidth;
      const nav = current.parentElement;
      nav.scrollLeft += current.getBoundingClientRect().left - nav.getBoundingClientRect().left - (nav.clientWidth - current.offsetWidth) / 2;
    }
  }

  listen() {
    const { page, params } = this.state;
    const job = page === 'job' ? params.type + '\n' + params.id : '';
    if (job !== this.listened) {
      this.listened = job;
      listen(page === 'job' ? { type: params.type, id: params.id } : null);
    }
  }

  entitle() {
    const { page, params } = this.state;
    const title = page === 'job' || page === 'array' ? params.type + ' ' + params.id : page === 'trigger' ? 'Trigger ' + params.name : (PAGES[page] || { title: 'Nothing here' }).title;
    document.title = title + ' · couchjobs';
  }

  render(props, { page, params, data, error }) {
    const shown = page === 'job' ? Job : page === 'array' ? ArrayPage : page === 'trigger' ? TriggerPage : (PAGES[page] || {}).view;
    return h('div', { class: 'frame' },
      h('a', { class: 'skip', href: '#main', onClick: skip }, 'Skip to the content'),
      h('header', { class: 'top' },
        h('div', { class: 'bar' },
          h('a', { class: 'brand', href: '.' }, h('img', { src: 'assets/icon.svg', alt: '', width: 22, height: 22 }),
            'couchjobs', data && h('span', { class: 'database' }, data.name)),
          h(Navigation, { page, problems: data ? data.problems : 0 }),
          h('div', { class: 'right' },
            data && !data.actions && h('span', { class: 'badge', title: 'This dashboard shows, and changes nothing.' }, 'Read-only'),
            data && data.problems > 0 && h('a', { class: 'count urgent', href: 'problems', 'aria-label': data.problems + (data.problems === 1 ? ' problem' : ' problems') }, '! ' + data.problems),
            h(Live, null), h(Theme, null)))),
      h('main', { id: 'main', tabIndex: -1 },
        h(BulkState, null),
        shown
          ? h(shown, { key: page === 'job' || page === 'array' ? page + '\n' + params.type + '\n' + params.id : page === 'trigger' ? page + '\n' + params.name : page, params, summary: data, summaryError: error, actions: !!data && data.actions })
          : h(Nowhere, { page })),
      h(Dialogs, null), h(Toasts, null));
  }
}

function Nowhere({ page }) {
  return h('div', null, h('h1', { tabIndex: -1 }, 'There is no such page'),
    h('p', { class: 'lead' }, 'The address names a page “' + page + '”, which this dashboard does not have.'),
    h('p', null, h('a', { class: 'button', href: '.' }, 'To the overview')));
}

function Navigation({ page, problems }) {
  return h('nav', { 'aria-label': 'Pages' },
    Object.entries(PAGES).map(([name, { title }]) => h('a', {
      key: name,
      href: name === 'overview' ? '.' : name,
      'aria-current': page === name || name === PARENTS[page] ? 'page' : null,
    }, title, name === 'problems' && problems > 0 && h('span', { class: 'count', title: problems + ' to put right' }, problems))));
}

const STATES = { live: 'Live', away: 'Reconnecting', connecting: 'Connecting' };

function Live() {
  const state = liveState();
  return h('span', { class: 'live is-' + state, role: 'status' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), STATES[state]);
}

function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

/** Follows links within the dashboard without loading the document again. */
function followed(event) {
  const link = event.target.closest && event.target.closest('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return;
  }
  if (link.href.startsWith(new URL('.', document.baseURI).href) && !link.getAttribute('href').startsWith('#')) {
    event.preventDefault();
    go(link.href);
  }
}

render(h(App, null), document.getElementById('app'));
