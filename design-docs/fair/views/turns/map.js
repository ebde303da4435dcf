(function () {
  // !code lib/job.js
  return function (doc) {
    var job = readJob(doc);
    if (!job || job.problem || !job.claimable) {
      return;
    }
    // Four hex digits per UTF-16 code unit: names are ordered, and told apart, the same way by every server and by Java.
    var group = '', name = doc.group || '';
    for (var i = 0; i < name.length; i++) {
      group += ('000' + name.charCodeAt(i).toString(16)).slice(-4);
    }
    // The twin of Spot.java: 0 stuck, 1 high, 2 low.
    var rank = job.status === 'stuck' ? 0 : doc.priority > 50 ? 1 : 2;
    emit([job.line, group, rank, job.time, doc._id], doc._rev);
  };
}())
