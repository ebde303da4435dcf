function (doc) {
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem) {
    emit([job.line, job.created, doc._id], null);
  }
}
