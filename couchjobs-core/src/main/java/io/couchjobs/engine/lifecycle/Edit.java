package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import io.couchjobs.job.ScheduledTime;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One change of a job in progress: an event changes a copy of the job's document. */
final class Edit {
    private static final String UPDATED = "updated";
    private static final Set<Event> WISHES = EnumSet.of(Event.ADD, Event.RESUBMIT, Event.RETRY, Event.CANCEL);

    private final Job before;
    private final Event event;
    private final ObjectNode document;
    private final Instant now;

    Edit(Job before, Event event, Instant now) {
        this.before = before;
        this.event = event;
        this.document = before.toDocument();
        this.now = now;
    }

    Edit put(String field, long value) {
        document.put(field, value);
        return this;
    }

    Edit put(String field, String value) {
        document.put(field, value);
        return this;
    }

    Edit put(String field, JsonNode value) {
        document.set(field, value);
        return this;
    }

    Edit put(String field, boolean value) {
        document.put(field, value);
        return this;
    }

    /** Replaces the data, whether it is in the document or attached; null keeps the data. */
    Edit dataIfGiven(@Nullable ObjectNode data) {
        if (data != null) {
            AttachedData.putInline(document, data);
        }
        return this;
    }

    Edit putIfGiven(String field, @Nullable JsonNode value) {
        if (value != null) {
            document.set(field, value);
        }
        return this;
    }

    Edit remove(String... fields) {
        for (String field : fields) {
            document.remove(field);
        }
        return this;
    }

    Edit take(JobRequest request) {
        request.writeTo(document);
        return this;
    }

    /** Records the time of the event, under a name such as {@code finished}. */
    Edit at(String moment) {
        return at(moment, now.toEpochMilli());
    }

    /**
     * Records when the job was taken from its owner. The time is never before the times with which
     * {@link ClusterTransitions#mayHaveEnded} compares it, because the clocks of two nodes may differ.
     */
    Edit takenAt(String moment) {
        return at(moment, Math.max(now.toEpochMilli(), ClusterTransitions.lastWanted(before)));
    }

    /**
     * Records the time of the owner's update, later than all updates before. Among several leaves of a job the latest
     * update counts, and the clocks of two nodes may differ.
     */
    Edit updated() {
        return at(UPDATED, Math.max(now.toEpochMilli(), lastUpdate(before).toEpochMilli() + 1));
    }

    /** {@return when the job was last updated; {@link Instant#EPOCH} when it never was} */
    static Instant lastUpdate(Job job) {
        return job.times().getOrDefault(UPDATED, Instant.EPOCH);
    }

    private Edit at(String moment, long millis) {
        JsonNode times = document.get(Field.TIMES);
        ObjectNode noted = times instanceof ObjectNode object ? object : document.putObject(Field.TIMES);
        noted.put(moment, millis);
        return this;
    }

    /** Sets the progress; null keeps the present one. */
    Edit progressIfGiven(@Nullable Progress progress) {
        if (progress != null) {
            ObjectNode json = document.putObject(Field.PROGRESS);
            json.put(Field.PERCENT, progress.percent());
            progress.message().ifPresent(message -> json.put(Field.MESSAGE, message));
        }
        return this;
    }

    Edit error(JobError.Kind kind, String message) {
        return error(new JobError(before.attempt(), now, kind, message, null));
    }

    Edit error(JobError error) {
        JsonNode present = document.get(Field.ERRORS);
        ArrayNode errors = present instanceof ArrayNode array ? array : document.putArray(Field.ERRORS);
        ObjectNode entry = errors.addObject();
        entry.put(Field.ATTEMPT, error.attempt());
        entry.put(Field.AT, error.at().toEpochMilli());
        entry.put(Field.KIND, error.kind().json());
        entry.put(Field.MESSAGE, error.message());
        error.stack().ifPresent(stack -> entry.put(Field.STACK, stack));
        while (errors.size() > Job.MAX_ERRORS) {
            errors.remove(0);
        }
        return this;
    }

    /** Removes the record of all runs, except their errors. */
    Edit forgetRuns() {
        return remove(Field.ATTEMPT, Field.EXPIRATIONS, Field.RESULT, Field.PROGRESS)
                .remove(Field.RESUBMIT, Field.CANCEL_REQUESTED, Field.END_AS);
    }

    /** Makes the job start over. */
    Edit fresh() {
        return forgetRuns().remove(Field.ERRORS);
    }

    /**
     * Makes the job wait because a caller wants a run. A waiting job keeps its history; any other job is enqueued as a
     * fresh one.
     */
    Decision wanted() {
        Edit edit = before.status() == JobStatus.WAITING ? remove(Field.END_AS).at("updated") : fresh().at("created");
        return edit.moveTo(JobStatus.WAITING);
    }

