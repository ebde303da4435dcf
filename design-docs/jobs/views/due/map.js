function (doc) {
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem && (job.status === 'waiting' || job.status === 'stuck')) {
    emit([job.type, job.time], doc._rev);
  }
}
