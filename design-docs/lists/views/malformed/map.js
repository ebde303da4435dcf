(function () {
  // !code lib/job.js
  return function (doc) {
    var job = readJob(doc);
    if (job && job.problem) {
      emit(job.problem, null);
    }
  };
}())
