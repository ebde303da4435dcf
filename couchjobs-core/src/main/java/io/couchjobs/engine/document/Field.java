package io.couchjobs.engine.document;

/** The names of the fields of a job document. */
public final class Field {
    public static final String ID = "_id";
    public static final String REV = "_rev";
    public static final String STATUS = "status";
    public static final String SCHEDULED_TIME = "scheduledTime";
    public static final String DATA = "data";
    public static final String DATA_DIGEST = "dataDigest";
    public static final String ATTACHMENTS = "_attachments";
    public static final String RESULT = "result";
    public static final String LOCK = "lock";
    public static final String TOKEN = "token";
    public static final String WORKER = "worker";
    public static final String SINCE = "since";
    public static final String WITHDRAWN = "withdrawn";
    public static final String REASON = "reason";
    public static final String FENCE = "fence";
    public static final String ATTEMPT = "attempt";
    public static final String MAX_RETRIES = "maxRetries";
    public static final String EXPIRATIONS = "expirations";
    public static final String ERRORS = "errors";
    public static final String AT = "at";
    public static final String KIND = "kind";
    public static final String MESSAGE = "message";
    public static final String STACK = "stack";
    public static final String RESUBMIT = "resubmit";
    public static final String CANCEL_REQUESTED = "cancelRequested";
    public static final String CANCEL_REASON = "cancelReason";
    /** How the next claim ends a pending job instead of running it: {@code cancelled} or {@code failed}. */
    public static final String END_AS = "endAs";

    public static final String RETRY_REASON = "retryReason";
    public static final String GROUP = "group";
    public static final String PRIORITY = "priority";
    public static final String CLASS = "class";
    public static final String ORIGIN = "origin";
    public static final String CORRELATION_ID = "correlationId";
    public static final String TRACKER = "tracker";
    public static final String TAGS = "tags";
    public static final String PROGRESS = "progress";
    public static final String PERCENT = "percent";
    public static final String TIMES = "times";
    public static final String SITE = "site";
    public static final String ENABLED = "enabled";
    public static final String LAST = "last";
    public static final String RUNS = "runs";
    public static final String AFTER = "after";
    public static final String REMOVED_BY = "removedBy";
    public static final String RETENTION = "retention";
    public static final String JOBS = "jobs";
    public static final String ARRAY = "array";
    public static final String TRIGGER = "trigger";
    public static final String ON_FAILURE = "onFailure";

    public static final String TRACEPARENT = "traceparent";
    public static final String TRACESTATE = "tracestate";

    private Field() {}
}
