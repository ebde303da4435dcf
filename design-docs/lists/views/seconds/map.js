(function () {
  // !code lib/job.js
  return function (doc) {
    if (!isSeconds(doc.scheduledTime)) {
      return;
    }
    var job = readJob(doc);
    if (job && !job.problem && /^(waiting|stuck)$/.test(job.status)) {
      emit(job.line, null);
    }
  };
}())
