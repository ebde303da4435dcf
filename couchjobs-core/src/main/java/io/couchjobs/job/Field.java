package io.couchjobs.job;

/** The names of the fields of a job document. */
final class Field {
    static final String ID = "_id";
    static final String REV = "_rev";
    static final String STATUS = "status";
    static final String SCHEDULED_TIME = "scheduledTime";
    static final String DATA = "data";
    static final String DATA_DIGEST = "dataDigest";
    static final String ATTACHMENTS = "_attachments";
    static final String RESULT = "result";
    static final String LOCK = "lock";
    static final String TOKEN = "token";
    static final String WORKER = "worker";
    static final String SINCE = "since";
    static final String WITHDRAWN = "withdrawn";
    static final String REASON = "reason";
    static final String FENCE = "fence";
    static final String ATTEMPT = "attempt";
    static final String MAX_RETRIES = "maxRetries";
    static final String EXPIRATIONS = "expirations";
    static final String ERRORS = "errors";
    static final String AT = "at";
    static final String KIND = "kind";
    static final String MESSAGE = "message";
    static final String STACK = "stack";
    static final String RESUBMIT = "resubmit";
    static final String CANCEL_REQUESTED = "cancelRequested";
    static final String GROUP = "group";
    static final String PRIORITY = "priority";
    static final String CLASS = "class";
    static final String ORIGIN = "origin";
    static final String CORRELATION_ID = "correlationId";
    static final String TRACKER = "tracker";
    static final String TAGS = "tags";
    static final String PROGRESS = "progress";
    static final String PERCENT = "percent";
    static final String TIMES = "times";
    static final String SITE = "site";
    static final String AFTER = "after";
    static final String REMOVED_BY = "removedBy";
    static final String RETENTION = "retention";
    static final String JOBS = "jobs";
    static final String ON_FAILURE = "onFailure";

    static final String TRACEPARENT = "traceparent";
    static final String TRACESTATE = "tracestate";

    private Field() {}
}
