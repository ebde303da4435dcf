package io.couchjobs.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A rule that makes jobs from changes of documents. It says which databases and which changes it takes, and which jobs it makes
 * from them. Built by {@link TriggerBuilder} and stored in a document {@code trigger:NAME}. Immutable and thread-safe.
 */
public final class Trigger {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final String name;
    private final ObjectNode document;
    private final TriggerOptions options;

    /** Whether a trigger makes one job per document or one job per revision. Immutable and thread-safe. */
    public enum Delivery {
        /** One job per document. If the document changes after its job started, the job runs again. The default. */
        LATEST,
        /**
         * One job per revision that the changes feed shows. The feed leaves out revisions that were replaced before it was read.
         */
        EVERY
    }

    /** How a trigger treats deletions of documents. Immutable and thread-safe. */
    public enum Deletions {
        /** Deletions make jobs, as other changes do. The default. */
        INCLUDE,
        /** Deletions make no jobs. */
        EXCLUDE,
        /** Only deletions make jobs. */
        ONLY
    }

    /**
     * The limits of a batch, which makes one job from several changes. Immutable and thread-safe.
     *
     * @param size the maximum number of changes, 1 to 1,000
     * @param patience how long the first change waits for further changes
     */
    public record Batch(int size, Duration patience) {}

    private Trigger(String name, ObjectNode document, TriggerOptions options) {
        this.name = name;
        this.document = document;
        this.options = options;
    }

    /**
     * Reads a trigger's document.
     *
     * @param document the document
     * @return the trigger
     * @throws MalformedDocumentException when a field is wrong; the message names the field and its value
     */
    public static Trigger parse(ObjectNode document) {
        String name = nameOf(document.path("_id").asText());
        try {
            ObjectNode own = document.deepCopy();
            return new Trigger(checkName(name), own, new TriggerOptions(name, own));
        } catch (IllegalArgumentException wrong) {
            throw new MalformedDocumentException("trigger " + name + " makes no jobs: " + wrong.getMessage());
        }
    }

    /**
     * Starts to build a trigger.
     *
     * @param name the trigger's name: 1 to 64 letters (a to z), digits, dots, underscores and hyphens; the first is a letter or a
     *     digit
     * @return a builder
     */
    public static TriggerBuilder named(String name) {
        return new TriggerBuilder(name);
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return the name of the followed database, or a pattern in which {@code *} stands for any characters} */
    public String source() {
        return options.source;
    }

    /** {@return whether {@link #source} is a pattern} */
    public boolean isPattern() {
        return options.source.contains("*");
    }

    /**
     * {@return whether the trigger follows a database; a pattern matches CouchDB's own databases, such as {@code _users}, only if
     * it begins with an underscore}
     *
     * @param database the name of the database
     */
    public boolean follows(String database) {
        boolean isMeant = !database.startsWith("_") || options.source.startsWith("_");
        return isMeant && Pattern.matches(Pattern.quote(options.source).replace("*", "\\E.*\\Q"), database);
    }

    /** {@return the name of the connection to the server of the source; empty for the queue's own server} */
    public Optional<String> connection() {
        return options.connection;
    }

    /** {@return the Mango selector of the documents; empty for all documents} */
    public Optional<ObjectNode> selector() {
        return options.selector.map(ObjectNode::deepCopy);
    }

    /** {@return whether the trigger makes one job per document or one job per revision} */
    public Delivery delivery() {
        return options.delivery;
    }

    /** {@return where the trigger starts: {@code now}, {@code beginning}, or a position of the source's feed} */
    public String from() {
        return options.from;
    }

    /** {@return the limits of a batch; empty when each change makes its own job} */
    public Optional<Batch> batch() {
        return options.batch;
    }

    /** {@return the times at which the trigger catches up with the changes; empty when it follows them continuously} */
    public Optional<Timing.Cron> period() {
        return options.period;
    }

    /** {@return how long a document must stay unchanged before its job may run} */
    public Duration debounce() {
        return options.debounce;
    }

    /** {@return what the trigger does with an outbox entry whose job was made; empty when it reads no outbox} */
    public Optional<Outbox.Entries> outbox() {
        return options.outbox;
    }

    /**
     * {@return the field of the source document into which the trigger writes how the job ended; empty when it writes nothing back}
     */
    public Optional<JsonPointer> writeBack() {
        return options.writeBack;
    }

    /** {@return the type of the jobs; empty for an outbox, whose entries name their own types} */
    public Optional<String> type() {
        return options.job.map(JobPattern::type);
    }

    /** {@return whether the trigger makes jobs; false while it is paused} */
    public boolean isEnabled() {
        return options.enabled;
    }

    /** {@return the site at which the trigger is followed; empty when the trigger has no site} */
    public Optional<String> site() {
        return options.site;
    }

    /** {@return whether the trigger needs the documents themselves, not only their ids} */
    public boolean needsDocuments() {
        return options.ignoreOwn.isPresent()
                || options.outbox.isPresent()
                || options.writeBack.isPresent()
                || options.job.filter(JobPattern::needsDocument).isPresent();
    }

    /** {@return whether a template contains the position of the change} */
    public boolean needsPositions() {
        return options.job.filter(JobPattern::needsPosition).isPresent();
    }

    /** {@return the document, as it is stored} */
    public ObjectNode toDocument() {
        return document.deepCopy();
    }

