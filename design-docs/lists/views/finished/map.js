function (doc) {
  // A document with conflicts waits for who resolves them: deleting its winner would bring back the loser.
  if (!/^(success|failed|cancelled)$/.test(doc.status) || doc._conflicts) {
    return;
  }
  // !code lib/job.js
  var job = readJob(doc);
  if (!job || job.problem) {
    return;
  }
  // A client in another language may say nothing of times, or only of others.
  var times = doc.times || {};
  var finished = typeof times.finished === 'number' ? times.finished : null;
  for (var name in times) {
    if (typeof times.finished !== 'number' && (finished === null || times[name] > finished)) {
      finished = times[name];
    }
  }
  emit([job.line, job.status, finished, doc._id], [doc._rev, doc.fence === undefined ? null : doc.fence]);
}
