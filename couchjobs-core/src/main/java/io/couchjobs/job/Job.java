package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.FieldValues;
import io.couchjobs.engine.document.JsonNumbers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job in the state of one revision of its document. Immutable and thread-safe.
 *
 * <p>The document itself is the value. It keeps fields that couchjobs does not know, so that these survive every write.
 */
public final class Job {
    /** The default priority of a job. */
    public static final int DEFAULT_PRIORITY = 50;
    /** A priority below the default. */
    public static final int LOW_PRIORITY = 25;
    /** A priority above the default. */
    public static final int HIGH_PRIORITY = 75;
    /** The number of errors that a job keeps. */
    public static final int MAX_ERRORS = 10;

    private final JobId id;
    private final ObjectNode document;
    private final FieldValues values;
    private final Attached attached;

    /** Data that is attached to the document, or the reason why the data is not available. */
    private record Attached(@Nullable ObjectNode data, String problem) {
        static final Attached NOT_READ =
                new Attached(null, "it is attached to the document and was not read; JobQueue.withData(job) reads it");
    }

    private Job(JobId id, ObjectNode document, Attached attached) {
        this.id = id;
        this.document = document;
        this.values = new FieldValues(document);
        this.attached = attached;
    }

    /**
     * Parses a job from its document.
     *
     * @param document the document, with its {@code _id}; copied
     * @return the job
     * @throws MalformedDocumentException when the document cannot be a job
     */
    public static Job parse(JsonNode document) {
        return given(document.deepCopy());
    }

    /**
     * Parses a job from its document without copying it. For the engine.
     *
     * @param document the document, with its {@code _id}; must not be changed any more
     * @return the job
     * @throws MalformedDocumentException when the document cannot be a job
     */
    public static Job given(JsonNode document) {
        String docId = document.path("_id").asText();
        JobId id = JobId.fromDocId(docId).orElseThrow(() -> malformed(docId, "its _id is not of the form job:TYPE:ID"));
        Schema.firstProblem(document).ifPresent(problem -> {
            throw malformed(docId, problem);
        });
        return new Job(id, (ObjectNode) document, Attached.NOT_READ);
    }

    private static MalformedDocumentException malformed(String docId, String problem) {
        return new MalformedDocumentException("document " + docId + " is not a job: " + problem);
    }

    /**
     * {@return the job of a document that couchjobs derived from a checked one, without another check}
     *
     * @param id the job
     * @param document the document, which the caller must not change any more
     */
    public static Job trusted(JobId id, ObjectNode document) {
        return new Job(id, document, Attached.NOT_READ);
    }

    /**
     * {@return the job with another document; attached data of that document must be the same}
     *
     * @param changed the document, which the caller must not change any more
     */
    public Job rewritten(ObjectNode changed) {
        return new Job(id, changed, attached);
    }

    /** {@return the identity} */
    public JobId id() {
        return id;
    }

    /** {@return the type, short for {@code id().type()}} */
    public String type() {
        return id.type();
    }

    /** {@return the revision of the document that the job was read from or stored as; empty for a job that is not stored yet} */
    public Optional<String> rev() {
        return values.text(Field.REV);
    }

    /** {@return the status; {@code WAITING} when the document has none} */
    public JobStatus status() {
        return values.text(Field.STATUS).flatMap(JobStatus::fromJson).orElse(JobStatus.WAITING);
    }

    /** {@return the phase: the status in the terms of the RFC} */
    public JobPhase phase() {
        return status().phase();
    }

    /**
     * {@return the time before which the job must not run, even if it was written in seconds; the epoch for a job due immediately}
     */
    public Instant scheduledTime() {
        return ScheduledTime.read(document.path(Field.SCHEDULED_TIME));
    }

    /**
     * Returns the creator's data. No I/O. Large data is attached to the document ({@link AttachedData}) and must have been read
     * before. Handlers and {@code JobQueue.get} provide it. Jobs of lists, filters, listeners and changes come without attached
     * data; {@code JobQueue.withData(job)} reads it.
     *
     * @return a copy; an empty object when the document has no data
     * @throws UnreadableDataException when the data is attached and was not read, or is damaged; also when the data has been
     *     replaced or removed since, and its revision has been compacted away
     */
    public ObjectNode data() {
        if (!hasAttachedData()) {
            ObjectNode data = inlineData();
            return data == null ? document.objectNode() : data.deepCopy();
        } else if (attached.data == null) {
            throw new UnreadableDataException(id, attached.problem);
        }
        return attached.data.deepCopy();
    }

    /**
     * Returns the data, bound to the Java type of the job type; see {@link #data()}.
     *
     * @param type the type of the job
     * @param <T> the type of the data
     * @return the bound data
     * @throws InvalidJobDataException when the data does not fit
     */
    public <T> T data(JobType<T> type) {
        return type.bind(data());
    }

