// The numbers that the frame and several pages need: loaded once for all, again when something changed.
import { get } from './lib.js';

const PACE = 2000;
const SLOWLY = 15000;
const SECONDS = 300;
/** The server's answers may be a moment old: so it looks once more when all is calm. */
const CALM = 3000;

export class Summary {
  constructor(changed) {
    this.changed = changed;
    this.data = null;
    this.error = null;
    addEventListener('couchjobs-tick', (event) => this.hear(event.detail));
    this.load();
  }

  hear(tick) {
    if (tick.second && this.data) {
      this.data.history.push(tick.second);
      this.data.history.splice(0, Math.max(0, this.data.history.length - SECONDS));
      this.changed();
    }
    const moved = tick.reset || tick.opened || tick.more || tick.types || tick.workers || tick.jobs.length > 0;
    if (moved || Date.now() - (this.loadedAt || 0) > SLOWLY) {
      this.soon();
      clearTimeout(this.last);
      this.last = setTimeout(() => this.soon(), CALM);
    }
  }

  /** While an answer is under way, it notes to load once more after it. */
  soon() {
    if (this.asking) {
      this.again = true;
    } else if (!this.later) {
      this.later = setTimeout(() => {
        this.later = null;
        this.load();
      }, Math.max(0, (this.loadedAt || 0) + PACE - Date.now()));
    }
  }

  async load() {
    this.asking = true;
    try {
      this.data = await get('overview');
      this.error = null;
    } catch (error) {
      this.error = error.message;
      this.again = true;
    }
    this.asking = false;
    this.loadedAt = Date.now();
    this.changed();
    if (this.again) {
      this.again = false;
      this.soon();
    }
  }
}
