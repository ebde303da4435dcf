function (newDoc, oldDoc, userCtx, secObj) {
  // Who may change what: the twin of Event.java. docs/security.md is the same in words; change all together.
  // CouchDB's JavaScript dies of any document that is nested some ten thousand levels deep, and all indexes with it.
  if (deepField(newDoc) !== null) {
    refuse('this document is nested deeper than 500 levels');
  }
  var kind = (/^(job|type|schedule|trigger|follow|scope|slot|rate|worker|gc|log|stats):/.exec(newDoc._id) || [])[1];
  if (!kind) {
    return;
  }
  // !code lib/job.js
  // A deletion, and what is made on top of one, begins anew.
  var deleted = newDoc._deleted === true;
  var before = oldDoc && !oldDoc._deleted ? oldDoc : null;

  function refuse(why) {
    throw({forbidden: 'couchjobs: ' + why});
  }
  function has(list, value) {
    return !!list && list.indexOf(value) >= 0;
  }
  function is(role) {
    return has(userCtx.roles, 'couchjobs-' + role);
  }
  function isAdmin() {
    var admins = (secObj && secObj.admins) || {};
    return is('admin') || has(userCtx.roles, '_admin') ||
      (!!userCtx.name && has(admins.names, userCtx.name)) ||
      userCtx.roles.some(function (role) { return has(admins.roles, role); });
  }
  // A document may have a field of any name, that of a method among them.
  function owns(object, name) {
    return Object.prototype.hasOwnProperty.call(object, name);
  }
  function list(value) {
    return Array.isArray(value) ? value : [];
  }
  function deepSame(a, b) {
    if (a === b || (isAbsent(a) && isAbsent(b))) {
      return true;
    }
    if (isAbsent(a) || isAbsent(b) || typeof a !== 'object' || typeof b !== 'object') {
      return false;
    }
    var keys = Object.keys(a);
    return Object.prototype.toString.call(a) === Object.prototype.toString.call(b) &&
      keys.length === Object.keys(b).length &&
      keys.every(function (key) { return owns(b, key) && deepSame(a[key], b[key]); });
  }
  // Nearly always fields are written back in the order in which they were read, and that is quicker to see.
  function same(a, b) {
    return a === b || (isAbsent(a) && isAbsent(b)) ||
      (typeof a === 'object' && typeof b === 'object' && (JSON.stringify(a) === JSON.stringify(b) || deepSame(a, b)));
  }
  // Others write a time in seconds, and every change of the job writes it in milliseconds.
  function sameTime(a, b) {
    return millis(a) === millis(b);
  }
  // CouchDB knows no digest yet of what is just being attached.
  function sameAttachments(old, now) {
    return Object.keys(old).concat(Object.keys(now)).every(function (name) {
      return owns(old, name) && owns(now, name) && same(old[name].digest, now[name].digest);
    });
  }
  var changed = (function () {
    var names = [];
    function compare(one, other, seen) {
      Object.keys(one).forEach(function (name) {
        if (name.charAt(0) !== '_' && (seen || !owns(other, name)) && !same(one[name], other[name]) &&
            !(name === 'scheduledTime' && sameTime(one[name], other[name]))) {
          names.push(name);
        }
      });
    }
    if (before) {
      compare(newDoc, before, true);
      compare(before, newDoc, false);
      if (!sameAttachments(before._attachments || {}, newDoc._attachments || {})) {
        names.push('_attachments');
      }
    }
    return names;
  }());
  function onlyChanged(fields) {
    var allowed = fields.split(' ');
    return changed.every(function (name) { return has(allowed, name); });
  }
  function unchanged(fields) {
    var kept = fields.split(' ');
    return changed.every(function (name) { return !has(kept, name); });
  }

  var producer = is('producer');
  var worker = is('worker');
  var user = userCtx.name ? 'user ' + userCtx.name : 'who is not logged in';

  // What tells of runs, and what creators decide; any other field belongs to whoever wrote it.
  var RUNS = 'attempt expirations errors result progress';
  var CREATORS = 'group class origin correlationId tracker site priority maxRetries tags after trigger traceparent tracestate';

  var DATA = 'data dataDigest _attachments';

  // Counts do not grow beyond this.
  var MOST = 2147483647;
  var MOST_ERRORS = 10;

  var from = before ? before.status || 'waiting' : '';
  var to = newDoc.status || 'waiting';
  function locked(status) {
    return status === 'running' || status === 'scheduled';
  }
  function pending(status) {
    return status === 'waiting' || status === 'stuck';
  }
  function finished(status) {
    return status === 'success' || status === 'failed' || status === 'cancelled';
  }
  function count(value) {
    return value || 0;
  }
  function oneMore(value) {
    return Math.min(count(value) + 1, MOST);
  }
  function generation() {
    return Math.max(1, parseInt(before._rev, 10) || 1);
  }
  // Where nobody has stored a fence yet, the claim's is the generation of the revision that it builds on.
  function fenceFrom(more) {
    var most = isAbsent(before.fence) ? generation() : Math.min(before.fence + more, MOST);
    return newDoc.fence <= most && newDoc.fence >= Math.min(count(before.fence) + more, MOST);
  }
  function fenceKept() {
    return same(before.fence, newDoc.fence) || (isAbsent(before.fence) && fenceFrom(0));
  }
  // Without one, it is the generation again, which must be greater than the fences before.
  function fenceForgotten() {
    return isAbsent(newDoc.fence) && count(before.fence) <= generation();
  }
  function fenceKeptOrOneMore() {
    return fenceForgotten() || fenceKept() || fenceFrom(1);
  }
  // A run that was asked for while the job was owned takes the next fence when it is due.
  function fenceKeptOrAsked() {
    return fenceKept() || (isObject(before.resubmit) && isAbsent(newDoc.resubmit) && fenceFrom(1));
  }
  function forgotten(fields) {
    return fields.split(' ').every(function (name) {
      return same(before[name], newDoc[name]) || isAbsent(newDoc[name]) || newDoc[name] === 0;
    });
  }
  // The errors are those before and one more, of this kind; of too many the oldest have gone.
  function errorAdded(kind) {
    var old = list(before.errors);
    var now = list(newDoc.errors);
    var kept = now.length - 1;
    return kept >= 0 && now[kept].kind === kind && (kept === old.length || (kept < old.length && now.length === MOST_ERRORS)) &&
      same(old.slice(old.length - kept), now.slice(0, kept));
  }
  function errorsKeptOr(kind) {
    return !has(changed, 'errors') || errorAdded(kind);
  }
  function onlyMoments(names) {
    var allowed = names.split(' ');
    var old = isObject(before.times) ? before.times : {};
    var now = newDoc.times || {};
    return Object.keys(old).concat(Object.keys(now)).every(function (moment) {
      return has(allowed, moment) || same(old[moment], now[moment]);
    });
  }

  function creates() {
    return (to === 'waiting' || to === 'cancelled') && !count(newDoc.attempt) && !count(newDoc.expirations) &&
      isAbsent(newDoc.result) && count(newDoc.fence) <= 1000;
  }

  // What a producer may do to a job that is there.
  function changesUnclaimed() {
    if (locked(from) || locked(to) || !fenceKeptOrOneMore()) {
      return false;
    }
    if (finished(from) && to !== 'waiting') {
      return to === from && unchanged(RUNS + ' ' + CREATORS + ' ' + DATA + ' scheduledTime fence cancelRequested resubmit');
    }
    return (to === 'waiting' || to === from || to === 'cancelled') &&
      (forgotten(RUNS) || (to === 'cancelled' && errorAdded('cancelled') && unchanged('attempt expirations result')));
  }
  function asksOwner() {
    return locked(from) && to === from && fenceKept() &&
      unchanged(RUNS + ' ' + CREATORS + ' ' + DATA + ' scheduledTime lock') && onlyMoments('cancelRequested resubmitted kept');
  }

  // What a worker may do to a job that nobody owns.
  function claims() {
    var lock = newDoc.lock || {};
    var runs = to === 'running' && before.endAs !== 'cancelled' && before.endAs !== 'failed';
    return pending(from) && (runs || to === 'scheduled') && isAbsent(before.after) && !!lock.token && isAbsent(lock.withdrawn) &&
      (isAbsent(lock.user) || lock.user === userCtx.name) && fenceFrom(1) &&
      count(newDoc.attempt) === (to === 'running' ? oneMore(before.attempt) : count(before.attempt)) &&
      onlyChanged('status lock fence attempt times progress cancelRequested');
  }
  function letsGo() {
    return from === 'waiting' && (to === 'waiting' || to === 'cancelled') && !isAbsent(before.after) &&
      isAbsent(newDoc.after) && fenceKept() && errorsKeptOr('cancelled') &&
      onlyChanged('status after errors times fence progress cancelRequested resubmit endAs');
  }
  function callsOff() {
    return pending(from) && to === 'cancelled' && fenceKeptOrOneMore() && errorsKeptOr('cancelled') &&
      onlyChanged('status errors times fence progress cancelRequested resubmit endAs');
  }
  function runsAgain() {
    return !locked(from) && to === 'waiting' && fenceKeptOrOneMore() && forgotten(RUNS) &&
      onlyChanged('status scheduledTime times fence resubmit cancelRequested endAs retryReason ' + RUNS + (finished(from) ? ' ' + DATA : ''));
  }

  // A trigger makes the job anew from a later change of its document.
  function follows() {
    return has(changed, 'trigger') && isObject(newDoc.trigger) && to === 'waiting' && changesUnclaimed();
  }

  // What the owner may do to its job.
  function ownsIt() {
    var lock = before.lock || {};
    return locked(from) && isAbsent(lock.withdrawn) && (isAbsent(lock.user) || lock.user === userCtx.name);
  }
  function works() {
    var starts = from === 'scheduled' && to === 'running';
    return ownsIt() && (to === from || starts || !locked(to)) &&
      (locked(to) ? fenceKept() && unchanged('lock') : fenceKeptOrAsked() || fenceForgotten()) &&
      count(newDoc.attempt) <= count(before.attempt) + (starts ? 1 : 0) && unchanged(CREATORS);
  }

  // What any worker may do to another's job: look after what the dead and the losers of races leave behind.
  function withdraws() {
    var lock = before.lock || {};
    var now = newDoc.lock || {};
    return locked(from) && to === from && !isAbsent(now.withdrawn) && fenceKept() && onlyChanged('lock fence') &&
      lock.token === now.token && lock.worker === now.worker && lock.user === now.user && lock.since === now.since;
  }
  // Of a claim that was withdrawn nobody is the owner, and what was asked on other leaves of the document counts as well.
  function givesBack() {
    var withdrawn = !isAbsent((before.lock || {}).withdrawn);
    var wanted = to === 'waiting' || to === 'failed' || (to === 'cancelled' && (withdrawn || before.cancelRequested === true));
    return locked(from) && wanted &&
      onlyChanged('status lock fence scheduledTime times resubmit cancelRequested endAs ' + (withdrawn ? 'cancelReason ' : '') + RUNS) &&
      forgotten('result progress') && endsAsItMay(withdrawn) &&
      (withdrawn || timeKeptOrAsked()) && (expires() || startsAnew() || (withdrawn && restores()));
  }
  // The next claim is to end the job only where its owner was asked to cancel it, or died once too often.
  function endsAsItMay(withdrawn) {
    return same(before.endAs, newDoc.endAs) || (isAbsent(newDoc.endAs) && (isObject(before.resubmit) || finished(to))) ||
      (newDoc.endAs === 'cancelled' && (withdrawn || before.cancelRequested === true)) ||
      (newDoc.endAs === 'failed' && from === 'running' && errorAdded('expired'));
  }
  function timeKeptOrAsked() {
    return sameTime(newDoc.scheduledTime, before.scheduledTime) ||
      (isObject(before.resubmit) && sameTime(newDoc.scheduledTime, before.resubmit.scheduledTime));
  }
  function expires() {
    var lived = to === 'failed' ? oneMore(before.expirations) : count(before.expirations);
    return errorAdded('expired') && fenceKeptOrAsked() && count(newDoc.attempt) === count(before.attempt) &&
      count(newDoc.expirations) >= lived && count(newDoc.expirations) <= oneMore(before.expirations);
  }
  function startsAnew() {
    return isObject(before.resubmit) && to === 'waiting' && fenceKeptOrAsked() && has(changed, 'times') &&
      RUNS.split(' ').every(function (name) { return isAbsent(newDoc[name]) || newDoc[name] === 0; });
  }
  function restores() {
    var attempts = count(before.attempt) - count(newDoc.attempt);
    return to !== 'failed' &&
      (count(newDoc.fence) === Math.max(0, count(before.fence) - 1) || (fenceKeptOrAsked() && !fenceKept())) &&
      (attempts === 0 || attempts === 1) && unchanged('errors expirations');
  }
  function keeps() {
    return to === from && onlyChanged('times fence') && onlyMoments('kept') &&
      (fenceKept() || (!locked(from) && newDoc.fence > count(before.fence)));
  }
  // A request to cancel, on another leaf, goes over to a job that waits: the next claim cancels it.
  function asksNextClaim() {
    return pending(from) && to === from && fenceKept() && newDoc.endAs === 'cancelled' && onlyMoments('cancelRequested') &&
      onlyChanged('endAs cancelReason times fence');
  }
  function asksAnother() {
    return asksOwner() && onlyChanged('resubmit cancelRequested cancelReason times fence');
  }

  function checkJob() {
    if (deleted) {
      var retired = newDoc.removedBy === 'retention' && (!before || finished(from));
      if (producer || (worker && (retired || !isAbsent(newDoc.resolved)))) {
        return;
      }
      refuse(user + ' may not remove jobs: that needs the role couchjobs-producer');
    }
    if (!before) {
      return creates() || refuse(user + ' may only create jobs that wait and have not run, not one that is ' + to);
    }
    if (producer && (changesUnclaimed() || asksOwner())) {
      return;
    }
    if (worker && (claims() || works() || letsGo() || callsOff() || runsAgain() || follows() || withdraws() || givesBack() || keeps() ||
        asksNextClaim() || asksAnother())) {
      return;
    }
    refuse(reason());
  }
  function reason() {
    var step = 'from ' + from + ' to ' + to + (changed.length ? ', changing ' + changed.sort().join(', ') : '');
    if (locked(to) && !locked(from)) {
      return worker ? user + ' claims this job wrongly: ' + step
        : user + ' may not claim jobs: that needs the role couchjobs-worker';
    }
    if (locked(from) && worker && !ownsIt()) {
      var owner = (before.lock || {}).user;
      return user + ' does not own this job' + (owner ? ', user ' + owner + ' does: ' : ', its claim was withdrawn: ') + step;
    }
    if (locked(from) && !worker) {
      return user + ' may not change a job that is ' + from + ', but only ask for its cancellation or another run: ' + step;
    }
    return user + ' may not change this job so with the roles ' + (userCtx.roles.join(', ') || '(none)') + ': ' + step;
  }

  function areRuns(runs) {
    return isAbsent(runs) || (Array.isArray(runs) && runs.length <= 10 && runs.every(function (id) {
      var job = typeof id === 'string' && readJob({_id: id});
      return job && !job.problem;
    }));
  }
  function isLast(time) {
    return isAbsent(time) || (typeof time === 'number' && Math.floor(time) === time && Math.abs(time) <= 8.64e15 / 40);
  }

  // The mark of a change on a cluster is small, and does not outrank other changes.
  function isMark(mark) {
    return isAbsent(mark) || (JSON.stringify(mark).length <= 200 && (isAbsent(mark.revisions) ||
      (Math.floor(mark.revisions) === mark.revisions && mark.revisions >= 0 && mark.revisions <= 1e6)));
  }

  function marksOnly() {
    return Object.keys(newDoc).every(function (name) { return name.charAt(0) === '_' || has(['marks', 'uncounted'], name); });
  }

  function check() {
    switch (kind) {
    case 'job':
      return checkJob();
    case 'type':
      return refuse(user + ' may not change the settings of types: that needs the role couchjobs-admin');
    case 'schedule':
      return (before && !deleted && onlyChanged(worker ? 'last runs uncounted' : 'runs uncounted') && isMark(newDoc.uncounted) && areRuns(newDoc.runs) && isLast(newDoc.last)) ||
        refuse(user + ' may not change schedules: that needs the role couchjobs-admin');
    case 'trigger':
      return refuse(user + ' may not change triggers: that needs the role couchjobs-admin');
    case 'scope':
      return worker || (before && !deleted && onlyChanged('rejected uncounted') && isMark(newDoc.uncounted)) ||
        refuse(user + ' may not start or stop scopes: that needs the role couchjobs-worker');
    case 'stats':
      return worker || (!deleted && (before ? onlyChanged('marks uncounted') : marksOnly())) ||
        refuse(user + ' may only add marks to the history: the rest needs the role couchjobs-worker');
    case 'log':
      return worker || deleted || refuse(user + ' may not write logs of jobs: that needs the role couchjobs-worker');
    default:
      if (!worker) {
        refuse(user + ' may not write documents of workers: that needs the role couchjobs-worker');
      }
      if (kind === 'worker' && !deleted && !(isAbsent(newDoc.user) || newDoc.user === userCtx.name)) {
        refuse(user + ' may not register a worker of user ' + newDoc.user);
      }
      if (kind === 'worker' && !deleted && before && !isAbsent(before.user) && before.user !== userCtx.name) {
        refuse('this worker is registered by user ' + before.user + ', not by ' + user);
      }
    }
  }

  // A job that cannot be one is nobody's to write, not even an administrator's; to delete it is allowed.
  var problem = kind === 'job' && !deleted && readJob(newDoc).problem;
  if (problem) {
    refuse('this cannot be a job: its field ' + problem + ' is wrong, or does not fit the others');
  }
  // A document that is there, written as a new one, is a conflict. CouchDB says so before it asks, PouchDB Server after.
  if (isAdmin() || (before && !newDoc._rev)) {
    return;
  }
  if (!producer && !worker) {
    refuse(user + ' has none of the roles couchjobs-producer, couchjobs-worker and couchjobs-admin, and may only read');
  }
  check();
}
