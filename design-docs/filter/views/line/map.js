(function () {
  // !code lib/job.js
  return function (doc) {
    var job = readJob(doc);
    if (job && !job.problem && job.claimable) {
      emit([job.line, '', job.status === 'stuck' ? 0 : 1, job.time, doc._id], doc._rev);
    }
  };
}())
