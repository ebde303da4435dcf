function (doc) {
  if (!doc.lock) {
    return;
  }
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem) {
    emit([job.line, doc.lock.worker || ''], doc._rev);
  }
}
