function (doc) {
  if (!doc.after) {
    return;
  }
  // !code lib/job.js
  var job = readJob(doc);
  if (job && !job.problem && job.status === 'waiting') {
    emit(job.line, null);
  }
}
