package io.couchjobs.type;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a type, stored as the document {@code type:TYPE} in the queue's database. Immutable and thread-safe. For each
 * setting that is missing in the document, the default of the queue applies.
 */
public final class TypeSettings {
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1000);
    private static final String TIMEOUT = "timeout";
    private static final String MAX_RETRIES = "maxRetries";
    private static final String RETRY_DELAY = "retryDelay";
    private static final String MAX_RETRY_DELAY = "maxRetryDelay";
    private static final String RETRY_JITTER = "retryJitter";
    private static final String PAUSED = "paused";
    private static final String PAUSE_REASON = "pauseReason";
    private static final String RATE = "rate";
    private static final String RETENTION = "retention";
    private static final String FAILURE_RETENTION = "failureRetention";
    private static final String CLASSES = "classes";

    private final String type;
    private final ObjectNode document;
    private final SettingValues values;

    private TypeSettings(String type, ObjectNode document) {
        this.type = type;
        this.document = document;
        this.values = new SettingValues(document);
    }

    /**
     * {@return the empty settings of a type that has no document}
     *
     * @param type the type
     */
    public static TypeSettings none(String type) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", docId(type));
        return new TypeSettings(type, document);
    }

    /**
     * {@return the settings in a document}
     *
     * @param document the document, which is copied
     */
    public static TypeSettings of(ObjectNode document) {
        return new TypeSettings(document.path("_id").asText().substring(DocIds.TYPE.length()), document.deepCopy());
    }

    /**
     * {@return the id of the settings document of a type}
     *
     * @param type the type
     */
    public static String docId(String type) {
        return DocIds.TYPE + JobId.checkType(type);
    }

    /** {@return the type} */
    public String type() {
        return type;
    }

    /** {@return the generation of the document: the number of writes to it; 0 when there is no document} */
    public long generation() {
        return Rev.generation(document.path("_rev").asText());
    }

    /** {@return how long an owner may be silent before its lease expires; empty for the queue's default} */
    public Optional<Duration> timeout() {
        return values.number(TIMEOUT)
                .map(millis -> Duration.ofMillis(Math.min(millis, LONGEST_TIMEOUT.toMillis())))
                .filter(timeout -> !timeout.isZero());
    }

    /** {@return the retry policy of failed jobs} */
    public RetryPolicy retryPolicy() {
        RetryPolicy standard = RetryPolicy.DEFAULT;
        return new RetryPolicy(
                values.count(MAX_RETRIES).orElse(standard.maxRetries()),
                values.number(RETRY_DELAY).map(Duration::ofMillis).orElse(standard.delay()),
                values.number(MAX_RETRY_DELAY).map(Duration::ofMillis).orElse(standard.maxDelay()),
                values.share(RETRY_JITTER).orElse(standard.jitter()));
    }

    /**
     * Returns a limit of the type.
     *
     * @param limit the limit
     * @return the number; empty when the limit is not set or invalid
     */
    public OptionalInt get(Limit limit) {
        return values.count(limit.field()).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /** {@return how many jobs may be started in each time window; empty for no limit} */
    public Optional<Rate> rate() {
        return Rate.parse(document.path(RATE));
    }

    /** {@return whether the type is paused, so that no worker may claim its jobs} */
    public boolean isPaused() {
        return document.path(PAUSED).asBoolean(false);
    }

    /** {@return why the type is paused, if a reason was given} */
    public Optional<String> pauseReason() {
        return values.text(PAUSE_REASON).filter(reason -> isPaused());
    }

    /** {@return how long successful jobs are kept; 30 days when not set, forever when the setting is invalid} */
    public Retention retention() {
        return values.retention(RETENTION).orElseGet(() -> new Retention.For(Retention.STANDARD));
    }

    /**
     * Returns how long failed and cancelled jobs are kept, so that operators can inspect or retry them.
     *
     * @return the configured retention, or else the longer of 30 days and {@link #retention}; forever when the setting is invalid
     */
    public Retention failureRetention() {
        return values.retention(FAILURE_RETENTION).orElseGet(() -> retention().ofFailures());
    }

    /**
     * {@return how long jobs with a final status are kept}
     *
     * @param status the final status: success, failed or cancelled
     */
    public Retention retentionOf(JobStatus status) {
        return status == JobStatus.SUCCESS ? retention() : failureRetention();
    }

    /**
     * {@return these settings, with another timeout}
     *
     * @param timeout how long an owner may be silent; from 1 ms to 1000 days
     * @throws IllegalArgumentException when the timeout is outside of this range
     */
    public TypeSettings withTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 1000 days: " + timeout);
        }
        return changed(settings -> settings.put(TIMEOUT, timeout.toMillis()));
    }

    /** {@return these settings, without a timeout, so that the queue's default applies} */
    public TypeSettings withoutTimeout() {
        return without(TIMEOUT);
    }

    /**
     * {@return these settings, completed by the defaults of a type; this object when nothing was missing}
     *
     * @param type the type; its timeout and retention are used when these settings have none
     */
    public TypeSettings withDefaultsOf(JobType<?> type) {
        TypeSettings filled = this;
        if (type.timeout().isPresent() && timeout().isEmpty()) {
            filled = filled.withTimeout(type.timeout().get());
        }
        if (type.retention().isPresent() && !document.has(RETENTION)) {
            filled = filled.withRetention(new Retention.For(type.retention().get()));
        }
        return filled;
    }

    /**
     * {@return these settings, with another retry policy}
     *
     * @param policy the retry policy
     */
    public TypeSettings withRetryPolicy(RetryPolicy policy) {
        return changed(settings -> settings.put(MAX_RETRIES, policy.maxRetries())
                .put(RETRY_DELAY, RetryPolicy.millis(policy.delay()))
                .put(MAX_RETRY_DELAY, RetryPolicy.millis(policy.maxDelay()))
                .put(RETRY_JITTER, policy.jitter()));
    }

    /**
     * {@return these settings, with a limit}
     *
     * @param limit the limit
     * @param number 0 or more
     * @throws IllegalArgumentException when the number is negative
     */
    public TypeSettings with(Limit limit, int number) {
        if (number < 0) {
            throw new IllegalArgumentException(limit.field() + " must be 0 or more: " + number);
        }
        return changed(settings -> settings.put(limit.field(), number));
    }

    /**
     * {@return these settings, without a limit}
     *
     * @param limit the limit
     */
    public TypeSettings without(Limit limit) {
        return without(limit.field());
    }

    /**
     * {@return these settings, with a limit on the jobs started in each time window}
     *
     * @param rate the number of jobs and the length of a window
     */
    public TypeSettings withRate(Rate rate) {
        return changed(settings -> settings.set(RATE, rate.toJson()));
    }

    /** {@return these settings, without a rate limit} */
    public TypeSettings withoutRate() {
        return without(RATE);
    }

    /**
     * {@return these settings, with the type paused or resumed}
     *
     * @param paused whether no worker may claim jobs of this type
     */
    public TypeSettings withPaused(boolean paused) {
        return changed(settings -> settings.put(PAUSED, paused).remove(PAUSE_REASON));
    }

    /**
     * {@return these settings, with the type paused}
     *
     * @param reason the reason, for people to read
     */
    public TypeSettings withPaused(String reason) {
        return changed(settings -> settings.put(PAUSED, true).put(PAUSE_REASON, reason));
    }

    /**
     * {@return these settings, with another retention of successful jobs}
     *
     * @param retention the retention, or null for the default
     */
    public TypeSettings withRetention(@Nullable Retention retention) {
        return withRetention(RETENTION, retention);
    }

    /**
     * {@return these settings, with another retention of failed and cancelled jobs}
     *
     * @param retention the retention, or null for the default
     */
    public TypeSettings withFailureRetention(@Nullable Retention retention) {
        return withRetention(FAILURE_RETENTION, retention);
    }

    /**
     * Returns the classes of jobs that workers may claim.
     *
     * @return the classes, including {@code ""} when jobs without a class may be claimed; empty when all jobs may be claimed
     */
    public Optional<Set<String>> classes() {
        return values.names(CLASSES);
    }

    /**
     * {@return these settings, for workers that claim only jobs of some classes}
     *
     * @param classes the classes, {@code ""} for jobs without a class; with no classes, no job is claimed
     */
    public TypeSettings withClasses(Collection<String> classes) {
        return changed(settings -> classes.stream().distinct().sorted().forEach(settings.putArray(CLASSES)::add));
    }

    /** {@return these settings, without a restriction of classes} */
    public TypeSettings withAllClasses() {
        return without(CLASSES);
    }

    /** {@return a copy of the document, including unknown fields} */
    public ObjectNode toDocument() {
        return document.deepCopy();
    }

    @Override
    public String toString() {
        return "TypeSettings" + document;
    }

    private TypeSettings withRetention(String field, @Nullable Retention retention) {
        return retention == null ? without(field) : changed(settings -> settings.set(field, retention.toJson()));
    }

    private TypeSettings without(String field) {
        return changed(settings -> settings.remove(field));
    }

    private TypeSettings changed(Consumer<ObjectNode> change) {
        ObjectNode copy = document.deepCopy();
        change.accept(copy);
        return new TypeSettings(type, copy);
    }

    /** {@return a short message for each invalid setting; empty when all settings are valid} */
    public List<String> problems() {
        Map<String, Optional<?>> read = new LinkedHashMap<>();
        read.put(TIMEOUT, timeout());
        read.put(MAX_RETRIES, values.count(MAX_RETRIES));
        read.put(RETRY_DELAY, values.number(RETRY_DELAY));
        read.put(MAX_RETRY_DELAY, values.number(MAX_RETRY_DELAY));
        for (Limit limit : Limit.values()) {
            read.put(limit.field(), values.count(limit.field()));
        }
        read.put(RATE, rate());
        read.put(RETRY_JITTER, values.share(RETRY_JITTER));
        read.put(RETENTION, Retention.parse(document.path(RETENTION)));
        read.put(FAILURE_RETENTION, Retention.parse(document.path(FAILURE_RETENTION)));
        read.put(CLASSES, values.names(CLASSES));
        return values.problems(read);
    }
}
