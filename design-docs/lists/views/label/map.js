(function () {
  // !code lib/job.js
  return function (doc) {
    if (!doc.group && !doc.tags && !doc.correlationId && !doc['class'] && !doc.origin) {
      return;
    }
    var job = readJob(doc);
    if (!job || job.problem) {
      return;
    }
    // The twin of JobCounts.java: a number for each status, of which the index keeps the sums.
    var statuses = ['waiting', 'scheduled', 'running', 'stuck', 'success', 'failed', 'cancelled'], one = [];
    for (var s = 0; s < statuses.length; s++) {
      one.push(job.status === statuses[s] ? 1 : 0);
    }
    function label(kind, value) {
      if (value) {
        emit([kind, value, job.created, doc._id], one);
      }
    }

    label('group', doc.group);
    label('class', doc['class']);
    label('origin', doc.origin);
    label('correlation', doc.correlationId);
    var seen = {};
    for (var i = 0; doc.tags && i < doc.tags.length; i++) {
      var key = '#' + doc.tags[i]; // no name that objects have by themselves
      if (!seen[key]) {
        seen[key] = true;
        label('tag', doc.tags[i]);
      }
    }
  };
}())
