function (doc) {
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem) {
    emit([job.type, job.status, job.created, doc._id], null);
  }
}
