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
 * A schedule as one revision of its document {@code schedule:NAME} says it is. Immutable and thread-safe; changed by {@link
 * Schedules}.
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
     * Reads a schedule out of its document.
     *
     * @param document the document, with its {@code _id}
     * @return the schedule
     * @throws MalformedDocumentException naming the field that is wrong
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
     * Starts to describe a schedule.
     *
     * @param name its name: 1 to 128 characters, no control characters
     * @return a builder
     */
    public static ScheduleRequest.Builder named(String name) {
        return new ScheduleRequest.Builder(name);
    }

    /**
     * Reads out of a job's id which tick it was made for. Its scheduled time says so too, until the job is retried.
     *
     * @param id a job
     * @return the tick, or the time it was run by hand; empty when no schedule made it
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

    /** {@return when it ticks} */
    public Timing timing() {
        return timing;
    }

    /** {@return the type of its jobs} */
    public String type() {
        return template.type();
    }

    /** {@return what its jobs have in common, as a job that was never stored: data, group, priority, tags, ...} */
    public Job template() {
        return template.sample();
    }

    /** {@return whether it makes jobs} */
    public boolean isEnabled() {
        return enabled;
    }

    /** {@return what becomes of ticks at whose time no scheduler was there} */
    public MissedPolicy missed() {
        return missed;
    }

    /** {@return what becomes of a tick while a job of an earlier one is not finished} */
    public OverlapPolicy overlap() {
        return overlap;
    }

    /** {@return the time up to which all ticks are dealt with; empty when no scheduler has seen the schedule yet} */
    public Optional<Instant> last() {
        return last;
    }

    /** {@return the newest jobs that were made, the newest last; those found finished are left out} */
    public List<JobId> runs() {
        return runs;
    }

    /**
     * The next ticks, whether it is enabled or not.
     *
     * @param after any time
     * @param count how many
     * @return the first ticks after that time; fewer when there are no more
     */
    public List<Instant> next(Instant after, int count) {
        return timing.next(after, count);
    }

    /** {@return the site at which it ticks, and its jobs run; empty where it carries none} */
    public Optional<String> site() {
        return site;
    }

    @Override
    public String toString() {
        return "Schedule[" + name + ", " + timing + ", " + template.type() + (enabled ? "]" : ", disabled]");
    }

    /**
     * {@return the job of a tick; its id names the tick, so that it can exist only once}
     *
     * @param tick the time of the tick
     */
    public JobRequest request(Instant tick) {
        return template.request(name + "@" + tick.atOffset(ZoneOffset.UTC), tick, DocIds.SCHEDULE + name, site);
    }

    /**
     * {@return the id of the document of a schedule}
     *
     * @param name its name
     */
    public static String docId(String name) {
        return DocIds.SCHEDULE + checkName(name);
    }

    /**
     * {@return the name of the schedule of a document}
     *
     * @param docId the id of its document
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

    /** The treatment of ticks that no scheduler was there for. Immutable and thread-safe. */
    public enum MissedPolicy {
        /** One job for all of them, with the id of the first; then the next tick after now. The default. */
        ONCE,
        /** No job for those that are more than a minute late. */
        SKIP,
        /** A job for each, at most {@value #MOST_MADE_UP}: the first ones. Needs {@link OverlapPolicy#ALLOW}. */
        ALL;

        /** The largest number of jobs that {@link #ALL} makes up for. */
        public static final int MOST_MADE_UP = 100;

        /** {@return the name in documents} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return json();
        }
    }

    /** The treatment of a tick while a job of an earlier tick is not finished. Immutable and thread-safe. */
    public enum OverlapPolicy {
        /** No job is made; the next tick is the next chance. The default. */
        SKIP,
        /** A job is made; several may run at once. */
        ALLOW;

        /** {@return the name in documents} */
        public String json() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return json();
        }
    }
}
