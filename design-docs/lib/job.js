  // The first field of a document that is nested deeper than 500 levels, or null; the twin of Nesting.java.
  function deepField(doc) {
    function deeper(value, levels) {
      if (typeof value !== 'object' || value === null) {
        return false;
      }
      for (var key in value) {
        if (levels > 0 && deeper(value[key], levels - 1)) {
          return true;
        }
      }
      return levels === 0;
    }

    for (var field in doc) {
      if (deeper(doc[field], 499)) {
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

  // Which documents can be a job: the twin of Schema.java and JobId.java, change all together.
  // Returns null for a document that is not meant to be a job, else {line, status, time, claimable, created, finished, problem};
  // line is the type, for a job with a site TYPE:SITE (no type has a colon): what a database does not run is not read through.
  // problem names the first field that is wrong, or is null.
  function readJob(doc) {
    var parts = /^job:([^:]*):([\s\S]*)$/.exec(doc._id);
    if (doc._id.slice(0, 4) !== 'job:') {
      return null;
    }

    function integer(value, least, most) {
      return typeof value === 'number' && Math.floor(value) === value && value >= least && value <= most;
    }
    function time(value) {
      return integer(value, -8.64e15, 8.64e15);
    }
    function count(value) {
      return integer(value, 0, 2147483647);
    }
    function string(value) {
      return typeof value === 'string';
    }
    function bool(value) {
      return typeof value === 'boolean';
    }
    function array(value) {
      return Object.prototype.toString.call(value) === '[object Array]';
    }
    function absent(value) {
      return value === undefined || value === null;
    }
    function object(value) {
      return typeof value === 'object' && value !== null && !array(value);
    }
    function all(container, check) {
      for (var key in container) {
        if (!check(container[key])) {
          return false;
        }
      }
      return true;
    }
    function status(value) {
      return string(value) && /^(waiting|scheduled|running|stuck|success|failed|cancelled)$/.test(value);
    }
    function name(value, longest) {
      return value.length <= longest && /[^ ]/.test(value) && !/[\u0000-\u001f\u007f-\u009f]/.test(value);
    }

    function site(value) {
      return string(value) && /^[A-Za-z0-9._-]{1,64}$/.test(value);
    }

    function jobId(value) {
      var id = string(value) && /^job:([^:]*):([\s\S]*)$/.exec(value);
      return !!id && name(id[1], 128) && name(id[2], 512);
    }

    var checks = {
      status: status,
      scheduledTime: time,
      lock: function (value) {
        return object(value) && string(value.token) && (absent(value.withdrawn) ||
          (object(value.withdrawn) && (absent(value.withdrawn.at) || time(value.withdrawn.at))));
      },
      fence: count,
      attempt: count,
      maxRetries: count,
      expirations: count,
      errors: function (value) { return array(value) && all(value, object); },
      resubmit: function (value) {
        return object(value) && (absent(value.scheduledTime) || time(value.scheduledTime));
      },
      cancelRequested: bool,
      group: string,
      'class': string,
      origin: string,
      correlationId: string,
      tracker: string,
      site: site,
      priority: function (value) { return integer(value, 0, 99); },
      tags: function (value) { return array(value) && all(value, string); },
      after: function (value) {
        return object(value) && array(value.jobs) && value.jobs.length > 0 && value.jobs.length <= 10000 &&
          all(value.jobs, jobId) && (absent(value.onFailure) ||
            (string(value.onFailure) && /^(cancel|run|wait)$/.test(value.onFailure)));
      },
      progress: object,
      times: function (value) { return object(value) && all(value, time); }
    };

    // A client in another language may say nothing of times, or only of others: then the newest counts.
    function finishedTime() {
      var times = doc.times || {};
      var newest = null;
      for (var name in times) {
        if (newest === null || times[name] > newest) {
          newest = times[name];
        }
      }
      return typeof times.finished === 'number' ? times.finished : newest;
    }

    function firstProblem() {
      if (!parts || !name(parts[1], 128) || !name(parts[2], 512)) {
        return '_id';
      }
      var deep = deepField(doc);
      if (deep !== null) {
        return deep;
      }
      if (doc.data !== undefined && !object(doc.data)) {
        return 'data';
      }
      for (var field in checks) {
        if (!absent(doc[field]) && !checks[field](doc[field])) {
          return field;
        }
      }
      return !absent(doc.lock) === (doc.status === 'scheduled' || doc.status === 'running') ? null : 'lock';
    }

    var problem = firstProblem();
    if (problem) {
      return {problem: problem};
    }
    return {
      line: parts[1] + (doc.site ? ':' + doc.site : ''),
      status: doc.status || 'waiting',
      time: millis(doc.scheduledTime),
      claimable: (!doc.status || doc.status === 'waiting' || doc.status === 'stuck') && !doc.after &&
        !doc._conflicts,
      created: (doc.times && doc.times.created) || millis(doc.scheduledTime),
      finished: /^(success|failed|cancelled)$/.test(doc.status) ? finishedTime() : null,
      problem: null
    };
  }
