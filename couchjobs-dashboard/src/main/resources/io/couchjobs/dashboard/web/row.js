// A button for the action on a listed job that people most likely want.
import { h, Button } from './lib.js';
import { actOn, mainAction, word } from './actions.js';

export function RowAction({ job }) {
  const name = mainAction(job.status);
  return name
    ? h(Button, { kind: 'small', 'aria-label': word(name) + ' ' + job.type + ' ' + job.id, onClick: () => actOn(name, job) }, word(name))
    : null;
}
