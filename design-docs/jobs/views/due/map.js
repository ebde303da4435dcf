(function () {
  // !code lib/job.js
  return function (doc) {
    var job = readJob(doc);
    if (job && !job.problem && job.claimable) {
      emit([job.line, job.time], doc._rev);
    }
  };
}())
