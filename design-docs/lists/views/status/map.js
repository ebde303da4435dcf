(function () {
  // !code lib/job.js

  // The twin of Outcome.java: ended from outside while it ran. Counted a second time, so that most jobs cost one row.
  function isKilled(doc, status) {
    var times = doc.times || {};
    var last = (doc.errors || []).slice(-1)[0];
    if (status === 'failed') {
      return !!last && last.kind === 'killed';
    }
    return status === 'cancelled' && times.finished !== undefined &&
      (times.finished === times.stopped || times.finished === times.failed || times.finished === times.expired);
  }

  return function (doc) {
    var job = readJob(doc);
    if (job && !job.problem) {
      // Since when it has been so, where people ask for the latest: the end, or the failure that is to be retried.
      var failed = job.status === 'stuck' && doc.times && doc.times.failed;
      var since = job.finished || failed || job.created;
      emit([job.line, job.status, since, doc._id], null);
      if (isKilled(doc, job.status)) {
        emit([job.line, job.status + '/killed', since, doc._id], null);
      }
    }
  };
}())
