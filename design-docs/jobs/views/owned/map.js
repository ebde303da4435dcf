(function () {
  // !code lib/job.js
  return function (doc) {
    if (!doc.lock) {
      return;
    }
    var job = readJob(doc);
    if (job && !job.problem) {
      emit([job.line, doc.lock.worker || ''], doc._rev);
    }
  };
}())
