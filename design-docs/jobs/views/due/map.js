function (doc) {
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem && job.claimable) {
    emit([job.line, job.time], doc._rev);
  }
}
