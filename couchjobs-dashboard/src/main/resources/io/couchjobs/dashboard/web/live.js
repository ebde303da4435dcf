// One stream of events from the server. Its events are dispatched on the window.
import { learnTime, query } from './lib.js';

/** The milliseconds before the stream is opened again: the first pause, which is doubled each time, and the longest. */
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

/** Opens the stream; with a job, the stream also has the events of that job. */
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

/** Opens the stream again after a refusal: a browser retries by itself, but not after an answer other than 200. */
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

// A browser opens at most six connections to a host, and keeps the stream of a page in the background or in its history: a
// seventh page would wait for ever. So only a visible page has a stream.
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
