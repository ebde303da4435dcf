// One stream of events from the server; what it tells goes to whoever listens on the window.
import { learnTime, query } from './lib.js';

let source = null;
let state = 'connecting';

export function liveState() {
  return state;
}

function become(next) {
  if (state !== next) {
    state = next;
    dispatchEvent(new Event('couchjobs-live'));
  }
}

function tell(name, detail) {
  dispatchEvent(new CustomEvent('couchjobs-' + name, { detail }));
}

/** Opens the stream, also of one job's own news. */
export function listen(job) {
  if (source) {
    source.close();
  }
  source = new EventSource('api/events' + query(job));
  let wasOpen = false;
  source.onopen = () => {
    become('live');
    if (wasOpen) {
      tell('tick', { reset: true, jobs: [] });
      tell('job', {});
    }
    wasOpen = true;
  };
  source.onerror = () => become('away');
  source.addEventListener('tick', (event) => {
    const tick = JSON.parse(event.data);
    learnTime(tick.now);
    tell('tick', tick);
  });
  source.addEventListener('reset', () => {
    tell('tick', { reset: true, jobs: [] });
    tell('job', {});
  });
  source.addEventListener('job', (event) => tell('job', JSON.parse(event.data)));
  source.addEventListener('log', (event) => tell('log', JSON.parse(event.data)));
}
