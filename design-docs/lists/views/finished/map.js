(function () {
  // !code lib/job.js
  return function (doc) {
    // A document with conflicts waits for who resolves them: deleting its winner would bring back the loser.
    if (!/^(success|failed|cancelled)$/.test(doc.status) || doc._conflicts) {
      return;
    }
    var job = readJob(doc);
    if (!job || job.problem) {
      return;
    }
    emit([job.line, job.status, job.finished, doc._id], [doc._rev, doc.fence === undefined ? null : doc.fence]);
  };
}())
