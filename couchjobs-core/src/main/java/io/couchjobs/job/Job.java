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
 * A job as one revision of its document says it is. Immutable and thread-safe.
 *
 * <p>The document itself is the value: fields that couchjobs does not know stay in it, so that they survive every write.
 */
public final class Job {
    /** The priority of a job that names none. */
    public static final int DEFAULT_PRIORITY = 50;
    /** A priority below the default. */
    public static final int LOW_PRIORITY = 25;
    /** A priority above the default. */
    public static final int HIGH_PRIORITY = 75;
    /** How many errors a job remembers. */
    public static final int MAX_ERRORS = 10;

    private final JobId id;
    private final ObjectNode document;
    private final FieldValues values;
    private final Attached attached;

    /** Data that is attached to the document, or why it is not at hand. */
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
     * Reads a job out of its document.
     *
     * @param document the document, with its {@code _id}; copied
     * @return the job
     * @throws MalformedDocumentException when the document cannot be a job
     */
    public static Job parse(JsonNode document) {
        return given(document.deepCopy());
    }

    /**
     * Reads a job out of its document, without a copy. For the engine.
     *
     * @param document the document, with its {@code _id}; from now on nobody changes it
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
     * {@return the job of a document that couchjobs itself made of a checked one}
     *
     * @param id the job
     * @param document the document, which the caller gives away
     */
    public static Job trusted(JobId id, ObjectNode document) {
        return new Job(id, document, Attached.NOT_READ);
    }

    /**
     * {@return the job with another document; where that has its data attached, it is the same data}
     *
     * @param changed the document, which the caller gives away
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

    /** {@return the revision of the document that the job was read from or stored as; empty for one that was not stored yet} */
    public Optional<String> rev() {
        return values.text(Field.REV);
    }

    /** {@return the status; a document without one is waiting} */
    public JobStatus status() {
        return values.text(Field.STATUS).flatMap(JobStatus::fromJson).orElse(JobStatus.WAITING);
    }

    /** {@return the status in the words of the RFC} */
    public JobPhase phase() {
        return status().phase();
    }

    /**
     * {@return the time before which the job must not run, also where others wrote it in seconds; the epoch for a job that is due
     *     at once}
     */
    public Instant scheduledTime() {
        return ScheduledTime.read(document.path(Field.SCHEDULED_TIME));
    }

    /**
     * The creator's input. No I/O. Large data is attached to the document ({@link AttachedData}) and must have been read: handlers
     * and {@code JobQueue.get} have it. Jobs of lists, filters, listeners and changes come without it: {@code
     * JobQueue.withData(job)} reads it.
     *
     * @return a copy; an empty object when the document has none
     * @throws UnreadableDataException when it is attached and was not read; or it was damaged; or it was replaced or removed
     *     since, and the revision that had it was compacted away
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
     * The creator's input, bound to what its type says; see {@link #data()}.
     *
     * @param type the type of the job
     * @param <T> what the data is
     * @return the bound data
     * @throws InvalidJobDataException when the data does not fit
     */
    public <T> T data(JobType<T> type) {
        return type.bind(data());
    }

    /** The data that the document has, not copied; null for none. */
    @Nullable
    ObjectNode inlineData() {
        return document.get(Field.DATA) instanceof ObjectNode data ? data : null;
    }

    /** {@return whether the data is attached to the document, and not in it} */
    public boolean hasAttachedData() {
        return AttachedData.isIn(document);
    }

    /** {@return whether {@link #data} throws, because attached data was not read or could not be; for the engine} */
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
     * {@return this job with the attached data of another revision, if that was read and is the same; for the engine}
     *
     * @param other the other revision
     */
    public Job withDataOf(Job other) {
        return lacksData() && !other.lacksData() && hasSameDataAs(other) ? new Job(id, document, other.attached) : this;
    }

    /**
     * {@return this job with its data in its document, for a reader that has only the document; other attachments stay stubs}
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
     * {@return whether two revisions of a job have equal data, both in their documents or both attached; no I/O}
     *
     * @param other the other revision
     */
    public boolean hasSameDataAs(Job other) {
        return Objects.equals(document.get(Field.DATA), other.document.get(Field.DATA))
                && Objects.equals(document.get(Field.DATA_DIGEST), other.document.get(Field.DATA_DIGEST));
    }

    /** {@return a copy of the handler's result, if the job has finished with one} */
    public Optional<JsonNode> result() {
        return values.value(Field.RESULT).map(JsonNode::deepCopy);
    }

    /** {@return the lock, which names the owner; present exactly when the status is locked} */
    public Optional<Lock> lock() {
        return values.value(Field.LOCK).map(Lock::of);
    }

    /**
     * {@return whether a claim still owns the job: it is locked with the claim's token, and the claim was not withdrawn}
     *
     * @param token the claim's token
     */
    public boolean isLockedBy(String token) {
        return lock().filter(lock -> lock.token().equals(token)).isPresent() && !isWithdrawn();
    }

    /** {@return whether the document carries a claim that does not count and makes no owner} */
    public boolean isWithdrawn() {
        return lock().flatMap(Lock::withdrawn).isPresent();
    }