    /**
     * {@return why a change makes no job, without regard to the selector; empty when it makes one}
     *
     * @param change the change
     */
    public Optional<String> leftOut(SourceChange change) {
        if (change.id().startsWith("_design/") && !options.designDocs) {
            return Optional.of("it is a design document");
        } else if (!options.prefixes.isEmpty() && options.prefixes.stream().noneMatch(change.id()::startsWith)) {
            return Optional.of("its id begins with none of " + String.join(", ", options.prefixes));
        } else if (change.deleted() ? options.deletions == Deletions.EXCLUDE : options.deletions == Deletions.ONLY) {
            return Optional.of(change.deleted() ? "it is deleted" : "it is not deleted");
        }
        return change.read().flatMap(this::own);
    }

    private Optional<String> own(ObjectNode changed) {
        return options.ignoreOwn
                .filter(mark -> changed.at(mark).asText().equals(name))
                .map(mark -> "its field " + mark + " says that this trigger's job wrote it")
                .or(() -> options.writeBack
                        .filter(place -> WriteBack.isOwn(changed, place, name, 0))
                        .map(place -> "the trigger itself wrote the end of a job into it"));
    }

    /**
     * Returns the jobs that a change makes, without regard to the selector.
     *
     * @param change the change, with its document if that is {@linkplain #needsDocuments needed}
     * @param suffix the suffix of the job ids; not empty after a replay, which makes new jobs
     * @param now the current time
     * @return the plan
     */
    public Plan plan(SourceChange change, String suffix, Instant now) {
        Optional<String> why = leftOut(change);
        if (why.isPresent()) {
            return Plan.leftOut(why.get());
        }
        Duration wait = options.delay.plus(options.debounce);
        Instant time = wait.isZero() ? Instant.EPOCH : now.plus(wait);
        try {
            return options.outbox.isPresent()
                    ? entries(change)
                    : one(options.job.orElseThrow().job(change, suffix, time));
        } catch (IllegalArgumentException | InvalidJobDataException wrong) {
            return new Plan(List.of(), List.of(String.valueOf(wrong.getMessage())), Optional.empty());
        }
    }

    private static Plan one(JobRequest request) {
        return new Plan(List.of(request), List.of(), Optional.empty());
    }

    private Plan entries(SourceChange change) {
        Optional<ObjectNode> read = change.read().filter(found -> !change.deleted());
        if (read.isEmpty() || !read.get().has(Outbox.FIELD)) {
            return Plan.leftOut("it has no field " + Outbox.FIELD);
        }
        List<JobRequest> jobs = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Outbox.Entry entry : Outbox.entries(Outbox.name(isPattern(), change), read.get())) {
            try {
                jobs.add(Outbox.job(entry, docId(name)));
            } catch (IllegalArgumentException | InvalidJobDataException wrong) {
                problems.add(String.valueOf(wrong.getMessage()));
            }
        }
        return new Plan(jobs, problems, Optional.empty());
    }

    /**
     * Returns the job that a batch of changes makes; see {@link #batch()}.
     *
     * @param changes at least one change, none of which is {@linkplain #leftOut left out}
     * @param key a text that identifies the batch; the id of the job is derived from it
     * @param now the current time
     * @return the plan
     */
    public Plan planBatch(List<SourceChange> changes, String key, Instant now) {
        try {
            return one(options.job
                    .orElseThrow()
                    .batch(
                            changes.get(0).database(),
                            changes,
                            key,
                            options.delay.isZero() ? Instant.EPOCH : now.plus(options.delay)));
        } catch (IllegalArgumentException | InvalidJobDataException wrong) {
            return new Plan(List.of(), List.of(String.valueOf(wrong.getMessage())), Optional.empty());
        }
    }

    /**
     * {@return the id of the document of a trigger}
     *
     * @param name the trigger's name
     */
    public static String docId(String name) {
        return DocIds.TRIGGER + name;
    }

    /**
     * {@return the name of the trigger that a document describes}
     *
     * @param docId the id of the document
     */
    public static String nameOf(String docId) {
        return docId.startsWith(DocIds.TRIGGER) ? docId.substring(DocIds.TRIGGER.length()) : docId;
    }

    static String checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a trigger is 1 to 64 letters (a to z), digits, dots, underscores and hyphens, and begins with"
                            + " a letter or a digit, not \"" + name + "\"");
        }
        return name;
    }

    @Override
    public String toString() {
        return "Trigger[" + name + ", " + options.source + (options.enabled ? "]" : ", paused]");
    }

    /**
     * The jobs that a trigger makes from a change. Immutable and thread-safe.
     *
     * @param jobs the jobs; empty when the change is left out, or when no job could be made
     * @param problems messages about jobs that could not be made
     * @param leftOut why the trigger leaves the change out; empty when it does not
     */
    public record Plan(List<JobRequest> jobs, List<String> problems, Optional<String> leftOut) {
        /**
         * Copies the lists.
         *
         * @param jobs the jobs
         * @param problems messages about jobs that could not be made
         * @param leftOut why the trigger leaves the change out
         */
        public Plan {
            jobs = List.copyOf(jobs);
            problems = List.copyOf(problems);
        }

        static Plan leftOut(String why) {
            return new Plan(List.of(), List.of(), Optional.of(why));
        }
    }
}
