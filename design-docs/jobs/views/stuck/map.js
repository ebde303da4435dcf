function (doc) {
  if (doc.status !== 'stuck') {
    return;
  }
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem) {
    emit([job.type, job.time], doc._rev);
  }
}
