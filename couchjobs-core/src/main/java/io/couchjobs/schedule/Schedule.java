package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.Site;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A rule that makes jobs at certain times. One revision of a document {@code schedule:NAME}; {@link Schedules} changes the
 * document. Immutable and thread-safe.
 */
public final class Schedule {
    private static final int LONGEST_NAME = 128;

    private final String name;
    private final Timing timing;
    private final JobTemplate template;
    private final boolean enabled;
    private final MissedPolicy missed;
    private final OverlapPolicy overlap;
    private final Optional<Instant> last;
    private final List<JobId> runs;
    private final Optional<String> site;

    private Schedule(String name, ObjectNode document) {
        this.name = checkName(name);
        CheckedFields fields = new CheckedFields(document, "");
        this.timing = ScheduleFields.timing(fields);
        this.template = JobTemplate.parse(document.path(ScheduleFields.JOB));
        this.enabled = fields.flag(Field.ENABLED, true);
        this.missed = fields.choice(ScheduleFields.MISSED, MissedPolicy.class).orElse(MissedPolicy.ONCE);
        this.overlap =
                fields.choice(ScheduleFields.OVERLAP, OverlapPolicy.class).orElse(OverlapPolicy.SKIP);
        this.last = ScheduleFields.time(fields, Field.LAST);
        this.runs = ScheduleFields.runs(fields);
        this.site = fields.text(Field.SITE).map(Site::checkName);
        requireTogether(missed, overlap);
    }

    /**
     * Reads a schedule from its document.
     *
     * @param document the document, with its {@code _id}
     * @return the schedule
     * @throws MalformedDocumentException when a field is wrong; the message names the field
     */
    public static Schedule parse(ObjectNode document) {
        String name = nameOf(document.path("_id").asText());
        try {
            return new Schedule(name, document);
        } catch (IllegalArgumentException | InvalidJobDataException wrong) {
            throw new MalformedDocumentException("schedule " + name + " makes no jobs: " + wrong.getMessage());
        }
    }

    /**
     * Starts to build a schedule.
     *
     * @param name the schedule's name: 1 to 128 characters, no control characters
     * @return a builder
     */
    public static ScheduleRequest.Builder named(String name) {
        return new ScheduleRequest.Builder(name);
    }

    /**
     * Reads the tick that a job was made for from the job's id. The job's scheduled time is the same until the job is retried.
     *
     * @param id the id of a job
     * @return the tick, or the time at which the job was made by {@link Schedules#runNow}; empty when the id does not
     *     end in a time. Another job whose id happens to end in one counts as made by a schedule
     */
    public static Optional<Instant> tickOf(JobId id) {
        try {
            String time = id.id().substring(id.id().lastIndexOf('@') + 1);
            return Optional.of(OffsetDateTime.parse(time).toInstant());
        } catch (DateTimeParseException madeByNoSchedule) {
            return Optional.empty();
        }
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return the timing of the ticks} */
    public Timing timing() {
        return timing;
    }

    /** {@return the type of the schedule's jobs} */
    public String type() {
        return template.type();
    }

    /** {@return the common part of the schedule's jobs, as a job that was never stored: data, group, priority, tags, ...} */
    public Job template() {
        return template.sample();
    }

    /** {@return whether the schedule makes jobs} */
    public boolean isEnabled() {
        return enabled;
    }

    /** {@return what happens to ticks that no scheduler processed in time} */
    public MissedPolicy missed() {
        return missed;
    }

    /** {@return what happens to a tick while a job of an earlier tick is unfinished} */
    public OverlapPolicy overlap() {
        return overlap;
    }

    /** {@return the time up to which all ticks are processed; empty when no scheduler has seen the schedule yet} */
    public Optional<Instant> last() {
        return last;
    }

    /** {@return the newest jobs of the schedule, the newest last, without jobs that a scheduler has found finished} */
    public List<JobId> runs() {
        return runs;
    }

    /**
     * Returns the next ticks, whether the schedule is enabled or not.
     *
     * @param after any time
     * @param count the maximum number of ticks
     * @return the first ticks after that time; fewer when there are no more
     */
    public List<Instant> next(Instant after, int count) {
        return timing.next(after, count);
    }

    /** {@return the site at which the schedule ticks and its jobs run; empty when the schedule has no site} */
    public Optional<String> site() {
        return site;
    }

    @Override
    public String toString() {
        return "Schedule[" + name + ", " + timing + ", " + template.type() + (enabled ? "]" : ", disabled]");
    }

    /**
     * {@return the job of a tick. The job's id contains the tick, so the job can exist only once}
     *
     * @param tick the time of the tick
     */
    public JobRequest request(Instant tick) {
        return template.request(name + "@" + tick.atOffset(ZoneOffset.UTC), tick, DocIds.SCHEDULE + name, site);
    }

    /**
     * {@return the id of the document of a schedule}
     *
     * @param name the schedule's name
     */
    public static String docId(String name) {
        return DocIds.SCHEDULE + checkName(name);
    }

    /**
     * {@return the name of the schedule that a document describes}
     *
     * @param docId the id of the document
     */
    public static String nameOf(String docId) {
        return docId.substring(Math.min(DocIds.SCHEDULE.length(), docId.length()));
    }

    static String checkName(String name) {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.codePoints().anyMatch(Schedule::cannotBeStored)) {
            throw new IllegalArgumentException("the name of a schedule must be 1 to " + LONGEST_NAME
                    + " characters, and no control characters: \"" + name + "\"");
        }
        return name;
    }

    static void requireTogether(MissedPolicy missed, OverlapPolicy overlap) {
        if (missed == MissedPolicy.ALL && overlap == OverlapPolicy.SKIP) {
            throw new IllegalArgumentException(
                    "missed all needs overlap allow: the jobs for what was missed are made at the same time");
        }
    }

    private static boolean cannotBeStored(int codePoint) {
        int kind = Character.getType(codePoint);
        return kind == Character.CONTROL || kind == Character.SURROGATE;
    }

    /** What happens to ticks that no scheduler processed in time. Immutable and thread-safe. */
    public enum MissedPolicy {
        /**
         * One job for all missed ticks, with the id of the first. The schedule then continues with the next tick after now. The
         * default.
         */
        ONCE,
        /** No job for ticks that are more than a minute late. */
        SKIP,
        /** One job for each of the first {@value #MOST_MADE_UP} missed ticks. Needs {@link OverlapPolicy#ALLOW}. */
        ALL;

        /** The maximum number of missed ticks for which {@link #ALL} makes jobs. */
        public static final int MOST_MADE_UP = 100;

        /** {@return the policy's name in documents} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return json();
        }
    }

    /** What happens to a tick while a job of an earlier tick is unfinished. Immutable and thread-safe. */
    public enum OverlapPolicy {
        /** The tick makes no job. The default. */
        SKIP,
        /** The tick makes a job, so several jobs may run at once. */
        ALLOW;

        /** {@return the policy's name in documents} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return json();
        }
    }
}