    /** {@return a number that grows with every claim of this job; 0 before the first} */
    public long fence() {
        return values.number(Field.FENCE, 0);
    }

    /** {@return when the requested run is to begin at the earliest; the epoch when no time was given} */
    public Instant resubmittedTime() {
        return ScheduledTime.read(document.path(Field.RESUBMIT).path(Field.SCHEDULED_TIME));
    }

    /** {@return how many runs were started since the job was added or retried} */
    public int attempt() {
        return values.integer(Field.ATTEMPT, 0);
    }

    /** {@return how many retries the creator allowed; empty leaves it to the type's settings and the worker} */
    public OptionalInt maxRetries() {
        return values.value(Field.MAX_RETRIES)
                .map(JsonNode::asInt)
                .map(OptionalInt::of)
                .orElseGet(OptionalInt::empty);
    }

    /** {@return how many leases of this job ran out} */
    public int expirations() {
        return values.integer(Field.EXPIRATIONS, 0);
    }

    /** {@return the runs that failed so far: those that were started and did not end by an expired lease} */
    public int failures() {
        return Math.max(0, attempt() - expirations());
    }

    /** {@return the newest errors, newest last, at most {@link #MAX_ERRORS}} */
    public List<JobError> errors() {
        return values.list(Field.ERRORS, JobError::of);
    }

    /** {@return whether the job will be enqueued once more when its present run ends} */
    public boolean isResubmitted() {
        return values.value(Field.RESUBMIT).isPresent();
    }

    /** {@return whether the owner was asked to stop} */
    public boolean isCancelRequested() {
        return document.path(Field.CANCEL_REQUESTED).asBoolean(false);
    }

    /** {@return why the owner has been asked to stop, where the caller said so} */
    public Optional<String> cancelReason() {
        return Optional.of(document.path(Field.CANCEL_REASON))
                .filter(reason -> isCancelRequested() && reason.isTextual())
                .map(JsonNode::textValue);
    }

    /** {@return a caller's reason for letting the job run again; empty without one, or when the job was added again since} */
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

    /** {@return the class that workers may filter on} */
    public Optional<String> jobClass() {
        return values.text(Field.CLASS);
    }

    /** {@return the origin of the job, as its creator named it} */
    public Optional<String> origin() {
        return values.text(Field.ORIGIN);
    }

    /** {@return the id that jobs which belong together share; empty also when others wrote an empty string} */
    public Optional<String> correlationId() {
        return values.text(Field.CORRELATION_ID).filter(id -> !id.isEmpty());
    }

    /** {@return the key under which at most one unfinished job exists} */
    public Optional<String> tracker() {
        return values.text(Field.TRACKER);
    }

    /** {@return the trace that the creator was in; empty when there is none that can be read} */
    public Optional<TraceContext> trace() {
        return TraceContext.of(document);
    }

    /** {@return the site at which the job is run; empty for a job that carries none} */
    public Optional<String> site() {
        return values.text(Field.SITE);
    }

    /** {@return the labels, in the order given} */
    public List<String> tags() {
        return values.list(Field.TAGS, JsonNode::asText);
    }

    /** {@return the jobs that must finish before this one can be claimed; empty when it waits for none} */
    public Optional<After> after() {
        return values.value(Field.AFTER).map(After::of);
    }

    /** {@return whether a worker may claim the job when its time has come: it is pending and waits for no other job} */
    public boolean isClaimable() {
        return phase() == JobPhase.PENDING && values.value(Field.AFTER).isEmpty();
    }

    /** {@return how far the present or last run has come, if it said so} */
    public Optional<Progress> progress() {
        return values.value(Field.PROGRESS).map(Progress::of);
    }

    /** {@return when which transition happened: {@code created}, {@code claimed}, {@code started}, {@code finished}, ...} */
    public Map<String, Instant> times() {
        return values.times(Field.TIMES);
    }

    /** {@return when a waiting job became claimable, or will; the epoch when its document does not say} */
    public Instant dueSince() {
        Set<String> left =
                Set.of("claimed", "started", "updated", "cancelRequested", "kept"); // they made no job claimable
        return times().entrySet().stream()
                .filter(time -> !left.contains(time.getKey()))
                .map(Map.Entry::getValue)
                .reduce(scheduledTime(), (one, other) -> one.isAfter(other) ? one : other);
    }

    /** {@return a copy of the whole document, unknown fields and all; attached data is not in it, see {@link #withInlineData}} */
    public ObjectNode toDocument() {
        return document.deepCopy();
    }

    /** {@return the document itself, which nobody changes; for the engine} */
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

    /** The values in a job's document are never changed, so that revisions can share them. */
    static ObjectNode shallow(ObjectNode document) {
        return JobData.object().setAll(document);
    }

    /**
     * {@return the same job as stored under another revision}
     *
     * @param rev the revision that the server answered
     */
    public Job withRev(String rev) {
        ObjectNode copy = shallow(document);
        copy.put(Field.REV, rev);
        AttachedData.stored(copy, rev);
        return new Job(id, copy, attached);
    }

    /**
     * {@return whether two revisions of a job say the same: their documents are equal except for {@code _rev}}
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
