// The workers and the jobs that they run.
import { h, Loading, Ago, Card, Empty, Trouble, JobLink, Progress, Status, get, jobsHref, number } from '../lib.js';

const MOST = 30;

export class Workers extends Loading {
  ask() {
    return get('workers');
  }

  concerns(tick) {
    return tick.workers || tick.more || tick.jobs.length > 0;
  }

  render(props, { data, error }) {
    return h('div', null, h('h1', { tabIndex: -1 }, 'Workers'), h(Trouble, { error }),
      data && data.workers.length === 0 && h(Card, null, h(Empty, null, 'No worker has registered. Start one: couchjobs work TYPE -- COMMAND')),
      data && h('div', { class: 'workers' }, data.workers.map((worker) => h(Worker, { key: worker.id, worker }))));
  }
}

function Worker({ worker }) {
  const state = !worker.registered ? ['bad', '✕ Not registered'] : worker.silent ? ['bad', '✕ Silent'] : ['good', '✓ Alive'];
  return h(Card, { title: worker.id, tools: h('span', { class: 'badge ' + state[0] }, state[1]) },
    h('dl', { class: 'facts' },
      worker.registered && [h('dt', null, 'Sign of life'), h('dd', null, h(Ago, { time: worker.at })),
        h('dt', null, 'Started'), h('dd', null, h(Ago, { time: worker.started }), h('span', { class: 'faint' }, ', process ' + worker.pid)),
        h('dt', null, 'Types'), h('dd', null, worker.types.map((type, index) => [index > 0 && ', ', h('a', { href: jobsHref({ type }) }, type)]))],
      h('dt', null, 'Owns'), h('dd', null, worker.owned === 1 ? '1 job' : number(worker.owned) + ' jobs')),
    worker.jobs.length > 0 && h('ul', { class: 'list' }, worker.jobs.slice(0, MOST).map((job) => h('li', { key: job.type + ' ' + job.id },
      h('div', { class: 'main' }, h(JobLink, { job }), h(Progress, { progress: job.progress })),
      h('div', { class: 'side' }, job.status && h(Status, { status: job.status, quiet: true }), h(Ago, { time: job.times && (job.times.started || job.times.claimed), since: true }))))),
    worker.owned > MOST && h('p', { class: 'faint' }, 'and ' + number(worker.owned - MOST) + ' more'));
}
