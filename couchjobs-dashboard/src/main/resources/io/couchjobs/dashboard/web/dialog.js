// Questions before an action, and messages about its result.
import { h, Component, Button } from './lib.js';

const queue = [];
let shown = null;

/** Asks a question. Resolves to the values of the form, or to null when the user goes back. */
export function ask(question) {
  return new Promise((resolve) => {
    queue.push({ ...question, resolve });
    dispatchEvent(new Event('couchjobs-dialog'));
  });
}

const toasts = [];

/** Shows a message for some seconds; screen readers read it, too. */
export function say(text, bad) {
  const toast = { text, bad, key: Math.random() };
  toasts.push(toast);
  dispatchEvent(new Event('couchjobs-toast'));
  setTimeout(() => {
    toasts.splice(toasts.indexOf(toast), 1);
    dispatchEvent(new Event('couchjobs-toast'));
  }, bad ? 10000 : 5000);
}

/** Does something and shows the result. Resolves to the answer, or to null after an error. */
export async function attempt(what, doing) {
  try {
    const answer = await doing();
    say(what + ': ' + (answer.done || 'done'));
    return answer;
  } catch (error) {
    say(what + ': ' + error.message, true);
    return null;
  }
}

export class Dialogs extends Component {
  componentDidMount() {
    this.heard = () => this.forceUpdate();
    addEventListener('couchjobs-dialog', this.heard);
  }

  componentDidUpdate() {
    if (this.element && !this.element.open) {
      this.element.showModal();
    }
  }

  close(value) {
    const question = shown;
    shown = null;
    if (this.element) {
      this.element.close();
    }
    this.forceUpdate();
    if (question) {
      question.resolve(value);
    }
  }

  submit(event) {
    event.preventDefault();
    this.close(Object.fromEntries(new FormData(event.target)));
  }

  render() {
    shown = shown || queue.shift() || null;
    if (!shown) {
      return null;
    }
    return h('dialog', {
      ref: (element) => { this.element = element; },
      'aria-labelledby': 'dialog-title',
      'aria-describedby': 'dialog-text',
      onCancel: (event) => { event.preventDefault(); this.close(null); },
    },
    h('form', { onSubmit: (event) => this.submit(event) },
      h('h2', { id: 'dialog-title' }, shown.title),
      h('div', { id: 'dialog-text' }, shown.text && h('p', null, shown.text)),
      shown.fields,
      h('div', { class: 'buttons' },
        h(Button, { onClick: () => this.close(null), autofocus: true }, 'Back'),
        h('button', { type: 'submit', class: 'button ' + (shown.kind || 'primary') }, shown.yes))));
  }
}

export class Toasts extends Component {
  componentDidMount() {
    this.heard = () => this.forceUpdate();
    addEventListener('couchjobs-toast', this.heard);
  }

  render() {
    return h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' },
      toasts.map((toast) => h('div', { key: toast.key, class: 'toast' + (toast.bad ? ' bad' : '') }, toast.text)));
  }
}

