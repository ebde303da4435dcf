function (doc) {
  if (!doc.group && !doc.tags && !doc.correlationId) {
    return;
  }
  // !code lib/job.js
  var job = readJob(doc);
  if (!job || job.problem) {
    return;
  }
  if (doc.group) {
    emit(['group', doc.group, job.created, doc._id], null);
  }
  if (doc.correlationId) {
    emit(['correlation', doc.correlationId, job.created, doc._id], null);
  }
  for (var i = 0; doc.tags && i < doc.tags.length; i++) {
    if (doc.tags.indexOf(doc.tags[i]) === i) {
      emit(['tag', doc.tags[i], job.created, doc._id], null);
    }
  }
}
