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
 * The settings of a type, one document {@code type:TYPE} in the queue's database. Immutable and thread-safe. Each setting
 * that the document does not have follows the default of the queue.
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
     * {@return the settings of a document}
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

    /** {@return how often the document was written; 0 when there is none} */
    public long generation() {
        return Rev.generation(document.path("_rev").asText());
    }

    /** {@return how long an owner may be silent before its lease runs out; empty for the queue's default} */
    public Optional<Duration> timeout() {
        return values.number(TIMEOUT)
                .map(millis -> Duration.ofMillis(Math.min(millis, LONGEST_TIMEOUT.toMillis())))
                .filter(timeout -> !timeout.isZero());
    }

    /** {@return when and how often failed jobs run again} */
    public RetryPolicy retryPolicy() {
        RetryPolicy standard = RetryPolicy.DEFAULT;
        return new RetryPolicy(
                values.count(MAX_RETRIES).orElse(standard.maxRetries()),
                values.number(RETRY_DELAY).map(Duration::ofMillis).orElse(standard.delay()),
                values.number(MAX_RETRY_DELAY).map(Duration::ofMillis).orElse(standard.maxDelay()),
                values.share(RETRY_JITTER).orElse(standard.jitter()));
    }

    /**
     * A limit of the type.
     *
     * @param limit which one
     * @return the number; empty when it is not set, or set to something that is no number from 0
     */
    public OptionalInt get(Limit limit) {
        return values.count(limit.field()).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /** {@return how many jobs may be started in each window of time; empty for any number} */
    public Optional<Rate> rate() {
        return Rate.parse(document.path(RATE));
    }

    /** {@return whether no worker may claim jobs of this type} */
    public boolean isPaused() {
        return document.path(PAUSED).asBoolean(false);
    }

    /** {@return why the type is paused, where somebody said so} */
    public Optional<String> pauseReason() {
        return values.text(PAUSE_REASON).filter(reason -> isPaused());
    }

    /** {@return how long jobs that succeeded are kept; 30 days where nothing is set, for ever where the setting is invalid} */
    public Retention retention() {
        return values.retention(RETENTION).orElseGet(() -> new Retention.For(Retention.STANDARD));
    }

    /**
     * How long jobs that failed or were cancelled are kept: operators may want to look at them, or retry them.
     *
     * @return the retention that is set, or else the longer of 30 days and {@link #retention}; for ever where the setting is invalid
     */
    public Retention failureRetention() {
        return values.retention(FAILURE_RETENTION).orElseGet(() -> retention().ofFailures());
    }

    /**
     * {@return how long jobs are kept that finished with a status}
     *
     * @param status success, failed or cancelled
     */
    public Retention retentionOf(JobStatus status) {
        return status == JobStatus.SUCCESS ? retention() : failureRetention();
    }

    /**
     * {@return these settings, with another timeout}
     *
     * @param timeout how long an owner may be silent; at least a millisecond
     * @throws IllegalArgumentException when the timeout is not positive, or longer than 1000 days
     */
    public TypeSettings withTimeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw new IllegalArgumentException("timeout must be from 1 ms to 1000 days: " + timeout);
        }
        return changed(settings -> settings.put(TIMEOUT, timeout.toMillis()));
    }

    /** {@return the changed settings: the queue's default timeout holds} */
    public TypeSettings withoutTimeout() {
        return without(TIMEOUT);
    }

    /**
     * {@return these settings, filled in where they are not set; the same ones when nothing was missing}
     *
     * @param type its timeout and retention are taken where these settings have none
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
     * @param policy when and how often failed jobs run again
     */
    public TypeSettings withRetryPolicy(RetryPolicy policy) {
        return changed(settings -> settings.put(MAX_RETRIES, policy.maxRetries())
                .put(RETRY_DELAY, RetryPolicy.millis(policy.delay()))
                .put(MAX_RETRY_DELAY, RetryPolicy.millis(policy.maxDelay()))
                .put(RETRY_JITTER, policy.jitter()));
    }

    /**
     * {@return these settings, with this limit}
     *
     * @param limit which one
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
     * {@return these settings, without this limit}
     *
     * @param limit which one
     */
    public TypeSettings without(Limit limit) {
        return without(limit.field());
    }

    /**
     * {@return these settings, with a limit to the jobs that may be started in each window of time}
     *
     * @param rate how many, and how long a window is
     */
    public TypeSettings withRate(Rate rate) {
        return changed(settings -> settings.set(RATE, rate.toJson()));
    }

    /** {@return the changed settings: any number of jobs may be started} */
    public TypeSettings withoutRate() {
        return without(RATE);
    }

    /**
     * {@return these settings, with claiming stopped, or started}
     *
     * @param paused whether no worker may claim jobs of this type
     */
    public TypeSettings withPaused(boolean paused) {
        return changed(settings -> settings.put(PAUSED, paused).remove(PAUSE_REASON));
    }

    /**
     * {@return these settings, with claiming stopped}
     *
     * @param reason why, for people
     */
    public TypeSettings withPaused(String reason) {
        return changed(settings -> settings.put(PAUSED, true).put(PAUSE_REASON, reason));
    }

    /**
     * {@return these settings, with the time that jobs that succeeded are kept}
     *
     * @param retention how long, or null for the default
     */
    public TypeSettings withRetention(@Nullable Retention retention) {
        return withRetention(RETENTION, retention);
    }

    /**
     * {@return these settings, with the time that jobs that failed or were cancelled are kept}
     *
     * @param retention how long, or null for the default
     */
    public TypeSettings withFailureRetention(@Nullable Retention retention) {
        return withRetention(FAILURE_RETENTION, retention);
    }

    /**
     * The classes of jobs that workers may claim.
     *
     * @return the classes, {@code ""} among them when jobs without a class may be claimed; empty when all may
     */
    public Optional<Set<String>> classes() {
        return values.names(CLASSES);
    }

    /**
     * {@return these settings, for workers that claim only jobs of some classes}
     *
     * @param classes the classes, {@code ""} for jobs without one; with none no job is claimed
     */
    public TypeSettings withClasses(Collection<String> classes) {
        return changed(settings -> classes.stream().distinct().sorted().forEach(settings.putArray(CLASSES)::add));
    }

    /** {@return the changed settings: jobs of all classes are claimed, and those without one} */
    public TypeSettings withAllClasses() {
        return without(CLASSES);
    }

    /** {@return a copy of the document, unknown fields and all} */
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

    /** {@return a few words for each setting whose value is invalid; empty when all is well} */
    public List<String> problems() {
        Map<String, Optional<?>> read = new LinkedHashMap<>();
        read.put(TIMEOUT, values.number(TIMEOUT));
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
