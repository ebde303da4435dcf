(function () {
  // !code lib/job.js
  return function (doc) {
    if (!doc.after) {
      return;
    }
    var job = readJob(doc);
    if (job && !job.problem && job.status === 'waiting') {
      emit(job.line, null);
    }
  };
}())