    /** Returns the data in the document, not copied; null if there is none. */
    @Nullable
    ObjectNode inlineData() {
        return document.get(Field.DATA) instanceof ObjectNode data ? data : null;
    }

    /** {@return whether the data is attached to the document instead of stored in it} */
    public boolean hasAttachedData() {
        return AttachedData.isIn(document);
    }

    /** {@return whether {@link #data} throws because attached data was not read or is unreadable; for the engine} */
    public boolean lacksData() {
        return hasAttachedData() && attached.data == null;
    }

    Job withAttached(ObjectNode data) {
        return new Job(id, document, new Attached(data, ""));
    }

    Job withUnreadable(String problem) {
        return new Job(id, document, new Attached(null, problem));
    }

    /**
     * {@return this job with the attached data of another revision, if that data was read and is the same; for the engine}
     *
     * @param other the other revision
     */
    public Job withDataOf(Job other) {
        return lacksData() && !other.lacksData() && hasSameDataAs(other) ? new Job(id, document, other.attached) : this;
    }

    /**
     * {@return this job with its data in its document, for readers of the document alone; other attachments stay stubs}
     *
     * @throws UnreadableDataException as {@link #data} does
     */
    public Job withInlineData() {
        if (!hasAttachedData()) {
            return this;
        }
        ObjectNode copy = document.deepCopy();
        AttachedData.putInline(copy, data());
        return new Job(id, copy, Attached.NOT_READ);
    }

    /**
     * {@return whether two revisions of a job have equal data, either both in the document or both attached; no I/O}
     *
     * @param other the other revision
     */
    public boolean hasSameDataAs(Job other) {
        return Objects.equals(document.get(Field.DATA), other.document.get(Field.DATA))
                && Objects.equals(document.get(Field.DATA_DIGEST), other.document.get(Field.DATA_DIGEST));
    }

    /** {@return a copy of the handler's result, if the job finished with a result} */
    public Optional<JsonNode> result() {
        return values.value(Field.RESULT).map(JsonNode::deepCopy);
    }

    /** {@return the lock, which names the owner; present if and only if the status is locked} */
    public Optional<Lock> lock() {
        return values.value(Field.LOCK).map(Lock::of);
    }

    /**
     * {@return whether a claim still owns the job: the lock has the claim's token, and the claim is not withdrawn}
     *
     * @param token the claim's token
     */
    public boolean isLockedBy(String token) {
        return lock().filter(lock -> lock.token().equals(token)).isPresent() && !isWithdrawn();
    }

    /** {@return whether the claim in the document is withdrawn, so that the job has no owner} */
    public boolean isWithdrawn() {
        return lock().flatMap(Lock::withdrawn).isPresent();
    }

    /** {@return the fence: a number that grows with every claim of this job; 0 before the first claim} */
    public long fence() {
        return values.number(Field.FENCE, 0);
    }

    /** {@return the earliest time of the run requested by a resubmit; the epoch when no time was given} */
    public Instant resubmittedTime() {
        return ScheduledTime.read(document.path(Field.RESUBMIT).path(Field.SCHEDULED_TIME));
    }

    /** {@return the number of runs that were started since the job was added or retried} */
    public int attempt() {
        return values.integer(Field.ATTEMPT, 0);
    }

    /** {@return the number of retries the creator allowed; when empty, the type's settings and the worker decide} */
    public OptionalInt maxRetries() {
        return values.value(Field.MAX_RETRIES)
                .map(JsonNode::asInt)
                .map(OptionalInt::of)
                .orElseGet(OptionalInt::empty);
    }

    /** {@return the number of leases of this job that expired} */
    public int expirations() {
        return values.integer(Field.EXPIRATIONS, 0);
    }

    /** {@return the number of failed runs so far: the runs that were started, without those whose lease expired} */
    public int failures() {
        return Math.max(0, attempt() - expirations());
    }

    /** {@return the most recent errors, newest last, at most {@link #MAX_ERRORS}} */
    public List<JobError> errors() {
        return values.list(Field.ERRORS, JobError::of);
    }

    /** {@return whether the job will run once more after its present run} */
    public boolean isResubmitted() {
        return values.value(Field.RESUBMIT).isPresent();
    }

    /** {@return whether the owner was asked to stop} */
    public boolean isCancelRequested() {
        return document.path(Field.CANCEL_REQUESTED).asBoolean(false);
    }

    /** {@return why the owner has been asked to stop, if the caller gave a reason} */
    public Optional<String> cancelReason() {
        return Optional.of(document.path(Field.CANCEL_REASON))
                .filter(reason -> isCancelRequested() && reason.isTextual())
                .map(JsonNode::textValue);
    }

