function (doc) {
  // !code lib/job.js
  // The twin of Outcome.java: ended from outside while it ran. Counted a second time, so that most jobs cost one row.
  function isKilled(status) {
    var times = doc.times || {};
    var last = (doc.errors || []).slice(-1)[0];
    if (status === 'failed') {
      return !!last && last.kind === 'killed';
    }
    return status === 'cancelled' && times.finished !== undefined &&
      (times.finished === times.stopped || times.finished === times.failed || times.finished === times.expired);
  }

  var job = readJob(doc);
  if (job && !job.problem) {
    emit([job.line, job.status, job.created, doc._id], null);
    if (isKilled(job.status)) {
      emit([job.line, job.status + '/killed', job.created, doc._id], null);
    }
  }
}
