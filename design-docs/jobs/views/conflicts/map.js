function (doc) {
  // Not only jobs: slots, settings and schedules have conflicts, too.
  if (doc._conflicts || (doc.lock && doc.lock.withdrawn)) {
    var job = /^job:([^:]*):/.exec(doc._id);
    emit(job ? job[1] : null, doc._conflicts ? doc._conflicts.length : 0);
  }
}