    /** {@return the reason for the last retry, if the caller gave one; empty when the job was added again since} */
    public Optional<String> retryReason() {
        Instant retried = times().get("retried");
        boolean isOfThisLife = retried != null && !retried.isBefore(times().getOrDefault("created", Instant.EPOCH));
        return Optional.of(document.path(Field.RETRY_REASON))
                .filter(reason -> isOfThisLife && reason.isTextual())
                .map(JsonNode::textValue);
    }

    /** {@return the group for fair scheduling; empty string by default} */
    public String group() {
        return values.text(Field.GROUP).orElse("");
    }

    /** {@return the priority, 0 to 99; {@link #DEFAULT_PRIORITY} by default} */
    public int priority() {
        return values.integer(Field.PRIORITY, DEFAULT_PRIORITY);
    }

    /** {@return the class, by which workers may filter jobs} */
    public Optional<String> jobClass() {
        return values.text(Field.CLASS);
    }

    /** {@return the origin of the job, as its creator named it} */
    public Optional<String> origin() {
        return values.text(Field.ORIGIN);
    }

    /** {@return the correlation id that related jobs share; also empty when the document has an empty string} */
    public Optional<String> correlationId() {
        return values.text(Field.CORRELATION_ID).filter(id -> !id.isEmpty());
    }

    /** {@return the tracker: a key for which at most one unfinished job exists} */
    public Optional<String> tracker() {
        return values.text(Field.TRACKER);
    }

    /** {@return the trace context of the creator; empty when it is missing or unreadable} */
    public Optional<TraceContext> trace() {
        return TraceContext.of(document);
    }

    /** {@return the site at which the job runs; empty for a job without a site} */
    public Optional<String> site() {
        return values.text(Field.SITE);
    }

    /** {@return the tags, in the given order} */
    public List<String> tags() {
        return values.list(Field.TAGS, JsonNode::asText);
    }

    /** {@return the jobs that this job waits for; empty when it waits for none} */
    public Optional<After> after() {
        return values.value(Field.AFTER).map(After::of);
    }

    /** {@return whether the job can be claimed once its time has come: it is pending and waits for no other job} */
    public boolean isClaimable() {
        return phase() == JobPhase.PENDING && values.value(Field.AFTER).isEmpty();
    }

    /** {@return the progress of the present or last run, if it reported any} */
    public Optional<Progress> progress() {
        return values.value(Field.PROGRESS).map(Progress::of);
    }

    /** {@return the times of the transitions, by name: {@code created}, {@code claimed}, {@code started}, {@code finished}, ...} */
    public Map<String, Instant> times() {
        return values.times(Field.TIMES);
    }

    /** {@return when a waiting job became or will become claimable; the epoch when its document does not say} */
    public Instant dueSince() {
        Set<String> left =
                Set.of("claimed", "started", "updated", "cancelRequested", "kept"); // these make no job claimable
        return times().entrySet().stream()
                .filter(time -> !left.contains(time.getKey()))
                .map(Map.Entry::getValue)
                .reduce(scheduledTime(), (one, other) -> one.isAfter(other) ? one : other);
    }

    /** {@return a copy of the whole document, including unknown fields but without attached data, see {@link #withInlineData}} */
    public ObjectNode toDocument() {
        return document.deepCopy();
    }

    /** {@return the document itself, which must not be changed; for the engine} */
    public JsonNode document() {
        return document;
    }

    /**
     * {@return this job with one field replaced; for the engine}
     *
     * @param field the name of the field
     * @param value its new value
     */
    public Job with(String field, JsonNode value) {
        ObjectNode changed = shallow(document);
        changed.set(field, value);
        return rewritten(changed);
    }

    /** Makes a shallow copy: the values in a job's document never change, so revisions can share them. */
    static ObjectNode shallow(ObjectNode document) {
        return JobData.object().setAll(document);
    }

    /**
     * {@return the same job, stored with another revision}
     *
     * @param rev the revision from the server's answer
     */
    public Job withRev(String rev) {
        ObjectNode copy = shallow(document);
        copy.put(Field.REV, rev);
        AttachedData.stored(copy, rev);
        return new Job(id, copy, attached);
    }

    /**
     * {@return whether the documents of two revisions of a job are equal except for {@code _rev}}
     *
     * @param other the other revision
     */
    public boolean saysTheSameAs(Job other) {
        return sayTheSame(document, other.document);
    }

    /**
     * {@return whether two revisions of a document are equal except for {@code _rev}}
     *
     * @param one the one revision
     * @param other the other revision
     */
    public static boolean sayTheSame(ObjectNode one, ObjectNode other) {
        ObjectNode mine = AttachedData.comparable(shallow(one));
        ObjectNode theirs = AttachedData.comparable(shallow(other));
        mine.remove(Field.REV);
        theirs.remove(Field.REV);
        return mine.equals(JsonNumbers::compare, theirs);
    }

    @Override
    public String toString() {
        return id + " " + status().json() + rev().map(rev -> " " + rev).orElse("");
    }
}