    Edit started() {
        return put(Field.ATTEMPT, oneMore(before.attempt())).at("started");
    }

    static int oneMore(int count) {
        return count == Integer.MAX_VALUE ? count : count + 1;
    }

    /** Consumes a resubmit, which takes the next fence: an end of this run that turns up later on another leaf then loses. */
    Edit consumeResubmit() {
        if (before.isResubmitted()) {
            remove(Field.END_AS)
                    .put(Field.SCHEDULED_TIME, before.resubmittedTime().toEpochMilli())
                    .put(Field.FENCE, Fences.next(before));
        }
        return remove(Field.RESUBMIT);
    }

    /** Makes the job wait again, as a fresh one. */
    Decision resubmitted() {
        return consumeResubmit().fresh().moveTo(JobStatus.WAITING);
    }

    /** Makes the job wait again with its history, at the resubmitted time if there is one. */
    Decision waitsForResubmit() {
        return consumeResubmit().remove(Field.CANCEL_REQUESTED).moveTo(JobStatus.WAITING);
    }

    /**
     * Makes the job wait as if it had not been claimed, at the time of an add since then; or cancels it if that was
     * requested.
     */
    Decision givenBack(String moment) {
        if (isCancelled(before)) {
            return cancelled();
        }
        return notRun().at(moment).waitsForResubmit();
    }

    /** Marks the job so that the next claim ends it instead of running it. */
    Edit endAs(JobStatus end) {
        return put(Field.END_AS, end.json());
    }

    /** Makes the job wait. If its owner was asked to cancel it, the next claim cancels it. */
    Decision waitsForEnd() {
        return (isCancelled(before) ? endAs(JobStatus.CANCELLED) : this).waitsForResubmit();
    }

    /** Takes back the count of a run that has begun. */
    Edit notRun() {
        if (before.status() == JobStatus.RUNNING) {
            put(Field.ATTEMPT, Math.max(0, before.attempt() - 1));
        }
        return remove(Field.PROGRESS);
    }

    /**
     * {@return whether a cancel request holds} A resubmit drops an older cancel request, and a cancel request drops an
     * older resubmit.
     */
    static boolean isCancelled(Job job) {
        return job.isCancelRequested() && !job.isResubmitted();
    }

    Decision cancelled() {
        return remove(Field.CANCEL_REQUESTED, Field.RESUBMIT, Field.PROGRESS)
                .at("finished")
                .moveTo(JobStatus.CANCELLED);
    }

    Decision cancelled(String reason) {
        return error(JobError.Kind.CANCELLED, reason).cancelled();
    }

    Edit lock(String token, String worker) {
        ObjectNode lock = document.putObject(Field.LOCK);
        lock.put(Field.TOKEN, token);
        lock.put(Field.WORKER, worker);
        lock.put(Field.SINCE, now.toEpochMilli());
        return this;
    }

    Edit withdrawn(String reason) {
        ObjectNode withdrawn = document.withObject("/" + Field.LOCK).putObject(Field.WITHDRAWN);
        withdrawn.put(Field.AT, now.toEpochMilli());
        withdrawn.put(Field.REASON, reason);
        return this;
    }

    /** Ends the edit. The status changes only here. The lock is removed unless the job is owned in the new status. */
    Decision moveTo(JobStatus status) {
        if (!event.targets(before.status()).contains(status)) {
            throw new IllegalStateException(event + " cannot lead from " + before.status() + " to " + status);
        }
        document.put(Field.STATUS, status.json());
        ScheduledTime.toMillis(document);
        keepFence(status);
        if (!status.isLocked()) {
            document.remove(Field.LOCK);
        }
        if (status.phase() == JobPhase.FINISHED) {
            document.remove(Field.END_AS);
        }
        return Decision.write(before, before.rewritten(document));
    }

    /**
     * Sets the fence. On a cluster the leaf with the greater fence wins. So a creator's change takes the next fence, and an
     * unconfirmed end that turns up later does not win. Any other change keeps the fence, because it is no claim.
     */
    private void keepFence(JobStatus status) {
        boolean runsAgain = before.phase() == JobPhase.FINISHED && status == JobStatus.WAITING;
        boolean isWish = before.phase() == JobPhase.PENDING && WISHES.contains(event);
        if (runsAgain || isWish) {
            document.put(Field.FENCE, Fences.next(before));
        } else if (!document.hasNonNull(Field.FENCE)) {
            document.put(Field.FENCE, Fences.next(before) - 1);
        }
    }

    Decision stay() {
        return moveTo(before.status());
    }
}
