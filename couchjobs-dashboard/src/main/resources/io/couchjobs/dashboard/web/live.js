// One stream of events from the server; what it tells goes to whoever listens on the window.
import { learnTime, query } from './lib.js';

/** How long it waits before it opens the stream again: longer each time. */
const SOON = 2000;
const LATE = 30000;

let source = null;
let watched = null;
let pause = SOON;
let later = null;
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
  watched = job;
  open(false);
}

function open(again) {
  close();
  if (document.visibilityState === 'hidden') {
    return;
  }
  source = new EventSource('api/events' + query(watched));
  let wasOpen = again;
  source.onopen = () => {
    pause = SOON;
    become('live');
    lookAgain({ reset: wasOpen, opened: true });
    wasOpen = true;
  };
  source.onerror = refused;
  source.addEventListener('tick', (event) => {
    const tick = JSON.parse(event.data);
    learnTime(tick.now);
    tell('tick', tick);
  });
  source.addEventListener('reset', () => lookAgain({ reset: true }));
  source.addEventListener('job', (event) => tell('job', JSON.parse(event.data)));
  source.addEventListener('log', (event) => tell('log', JSON.parse(event.data)));
}

/** A browser tries again by itself, but not after an answer other than 200. */
function refused() {
  become('away');
  if (source && source.readyState === EventSource.CLOSED) {
    clearTimeout(later);
    later = setTimeout(() => open(true), pause);
    pause = Math.min(2 * pause, LATE);
  }
}

function close() {
  clearTimeout(later);
  if (source) {
    source.close();
    source = null;
  }
}

function lookAgain(why) {
  tell('tick', { ...why, jobs: [] });
  tell('job', {});
}

// A browser opens six connections to a host, and keeps a stream's for a page in the background or in its history: the seventh
// page would wait for ever. So only a page that is seen has a stream.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') {
    close();
  } else if (!source) {
    open(true);
  }
});
addEventListener('pagehide', close);
addEventListener('pageshow', (event) => {
  if (event.persisted && !source) {
    open(true);
  }
});
