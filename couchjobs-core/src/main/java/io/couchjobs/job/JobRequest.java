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
 * A request to create a job. Immutable and thread-safe; created by {@link #of} or {@link #builder}. Defaults: a random id, due
 * immediately, priority {@value Job#DEFAULT_PRIORITY}, no group, and the retries from the type's settings.
 */
public final class JobRequest {
    private static final String TRACKER_ID = "tracker:";
    /** The fields that a job loses when it is added again without them. A job that is added again without a site keeps its site. */
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
     * {@return a request with data and default values}
     *
     * @param type the type
     * @param data a record, bean, map or JSON object
     * @throws InvalidJobDataException when the data is not a JSON object
     */
    public static JobRequest of(String type, Object data) {
        return builder(type).data(data).build();
    }

    /**
     * {@return a request with data, the defaults of the type, and default values otherwise}
     *
     * @param type the type
     * @param data the data
     * @param <T> the type of the data
     * @throws InvalidJobDataException when the data does not become a JSON object
     */
    public static <T> JobRequest of(JobType<T> type, T data) {
        return builder(type, data).build();
    }

    /**
     * {@return a new builder with data and the defaults of the type}
     *
     * @param type the type
     * @param data the data
     * @param <T> the type of the data
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

    /** {@return the identity of the requested job} */
    public JobId id() {
        return id;
    }

    /** {@return a copy of the data} */
    public ObjectNode data() {
        return data.deepCopy();
    }

    /** {@return an upper bound for the number of characters of the data as JSON} */
    public long dataLength() {
        return JsonLength.characters(data);
    }

    /** {@return the time before which the job must not run} */
    public Instant scheduledTime() {
        return scheduledTime;
    }

    /** {@return the tracker: a key for which at most one unfinished job may exist} */
    public Optional<String> tracker() {
        return rest.text(Field.TRACKER);
    }

    /** {@return the jobs that the job waits for; usually empty} */
    public Set<JobId> awaited() {
        return Set.copyOf(rest.after);
    }

    /** {@return the class, by which workers and scopes may filter jobs} */
    public Optional<String> jobClass() {
        return rest.text(Field.CLASS);
    }

    /** {@return the site that runs the job; empty for the site where the job is created} */
    public Optional<String> site() {
        return rest.text(Field.SITE);
    }

    /** {@return the correlation id that the job shares with related jobs} */
    public Optional<String> correlationId() {
        return rest.text(Field.CORRELATION_ID);
    }

    /**
     * {@return the same request, with the same id, as a job of another type}
     *
     * @param type the other type
     * @param correlationId the correlation id that the job shares with related jobs
     */
    public JobRequest as(String type, String correlationId) {
        return changed(type, builder -> builder.correlationId(correlationId));
    }

    /**
     * {@return the same request, waiting for additional jobs}
     *
     * @param jobs the additional jobs
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
     * Returns the creation time to store in the job. If couchjobs generated the id, this is the time of the first call since the
     * job was last stored. So a creator that got no answer and adds the request again writes the same bytes, and CouchDB stores the
     * same revision. Different bytes could create a second job with that id on a cluster.
     *
     * @param now the present time
     * @return the time to write
     */
    public Instant firstTried(Instant now) {
        return id.isRandom() ? firstTry.updateAndGet(first -> first == null ? now : first) : now;
    }

    /** Notes that the job is stored. A later add of this request gets a new creation time. */
    public void stored() {
        firstTry.set(null);
    }

    /** {@return the trace that the job belongs to} */
    public Optional<TraceContext> trace() {
        return Optional.ofNullable(trace.get());
    }

    /**
     * Returns the same request as part of a trace, unless it is already part of one. If couchjobs generated the id, this request
     * itself is changed, so that adding it again writes the same bytes; see {@link #firstTried}.
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
     * Writes the properties of this request into a job document.
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
         * {@return this builder, with an id for the job; the default is a random UUID}
         *
         * @param newId the id, unique within the type
         */
        public Builder id(String newId) {
            this.id = newId;
            return this;
        }

        /**
         * {@return this builder, with the data of the job} Required.
         *
         * @param newData a record, bean, map or JSON object
         */
        public Builder data(Object newData) {
            this.data = newData;
            return this;
        }

        /**
         * {@return this builder, with the time that the job waits for}
         *
         * @param time the earliest time to run; the default is the epoch. Any time before 1973-03-03 means immediately, because
         *     such a number of milliseconds in a document would be read as seconds
         */
        public Builder scheduledTime(Instant time) {
            this.scheduledTime = time;
            return this;
        }

        /**
         * {@return this builder, with a group for the job; workers may serve the groups in turn}
         *
         * @param newGroup the group
         */
        public Builder group(String newGroup) {
            return with(Field.GROUP, TextNode.valueOf(newGroup));
        }

        /**
         * {@return this builder, with a priority}
         *
         * @param newPriority the priority, from 0 (lowest) to 99
         */
        public Builder priority(int newPriority) {
            return with(Field.PRIORITY, IntNode.valueOf(newPriority));
        }

        /**
         * {@return this builder, with the number of retries after the first run, which overrides the type's setting}
         *
         * @param retries 0 or more
         */
        public Builder maxRetries(int retries) {
            return with(Field.MAX_RETRIES, IntNode.valueOf(retries));
        }

        /**
         * {@return this builder, with a class, by which workers may filter jobs}
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
         * {@return this builder, with a correlation id, which related jobs share}
         *
         * @param id the correlation id, not empty
         */
        public Builder correlationId(String id) {
            return with(Field.CORRELATION_ID, TextNode.valueOf(id));
        }

        /**
         * {@return this builder, with a tracker: a key for which at most one unfinished job can exist} The job's id is derived from
         * the key, so an id must not be set as well.
         *
         * @param key the key
         */
        public Builder tracker(String key) {
            return with(Field.TRACKER, TextNode.valueOf(key));
        }

        /**
         * {@return this builder, with the site that runs the job, among several databases that replicate to each other} Adding a
         * pending job again with another site moves it there.
         *
         * @param name the site; the default is the site where the job is created
         */
        public Builder site(String name) {
            return with(Field.SITE, TextNode.valueOf(name));
        }

        /**
         * {@return this builder, for a job whose runs are part of a trace} A queue with tracing sets the trace by itself.
         *
         * @param context the trace
         */
        public Builder trace(TraceContext context) {
            this.trace = context;
            return this;
        }

        /**
         * {@return this builder, with an additional tag}
         *
         * @param tag the tag; null adds none
         */
        public Builder tag(@Nullable String tag) {
            if (tag != null) {
                this.tags.add(tag);
            }
            return this;
        }

        /**
         * {@return this builder, for a job that is held until another job has succeeded} May be called several times; the job then
         * waits for all given jobs.
         *
         * @param job the other job; it may be added later
         */
        public Builder after(JobId job) {
            this.after.add(job);
            return this;
        }

        /**
         * {@return this builder, with the policy for the case that an awaited job fails, is cancelled or is removed}
         *
         * @param policy the policy; the default is {@link After.OnFailure#CANCEL}
         */
        public Builder onFailure(After.OnFailure policy) {
            this.onFailure = policy;
            return this;
        }

        /**
         * Validates all properties and creates the request.
         *
         * @return the request
         * @throws IllegalArgumentException when a field is invalid; the message names every invalid field and its value
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
