// The actions of people on one job or many. When something may be lost, a question comes first.
import { h, get, go, post, jobHref, number, now, WORDS } from './lib.js';
import { ask, attempt, say } from './dialog.js';

const ACTIONS = {
  retry: { word: 'Retry', of: ['failed', 'stuck', 'cancelled', 'success', 'waiting'], text: 'runs again now' },
  cancel: { word: 'Cancel', of: ['waiting', 'stuck', 'scheduled', 'running'], text: 'does not run, and stops if it is running', kind: 'danger' },
  reschedule: { word: 'Reschedule', of: ['waiting', 'stuck'], text: 'runs at another time' },
  release: { word: 'Release', of: ['scheduled', 'running'], text: 'is taken from its worker and waits again', kind: 'danger' },
  remove: { word: 'Remove', of: null, text: 'is deleted with its log, for ever', kind: 'danger' },
};

/** Returns the actions that make sense for a status; without a status, all actions. */
export function actionsFor(status) {
  return Object.entries(ACTIONS)
    .filter(([, action]) => !status || !action.of || action.of.includes(status))
    .map(([name, action]) => ({ name, ...action }));
}

export function mainAction(status) {
  return { failed: 'retry', stuck: 'retry', running: 'cancel', scheduled: 'cancel', waiting: 'cancel' }[status];
}

export function word(name) {
  return ACTIONS[name].word;
}

function timeField(name) {
  return name !== 'reschedule' ? null : h('label', { class: 'field' }, 'To run in',
    h('select', { name: 'in' },
      [['60000', '1 minute'], ['600000', '10 minutes'], ['3600000', '1 hour'], ['86400000', '1 day'], ['0', 'now']]
        .map(([value, text]) => h('option', { key: value, value }, text))));
}

function withTime(name, form) {
  return name === 'reschedule' ? { time: Math.round(now() + Number(form.in)) } : {};
}

export async function actOn(name, job) {
  const action = ACTIONS[name];
  let form = {};
  if (name !== 'retry') {
    form = await ask({
      title: action.word + ' this job?',
      text: job.type + ' ' + job.id + ' ' + action.text + '.',
      fields: timeField(name),
      yes: action.word + ' 1 job',
      kind: action.kind,
    });
  }
  return form && attempt(action.word + ' ' + job.type + ' ' + job.id,
    () => post('action', { action: name, type: job.type, id: job.id, ...withTime(name, form) }));
}

function words(filter) {
  const parts = [];
  if (filter.status) {
    parts.push('status ' + (WORDS[filter.status] || filter.status).toLowerCase());
  }
  for (const field of ['type', 'group', 'class', 'origin', 'tag', 'correlation', 'site']) {
    if (filter[field]) {
      parts.push(field + ' ' + filter[field]);
    }
  }
  return parts.join(', ');
}

/** Acts on all jobs that pass a filter, after a question that names their number. */
export async function actOnAll(name, filter) {
  const action = ACTIONS[name];
  let found;
  try {
    found = await get('count', filter);
  } catch (error) {
    say(error.message, true);
    return;
  }
  const many = (found.atLeast ? 'at least ' : '') + number(found.count);
  const jobs = found.count === 1 && !found.atLeast ? '1 job' : many + ' jobs';
  const form = await ask({
    title: action.word + ' ' + jobs + '?',
    text: 'Each job with ' + words(filter) + ' ' + action.text + '. Jobs that come meanwhile may be among them.',
    fields: timeField(name),
    yes: action.word + ' ' + jobs,
    kind: action.kind,
  });
  if (form) {
    await order({ action: name, filter, ...withTime(name, form) });
  }
}

/** Starts an action on many jobs. Also shows another user's action that keeps this one from starting. */
export function order(what) {
  return attempt(word(what.action), () => post('bulk', what)
    .then(() => ({ done: 'begun' }))
    .finally(() => dispatchEvent(new Event('couchjobs-bulk'))));
}

/** Retries or cancels the jobs of a group of failures. */
export async function actOnFailures(name, group) {
  const action = ACTIONS[name];
  const count = name === 'cancel' ? group.stuck : group.count;
  const jobs = count === 1 ? '1 job' : number(count) + ' jobs';
  const form = await ask({
    title: action.word + ' ' + jobs + '?',
    text: 'Each job of type ' + group.type + ' that failed by “' + group.message + '” ' + (name === 'cancel' ? 'is not retried. One that runs again meanwhile is left alone' : action.text) + '. Jobs that come meanwhile may be among them.',
    yes: action.word + ' ' + jobs,
    kind: action.kind,
  });
  if (form) {
    await order({ action: name, failures: group.group });
  }
}

/** Returns whether a text is a JSON object. */
export function isObject(text) {
  try {
    const json = JSON.parse(text);
    return json !== null && typeof json === 'object' && !Array.isArray(json);
  } catch (noJson) {
    return false;
  }
}

function dataField(text) {
  return h('label', { class: 'field' }, 'Data, a JSON object',
    h('textarea', { name: 'data', rows: Math.min(16, Math.max(4, text.split('\n').length)), spellcheck: false,
      onInput: (event) => event.target.setCustomValidity(isObject(event.target.value) ? '' : 'This is no JSON object.') }, text));
}

function textField(name, label, props) {
  return h('label', { class: 'field' }, label, h('input', { name, autocomplete: 'off', spellcheck: false, ...props }));
}

async function add(what, order) {
  const added = await attempt(what, () => post('jobs', order));
  if (added) {
    go(jobHref(added));
  }
}

/** Adds a job, and shows it. */
export async function addJob(type) {
  const form = await ask({
    title: 'Add a job',
    fields: [textField('type', 'Type', { required: true, value: type || '' }), textField('id', 'Id', { placeholder: 'made by itself' }), dataField('{}')],
    yes: 'Add 1 job',
  });
  if (form) {
    await add('Add ' + form.type, form);
  }
}

/** Adds a schedule; the result is truthy when it was added. */
export async function addSchedule() {
  const form = await ask({
    title: 'Add a schedule',
    text: 'Its jobs are made by the workers, at each tick.',
    fields: [
      textField('name', 'Name', { required: true }),
      textField('type', 'Type of the jobs', { required: true }),
      textField('cron', 'When, a cron expression', { required: true, value: '0 3 * * *' }),
      textField('zone', 'Time zone', { placeholder: 'UTC' }),
      dataField('{}'),
    ],
    yes: 'Add 1 schedule',
  });
  return form && attempt('Add ' + form.name, () => post('recurring', { action: 'add', ...form }));
}

/** Runs a job again with other data, as a new job that names the old one as its origin. */
export async function editAgain(job) {
  const form = await ask({
    title: 'Run it again with other data?',
    text: job.type + ' ' + job.id + ' stays as it is. A new job with its labels gets this data.',
    fields: [textField('id', 'Id of the new job', { placeholder: 'made by itself' }), dataField(job.data)],
    yes: 'Add 1 job',
  });
  if (form) {
    await add('Run ' + job.type + ' again', { type: job.type, from: job.id, ...form });
  }
}
