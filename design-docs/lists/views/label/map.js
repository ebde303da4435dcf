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
  var seen = {};
  for (var i = 0; doc.tags && i < doc.tags.length; i++) {
    var key = '#' + doc.tags[i]; // no name that objects have by themselves
    if (!seen[key]) {
      seen[key] = true;
      emit(['tag', doc.tags[i], job.created, doc._id], null);
    }
  }
}
