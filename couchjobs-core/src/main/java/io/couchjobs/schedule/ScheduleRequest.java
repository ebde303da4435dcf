package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to create or replace a schedule; {@link Schedule#named} starts to build one. By default, cron times are in UTC, all
 * missed ticks make one job, a tick during an unfinished run makes no job, and the schedule is enabled. Immutable and thread-safe.
 */
public final class ScheduleRequest {
    private final Builder asked;

    private ScheduleRequest(Builder asked) {
        this.asked = asked;
    }

    /** {@return the name of the schedule} */
    public String name() {
        return asked.name;
    }

    /** {@return the job that each tick makes, without its time} */
    public JobRequest job() {
        return asked.requireJob();
    }

    /**
     * Writes the request into a schedule's document. If the timing and the enabled state stay the same, the schedule continues
     * after its last processed tick. Otherwise its ticks count from now. An interval without a given start keeps its start as long
     * as its length stays the same.
     *
     * @param document the document, which is not changed
     * @param now the current time
     * @return the new document
     */
    public ObjectNode writeTo(ObjectNode document, Instant now) {
        Optional<Schedule> before = parsed(document);
        Timing timing = timing(before.map(Schedule::timing), now);
        boolean enabled =
                asked.enabled == null ? before.map(Schedule::isEnabled).orElse(true) : asked.enabled;
        ObjectNode next = document.deepCopy();
        ScheduleFields.putTiming(next, timing);
        next.set(ScheduleFields.JOB, JobTemplate.of(asked.requireJob()).json());
        next.put(ScheduleFields.MISSED, asked.missed.json());
        next.put(ScheduleFields.OVERLAP, asked.overlap.json());
        next.put(Field.ENABLED, enabled);
        if (before.isEmpty()) {
            next.remove(Field.RUNS);
        }
        boolean goesOn = before.filter(old -> old.timing().equals(timing) && old.isEnabled() == enabled)
                .flatMap(Schedule::last)
                .isPresent();
        if (!goesOn) {
            next.put(Field.LAST, now.toEpochMilli());
        }
        return next;
    }

    /**
     * Checks that the schedule ticks at some time.
     *
     * @param now the current time
     * @throws IllegalArgumentException when the schedule would never tick
     */
    public void requireTicks(Instant now) {
        Timing timing = timing(Optional.empty(), now);
        if (timing.next(now).isEmpty()) {
            throw new IllegalArgumentException(
                    "schedule " + asked.name + " would never tick: no day matches \"" + timing + "\"");
        }
    }

    private Timing timing(Optional<Timing> before, Instant now) {
        if (asked.expression != null) {
            return Timing.Cron.of(asked.expression, asked.zone);
        }
        Instant from = asked.from != null
                ? asked.from
                : before.filter(Timing.Interval.class::isInstance)
                        .map(Timing.Interval.class::cast)
                        .filter(interval -> interval.every().equals(asked.every))
                        .map(Timing.Interval::from)
                        .orElse(now);
        return new Timing.Interval(asked.requireEvery(), from);
    }

    private static Optional<Schedule> parsed(ObjectNode document) {
        try {
            return Optional.of(Schedule.parse(document));
        } catch (MalformedDocumentException newOrMalformed) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return "ScheduleRequest[" + asked.name + "]";
    }

    /** Builds a {@link ScheduleRequest}. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final List<String> problems = new ArrayList<>();
        private @Nullable CronExpression expression;
        private ZoneId zone = ZoneId.of("UTC");
        private @Nullable String zoneGiven;
        private @Nullable Duration every;
        private @Nullable Instant from;
        private @Nullable JobRequest job;
        private @Nullable Boolean enabled;
        private Schedule.MissedPolicy missed = Schedule.MissedPolicy.ONCE;
        private Schedule.OverlapPolicy overlap = Schedule.OverlapPolicy.SKIP;

        Builder(String name) {
            this.name = name;
        }

        /**
         * Sets the cron expression for the times of the ticks.
         *
         * @param text the expression; see {@link Timing.Cron}
         * @return this builder
         */
        public Builder cron(String text) {
            attempt(() -> this.expression = CronExpression.parse(text));
            return this;
        }

        /**
         * Sets the time zone of the cron expression.
         *
         * @param id a region such as {@code "Europe/Berlin"}; default UTC
         * @return this builder
         */
        public Builder zone(String id) {
            this.zoneGiven = id;
            attempt(() -> this.zone = ScheduleFields.zone(id));
            return this;
        }

        /**
         * Sets a fixed interval between ticks.
         *
         * @param distance the interval, 1 s to 3650 days
         * @return this builder
         */
        public Builder every(Duration distance) {
            attempt(() -> this.every = new Timing.Interval(distance, Instant.EPOCH).every());
            return this;
        }

        /**
         * Sets the first tick of an interval.
         *
         * @param first the first tick; default: one interval after the schedule is first put, unchanged when it is put again
         * @return this builder
         */
        public Builder from(Instant first) {
            attempt(() -> this.from = ScheduleFields.requireNear(ScheduleFields.FROM, first));
            return this;
        }

        /**
         * Sets the job that each tick makes. Required. The job's id and scheduled time come from the tick, not from the template.
         * Its {@code origin} and {@code correlationId} are {@code schedule:NAME} unless the template sets them.
         *
         * @param template the template, such as {@code JobRequest.of("report", data)}
         * @return this builder
         */
        public Builder job(JobRequest template) {
            attempt(() -> {
                JobTemplate.of(template);
                this.job = template;
            });
            return this;
        }

        /**
         * Sets what happens to ticks that no scheduler processed in time.
         *
         * @param policy the policy; default {@link Schedule.MissedPolicy#ONCE}
         * @return this builder
         */
        public Builder missed(Schedule.MissedPolicy policy) {
            this.missed = policy;
            return this;
        }

        /**
         * Sets what happens to a tick while a job of an earlier tick is unfinished.
         *
         * @param policy the policy; default {@link Schedule.OverlapPolicy#SKIP}
         * @return this builder
         */
        public Builder overlap(Schedule.OverlapPolicy policy) {
            this.overlap = policy;
            return this;
        }

        /**
         * Sets whether the schedule makes jobs.
         *
         * @param makesJobs whether the schedule makes jobs; default: true for a new schedule, unchanged for an existing one
         * @return this builder
         */
        public Builder enabled(boolean makesJobs) {
            this.enabled = makesJobs;
            return this;
        }

        /**
         * Checks all settings and builds the request.
         *
         * @return the request
         * @throws IllegalArgumentException when a setting is wrong; the message names everything that is wrong
         */
        public ScheduleRequest build() {
            List<String> wrong = new ArrayList<>(problems);
            if (expression == null && every == null && problems.isEmpty()) {
                wrong.add("a schedule needs cron or every");
            } else if (expression != null && every != null) {
                wrong.add("a schedule has either cron or every, not both");
            }
            if (every != null && zoneGiven != null) {
                wrong.add("an interval has no zone: " + zoneGiven);
            }
            if (expression != null && from != null) {
                wrong.add("from is the first tick of an interval, not of a cron expression: " + from);
            }
            if (job == null && problems.isEmpty()) {
                wrong.add("a schedule needs a job");
            }
            check(() -> Schedule.checkName(name), wrong);
            check(() -> Schedule.requireTogether(missed, overlap), wrong);
            if (!wrong.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", wrong));
            }
            return new ScheduleRequest(copy());
        }

        private JobRequest requireJob() {
            if (job == null) {
                throw new IllegalStateException("not built");
            }
            return job;
        }

        private Duration requireEvery() {
            if (every == null) {
                throw new IllegalStateException("not built");
            }
            return every;
        }

        private void attempt(Runnable setting) {
            check(setting, problems);
        }

        private static void check(Runnable rule, List<String> problems) {
            try {
                rule.run();
            } catch (IllegalArgumentException wrong) {
                problems.add(String.valueOf(wrong.getMessage()));
            }
        }

        private Builder copy() {
            Builder copy = new Builder(name);
            copy.expression = expression;
            copy.zone = zone;
            copy.every = every;
            copy.from = from;
            copy.job = job;
            copy.enabled = enabled;
            copy.missed = missed;
            copy.overlap = overlap;
            return copy;
        }
    }
}
