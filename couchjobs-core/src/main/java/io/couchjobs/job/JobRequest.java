package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.FieldValues;
import io.couchjobs.engine.document.JsonLength;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job as its creator asks for it. Immutable and thread-safe; made by {@link #of} or {@link #builder}. Defaults: a random
 * id, due at once, priority {@value Job#DEFAULT_PRIORITY}, no group, as many retries as the type's settings say.
 */
public final class JobRequest {
    private static final String TRACKER_ID = "tracker:";
    /** A job that is added again without one of these loses it. Without a site it stays where it is. */
    private static final List<String> REPLACED = List.of(
            Field.GROUP,
            Field.CLASS,
            Field.ORIGIN,
            Field.CORRELATION_ID,
            Field.TRACKER,
            Field.PRIORITY,
            Field.MAX_RETRIES);

    private final JobId id;
    private final ObjectNode data;
    private final Instant scheduledTime;
    private final Builder rest;
    private final AtomicReference<Instant> firstTry = new AtomicReference<>();
    private final AtomicReference<@Nullable TraceContext> trace = new AtomicReference<>();

    private JobRequest(Builder builder) {
        this.rest = builder.copy(builder.type);
        this.data = JobData.of(builder.data);
        this.scheduledTime = Instant.ofEpochMilli(ScheduledTime.nearestMillis(builder.scheduledTime));
        this.id = identity(builder);
        trace.set(builder.trace);
    }

    /**
     * {@return a request with nothing but data}
     *
     * @param type the type
     * @param data a record, bean, map or JSON object
     * @throws InvalidJobDataException when the data is not a JSON object
     */
    public static JobRequest of(String type, Object data) {
        return builder(type).data(data).build();
    }

    /**
     * {@return a request with nothing but data, and what the type itself says}
     *
     * @param type the type
     * @param data the data
     * @param <T> what the data is
     * @throws InvalidJobDataException when the data does not become a JSON object
     */
    public static <T> JobRequest of(JobType<T> type, T data) {
        return builder(type, data).build();
    }

    /**
     * {@return a new builder with data, and what the type itself says}
     *
     * @param type the type
     * @param data the data
     * @param <T> what the data is
     */
    public static <T> Builder builder(JobType<T> type, T data) {
        Builder builder = new Builder(type.name()).data(data);
        type.priority().ifPresent(builder::priority);
        type.maxRetries().ifPresent(builder::maxRetries);
        return builder;
    }

    /**
     * {@return a new builder}
     *
     * @param type the type
     */
    public static Builder builder(String type) {
        return new Builder(type);
    }

    /** {@return the identity of the job asked for} */
    public JobId id() {
        return id;
    }

    /** {@return a copy of the data} */
    public ObjectNode data() {
        return data.deepCopy();
    }

    /** {@return how many characters the data has as JSON, at most} */
    public long dataLength() {
        return JsonLength.characters(data);
    }

    /** {@return the time before which the job must not run} */
    public Instant scheduledTime() {
        return scheduledTime;
    }

    /** {@return the key under which at most one unfinished job may exist} */
    public Optional<String> tracker() {
        return rest.text(Field.TRACKER);
    }

    /** {@return the jobs that it waits for; none as a rule} */
    public Set<JobId> awaited() {
        return Set.copyOf(rest.after);
    }

    /** {@return the class that workers and scopes may filter on} */
    public Optional<String> jobClass() {
        return rest.text(Field.CLASS);
    }

    /** {@return the site that the job is to be run at; empty for the one where it is created} */
    public Optional<String> site() {
        return rest.text(Field.SITE);
    }

    /** {@return the id that the job shares with the jobs that belong to it} */
    public Optional<String> correlationId() {
        return rest.text(Field.CORRELATION_ID);
    }

    /**
     * {@return the same request, with the same id, as a job of another type}
     *
     * @param type the other type
     * @param correlationId the id that the job shares with the jobs that belong to it
     */
    public JobRequest as(String type, String correlationId) {
        return changed(type, builder -> builder.correlationId(correlationId));
    }

    /**
     * {@return the same request, held until other jobs are finished too}
     *
     * @param jobs the other jobs
     * @throws IllegalArgumentException when there are more than {@value After#MOST}
     */
    public JobRequest after(Collection<JobId> jobs) {
        return changed(id.type(), builder -> builder.after.addAll(jobs));
    }

    private JobRequest changed(String type, Consumer<Builder> change) {
        Builder changed = rest.copy(type);
        changed.id = tracker().isPresent() ? null : id.id();
        changed.data = data;
        changed.scheduledTime = scheduledTime;
        change.accept(changed);
        return changed.build();
    }

    /**
     * The creation time that the job will state: with an id that couchjobs made, the time of the first call since it was last stored. Then a creator that got
     * no answer and adds the request again writes the same bytes, and CouchDB stores the same revision. With other bytes a cluster
     * could get a second job of that id.
     *
     * @param now the time
     * @return the time to be written
     */
    public Instant firstTried(Instant now) {
        return id.isRandom() ? firstTry.updateAndGet(first -> first == null ? now : first) : now;
    }

    /** Ends the first try: the job is stored. A later add of this request states a creation time of its own. */
    public void stored() {
        firstTry.set(null);
    }

    /** {@return the trace that the job is to belong to} */
    public Optional<TraceContext> trace() {
        return Optional.ofNullable(trace.get());
    }

    /**
     * The same request as part of a trace, unless it is part of one already. A request with an id that couchjobs made is changed
     * itself, so that adding it again writes the same bytes; see {@link #firstTried}.
     *
     * @param context the trace
     * @return the request
     */
    public JobRequest tracedBy(TraceContext context) {
        if (id.isRandom()) {
            trace.compareAndSet(null, context);
            return this;
        }
        return trace.get() == null ? changed(id.type(), builder -> builder.trace = context) : this;
    }

    /**
     * Writes the creator's decisions into a job document.
     *
     * @param document the document, which is changed
     */
    public void writeTo(ObjectNode document) {
        document.put(Field.SCHEDULED_TIME, scheduledTime.toEpochMilli());
        AttachedData.putInline(document, data.deepCopy());
        document.remove(REPLACED);
        document.setAll(rest.fields);
        TraceContext.write(trace.get(), document);
        document.remove(Field.AFTER);
        if (!rest.after.isEmpty()) {
            document.set(Field.AFTER, new After(rest.after, rest.onFailure).toJson());
        }
        document.remove(Field.TAGS);
        if (!rest.tags.isEmpty()) {
            rest.tags.forEach(document.putArray(Field.TAGS)::add);
        }
    }

    @Override
    public String toString() {
        return "JobRequest[" + id + "]";
    }

    private static JobId identity(Builder builder) {
        String id = builder.text(Field.TRACKER).map(TRACKER_ID::concat).orElse(builder.id);
        return id == null ? JobId.random(builder.type) : new JobId(builder.type, id);
    }

    /** Collects the properties of a job. Not thread-safe. */
    public static final class Builder {
        private final String type;
        private @Nullable String id;
        private @Nullable Object data;
        private Instant scheduledTime = Instant.EPOCH;
        private final ObjectNode fields = JobData.object();
        private @Nullable TraceContext trace;
        private final List<String> tags = new ArrayList<>();
        private final Set<JobId> after = new LinkedHashSet<>();
        private After.OnFailure onFailure = After.OnFailure.CANCEL;

        private Builder(String type) {
            this.type = type;
        }

        /**
         * {@return this builder, with an id for the job; default: a random UUID}
         *
         * @param newId unique within the type
         */
        public Builder id(String newId) {
            this.id = newId;
            return this;
        }

        /**
         * {@return this builder, with the input of the job} Required.
         *
         * @param newData a record, bean, map or JSON object
         */
        public Builder data(Object newData) {
            this.data = newData;
            return this;
        }

        /**
         * {@return this builder, with a time for which the job waits}
         *
         * @param time not before this time; the epoch, the default, is at once, and so is any other time before 1973-03-03: in a
         *     document, such a number of milliseconds would be read as one of seconds
         */
        public Builder scheduledTime(Instant time) {
            this.scheduledTime = time;
            return this;
        }

        /**
         * {@return this builder, with a group for the job; workers may serve groups in turn}
         *
         * @param newGroup the group
         */
        public Builder group(String newGroup) {
            return with(Field.GROUP, TextNode.valueOf(newGroup));
        }

        /**
         * {@return this builder, with this priority}
         *
         * @param newPriority 0 (least) to 99
         */
        public Builder priority(int newPriority) {
            return with(Field.PRIORITY, IntNode.valueOf(newPriority));
        }

        /**
         * {@return this builder, with the number of retries that follow the first run, in place of the type's setting}
         *
         * @param retries 0 or more
         */
        public Builder maxRetries(int retries) {
            return with(Field.MAX_RETRIES, IntNode.valueOf(retries));
        }

        /**
         * {@return this builder, with a class, which workers may filter on}
         *
         * @param newClass the class
         */
        public Builder jobClass(String newClass) {
            return with(Field.CLASS, TextNode.valueOf(newClass));
        }

        /**
         * {@return this builder, with the origin of the job}
         *
         * @param newOrigin the origin, such as a user or a program
         */
        public Builder origin(String newOrigin) {
            return with(Field.ORIGIN, TextNode.valueOf(newOrigin));
        }

        /**
         * {@return this builder, with a mark of jobs that belong together}
         *
         * @param id the id that they share, not empty
         */
        public Builder correlationId(String id) {
            return with(Field.CORRELATION_ID, TextNode.valueOf(id));
        }

        /**
         * {@return this builder, with a key, of which there is at most one unfinished job} The job's id is derived from it,
         * so an id must not be given too.
         *
         * @param key the key
         */
        public Builder tracker(String key) {
            return with(Field.TRACKER, TextNode.valueOf(key));
        }

        /**
         * {@return this builder, with the database that is to run the job, among several that replicate to each other} Adding
         * a pending job again with a site moves it there.
         *
         * @param name the site; default: the one where the job is created
         */
        public Builder site(String name) {
            return with(Field.SITE, TextNode.valueOf(name));
        }

        /**
         * {@return this builder, for a job whose runs are part of a trace} A queue with tracing does it by itself.
         *
         * @param context the trace
         */
        public Builder trace(TraceContext context) {
            this.trace = context;
            return this;
        }

        /**
         * {@return this builder, with one more label}
         *
         * @param tag the label; null adds none
         */
        public Builder tag(@Nullable String tag) {
            if (tag != null) {
                this.tags.add(tag);
            }
            return this;
        }

        /**
         * {@return this builder, for a job that is held until another one has succeeded} May be called many times; the job
         * then waits for all of them.
         *
         * @param job the other job; it may be added later
         */
        public Builder after(JobId job) {
            this.after.add(job);
            return this;
        }

        /**
         * {@return this builder, with the fate of the job when one that it waits for fails, is cancelled or removed}
         *
         * @param policy default {@link After.OnFailure#CANCEL}
         */
        public Builder onFailure(After.OnFailure policy) {
            this.onFailure = policy;
            return this;
        }

        /**
         * Checks all that was given.
         *
         * @return the request
         * @throws IllegalArgumentException naming every field that is wrong, and its value
         * @throws InvalidJobDataException when the data is missing or is not a JSON object
         */
        public JobRequest build() {
            List<String> problems = Schema.requestProblems(id, new FieldValues(fields), after.size(), scheduledTime);
            if (after.stream().anyMatch(Objects::isNull)) {
                problems.add("after must name jobs: null");
            } else if (after.stream()
                    .anyMatch(job -> job.type().equals(type) && job.id().equals(id))) {
                problems.add("after must name other jobs: " + id);
            }
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", problems));
            }
            return new JobRequest(this);
        }

        private Builder with(String field, @Nullable JsonNode value) {
            fields.remove(field);
            if (value != null) {
                fields.set(field, value);
            }
            return this;
        }

        private Optional<String> text(String field) {
            return new FieldValues(fields).text(field);
        }

        private Builder copy(String ofType) {
            Builder copy = new Builder(ofType);
            copy.fields.setAll(fields);
            copy.trace = trace;
            copy.tags.addAll(tags);
            copy.after.addAll(after);
            copy.onFailure = onFailure;
            return copy;
        }
    }
}
