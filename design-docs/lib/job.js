  // The first field of a document that is nested deeper than 500 levels, or null; the twin of Nesting.java.
  function deepField(doc) {
    // Containers only: an index runs this for each document, and most values of a document are none.
    function isDeep(container, levels) {
      if (levels === 0) {
        return true;
      }
      for (var key in container) {
        var value = container[key];
        if (typeof value === 'object' && value !== null && isDeep(value, levels - 1)) {
          return true;
        }
      }
      return false;
    }

    for (var field in doc) {
      var value = doc[field];
      if (typeof value === 'object' && value !== null && isDeep(value, 499)) {
        return field;
      }
    }
    return null;
  }

  // A number above 0 and below this is a time in seconds: in milliseconds it would be before 1973-03-03.
  function isSeconds(time) {
    return typeof time === 'number' && time > 0 && time < 1e11;
  }
  // A scheduled time as it counts, in milliseconds; 0, at once, for none and for those before 1973-03-03. The twin of ScheduledTime.java.
  function millis(time) {
    var ms = isSeconds(time) ? time * 1000 : time || 0;
    return isSeconds(ms) ? 0 : ms;
  }

  function isInteger(value, least, most) {
    return typeof value === 'number' && Math.floor(value) === value && value >= least && value <= most;
  }
  function isTime(value) {
    return isInteger(value, -8.64e15, 8.64e15);
  }
  function isArray(value) {
    return Object.prototype.toString.call(value) === '[object Array]';
  }
  function isAbsent(value) {
    return value === undefined || value === null;
  }
  function isObject(value) {
    return typeof value === 'object' && value !== null && !isArray(value);
  }
  function all(container, check) {
    for (var key in container) {
      if (!check(container[key])) {
        return false;
      }
    }
    return true;
  }
  function isString(value) {
    return typeof value === 'string';
  }
  function isName(value, longest) {
    return value.length <= longest && /[^ ]/.test(value) && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
  }
  function isJobId(value) {
    var id = isString(value) && /^job:([^:]*):([\s\S]*)$/.exec(value);
    return !!id && isName(id[1], 128) && isName(id[2], 512);
  }

  function isCount(value) {
    return isInteger(value, 0, 2147483647);
  }
  function isStatus(value) {
    return isString(value) && /^(waiting|scheduled|running|stuck|success|failed|cancelled)$/.test(value);
  }
  function isSite(value) {
    return isString(value) && /^[A-Za-z0-9._-]{1,64}$/.test(value);
  }
  function isLock(value) {
    return isObject(value) && isString(value.token) && (isAbsent(value.withdrawn) ||
      (isObject(value.withdrawn) && (isAbsent(value.withdrawn.at) || isTime(value.withdrawn.at))));
  }
  function isResubmission(value) {
    return isObject(value) && (isAbsent(value.scheduledTime) || isTime(value.scheduledTime));
  }
  function isAfter(value) {
    return isObject(value) && isArray(value.jobs) && value.jobs.length > 0 && value.jobs.length <= 10000 &&
      all(value.jobs, isJobId) && (isAbsent(value.onFailure) ||
        (isString(value.onFailure) && /^(cancel|run|wait)$/.test(value.onFailure)));
  }

  // What the fields of a job may be; null is the same as no field.
  var checks = {
    status: isStatus,
    scheduledTime: isTime,
    lock: isLock,
    fence: isCount,
    attempt: isCount,
    maxRetries: isCount,
    expirations: isCount,
    errors: function (value) { return isArray(value) && all(value, isObject); },
    resubmit: isResubmission,
    cancelRequested: function (value) { return typeof value === 'boolean'; },
    group: isString,
    'class': isString,
    origin: isString,
    correlationId: isString,
    tracker: isString,
    site: isSite,
    priority: function (value) { return isInteger(value, 0, 99); },
    tags: function (value) { return isArray(value) && all(value, isString); },
    after: isAfter,
    progress: isObject,
    times: function (value) { return isObject(value) && all(value, isTime); }
  };

  // The first field of a job whose value it may not have, or null.
  function wrongField(job) {
    if (job.data !== undefined && !isObject(job.data)) {
      return 'data';
    }
    for (var field in checks) {
      if (job[field] != null && !checks[field](job[field])) {
        return field;
      }
    }
    return isAbsent(job.lock) === (job.status === 'scheduled' || job.status === 'running') ? 'lock' : null;
  }

  // A client in another language may say nothing of times, or only of others: then the newest counts.
  function finishedTime(times) {
    var newest = null;
    for (var name in times) {
      if (newest === null || times[name] > newest) {
        newest = times[name];
      }
    }
    return times && typeof times.finished === 'number' ? times.finished : newest;
  }

  // Which documents can be a job: the twin of Schema.java and JobId.java, change all together.
  // Returns null for a document that is not meant to be a job, else {line, status, time, claimable, created, finished, problem};
  // line is the type, for a job with a site TYPE:SITE (no type has a colon): what a database does not run is not read through.
  // problem names the first field that is wrong, or is null.
  function readJob(doc) {
    if (doc._id.slice(0, 4) !== 'job:') {
      return null;
    }
    var colon = doc._id.indexOf(':', 4);
    var type = doc._id.slice(4, colon);
    var isNamed = colon > 0 && isName(type, 128) && isName(doc._id.slice(colon + 1), 512);
    var problem = isNamed ? deepField(doc) || wrongField(doc) : '_id';
    if (problem) {
      return {problem: problem};
    }
    var hasEnded = doc.status === 'success' || doc.status === 'failed' || doc.status === 'cancelled';
    return {
      line: type + (doc.site ? ':' + doc.site : ''),
      status: doc.status || 'waiting',
      time: millis(doc.scheduledTime),
      claimable: (!doc.status || doc.status === 'waiting' || doc.status === 'stuck') && !doc.after &&
        !doc._conflicts,
      created: (doc.times && doc.times.created) || millis(doc.scheduledTime),
      finished: hasEnded ? finishedTime(doc.times) : null,
      problem: null
    };
  }
