package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.job.Progress;
import io.couchjobs.job.ScheduledTime;
import io.couchjobs.type.RetryPolicy;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The effect of each {@link Event} on a job: pure functions from a job, the event and the time to a {@link Decision}, or to
 * the job to be written.
 *
 * <p>A decision is at most one document write. No function reads a clock or a database, so a test can check every rule by a
 * plain call. A job refuses an event that does not list the job's status. Data and progress that are null stay unchanged.
 * Thread-safe. Source: the CouchDB background-jobs RFC (007), with the stuck and cancelled states of docspell.
 */
public final class Transitions {
    /** The key of the claim's time in the field {@code times}. */
    static final String CLAIMED = "claimed";

    private Transitions() {}

    /** Creates a job that did not exist before. */
    public static Job create(JobRequest request, Instant now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put(Field.ID, request.id().docId());
        document.put(Field.STATUS, JobStatus.WAITING.json());
        request.writeTo(document);
        document.putObject(Field.TIMES).put("created", now.toEpochMilli());
        return Job.trusted(request.id(), document);
    }

    /**
     * Adds a job that exists. The time and data of a pending job are replaced if the time differs. If the time is the same,
     * there is nothing to do unless {@code replace} is true. An owned job is flagged for one more run; its owner goes on.
     * A finished job is enqueued again as a fresh one, without its history.
     *
     * @param replace whether to replace the data of a pending job even at the same time
     */
    public static Decision add(Job job, JobRequest request, boolean replace, Instant now) {
        if (job.status().isLocked()) {
            return flagResubmit(job, Event.ADD, request.scheduledTime(), now);
        }
        if (isWaitingFor(request.scheduledTime(), job)
                && !replace
                && EndAs.of(job).isEmpty()) {
            return Decision.nothingToDo(job);
        }
        return new Edit(job, Event.ADD, now).take(request).wanted();
    }

    /**
     * Lets a job run whose {@linkplain Job#after dependencies} have ended, or cancels it because one did not succeed.
     *
     * @return the decision; refused unless the job is waiting; nothing to do if it waits for no other job, or must still wait
     */
    public static Decision letGo(Job job, After.Verdict verdict, Instant now) {
        if (job.after().isEmpty() || verdict == After.Verdict.HELD) {
            return Decision.nothingToDo(job);
        }
        return on(Event.LET_GO, job, now, edit -> {
            edit.remove(Field.AFTER).at("letGo");
            return verdict == After.Verdict.CANCEL
                    ? edit.cancelled("a job that it waits for did not succeed")
                    : edit.moveTo(JobStatus.WAITING);
        });
    }

    /**
     * Claims a job for a worker. A job that is only to be {@linkplain EndAs ended} becomes {@code SCHEDULED}.
     *
     * @param token a fresh UUID: two workers that wrote the same body would get the same revision, and both would win
     * @param start whether the run starts at once; otherwise the job is claimed ahead
     * @return the decision; a refusal unless the job is pending and waits for no other job
     */
    public static Decision claim(Job job, String token, String worker, boolean start, Instant now) {
        if (job.after().isPresent()) {
            return Decision.refused(job);
        }
        return on(Event.CLAIM, job, now, edit -> {
            edit.lock(token, worker)
                    .put(Field.FENCE, Fences.next(job))
                    .remove(Field.PROGRESS, Field.CANCEL_REQUESTED)
                    .at(CLAIMED);
            return start && EndAs.of(job).isEmpty()
                    ? edit.started().moveTo(JobStatus.RUNNING)
                    : edit.moveTo(JobStatus.SCHEDULED);
        });
    }

    /** Starts a job that its owner claimed ahead. */
    public static Decision start(Job job, Instant now) {
        return on(Event.START, job, now, edit -> edit.started().moveTo(JobStatus.RUNNING));
    }

    /** Writes the owner's data and progress, which renews the lease of the job. */
    public static Decision update(Job job, @Nullable ObjectNode data, @Nullable Progress progress, Instant now) {
        return on(Event.UPDATE, job, now, edit -> edit.dataIfGiven(data)
                .progressIfGiven(progress)
                .updated()
                .stay());
    }

    /** Ends a run that succeeded. A job that was resubmitted meanwhile waits again, as a fresh one. */
    public static Decision finish(Job job, @Nullable JsonNode result, @Nullable ObjectNode data, Instant now) {
        return on(Event.FINISH, job, now, edit -> {
            edit.dataIfGiven(data).at("finished");
            if (job.isResubmitted()) {
                return edit.resubmitted();
            }
            return edit.remove(Field.CANCEL_REQUESTED, Field.CANCEL_REASON)
                    .putIfGiven(Field.RESULT, result)
                    .moveTo(JobStatus.SUCCESS);
        });
    }

    /**
     * Ends a run that failed. The job waits again if it was resubmitted, and is cancelled if that was requested. Otherwise
     * the job becomes stuck while retries are left, and fails when none is left.
     *
     * @param permanent whether a retry would be useless
     */
    public static Decision fail(Job job, JobError error, RetryPolicy policy, boolean permanent, Instant now) {
        Retries retries = new Retries(job, policy);
        return on(Event.FAIL, job, now, edit -> {
            edit.error(error).at("failed");
            if (job.isResubmitted()) {
                return edit.resubmitted();
            }
            if (job.isCancelRequested()) {
                return edit.remove(Field.CANCEL_REQUESTED, Field.CANCEL_REASON)
                        .at("finished")
                        .moveTo(JobStatus.CANCELLED);
            }
            if (permanent || retries.areUsedUp()) {
                return edit.at("finished").moveTo(JobStatus.FAILED);
            }
            return edit.put(Field.SCHEDULED_TIME, ScheduledTime.nearestMillis(retries.nextTime(now)))
                    .moveTo(JobStatus.STUCK);
        });
    }

    /**
     * Returns the job from its owner to the queue, as if it had not been claimed. An add since the claim changes the
     * scheduled time. A cancel request cancels the job.
     */
    public static Decision release(Job job, Instant now) {
        return on(Event.RELEASE, job, now, edit -> edit.givenBack("released"));
    }

    /**
     * Postpones the owner's job without a failure. The run does not count. The job waits for the given time, or for the
     * time of an add since the claim. A cancel request cancels the job.
     */
    public static Decision snooze(Job job, Instant until, Instant now) {
        return on(
                Event.SNOOZE,
                job,
                now,
                edit -> Edit.isCancelled(job)
                        ? edit.cancelled()
                        : edit.put(Field.SCHEDULED_TIME, ScheduledTime.checkedMillis(until))
                                .givenBack("snoozed"));
    }

    /**
     * Expires the claim of a dead owner, on one node. The job waits again with the same data and time. If it was
     * resubmitted, it waits for the resubmitted time, and the flag is consumed. Otherwise a cancel request cancels the job,
     * and the job fails when too many leases ran out while it ran. A job that was only claimed ahead did not cause the death
     * of its owner, so its count of expirations stays unchanged.
     *
     * @param maxExpirations how many leases may run out before the job fails; empty for no limit
     */
    public static Decision expire(Job job, OptionalInt maxExpirations, Instant now) {
        return expire(job, maxExpirations, true, now);
    }

    /** As {@link #expire(Job, OptionalInt, Instant)}. When {@code mayEnd} is false, the job waits, and the next claim ends it. */
    static Decision expire(Job job, OptionalInt maxExpirations, boolean mayEnd, Instant now) {
        return on(Event.EXPIRE, job, now, edit -> {
            boolean ran = job.status() == JobStatus.RUNNING;
            boolean tooOften = ran && maxExpirations.isPresent() && job.expirations() >= maxExpirations.getAsInt();
            edit.error(JobError.Kind.EXPIRED, obituary(job, tooOften))
                    .put(Field.EXPIRATIONS, ran ? Edit.oneMore(job.expirations()) : job.expirations())
                    .remove(Field.PROGRESS);
            edit = mayEnd ? edit.at("expired") : edit.takenAt("expired");
            if (job.isResubmitted()) {
                return tooOften ? edit.resubmitted() : edit.waitsForResubmit();
            }
            if (!mayEnd) {
                return (tooOften ? edit.endAs(JobStatus.FAILED) : edit).waitsForEnd();
            }
            if (job.isCancelRequested()) {
                return edit.cancelled();
            }
            return tooOften ? edit.at("finished").moveTo(JobStatus.FAILED) : edit.moveTo(JobStatus.WAITING);
        });
    }

    private static String obituary(Job job, boolean tooOften) {
        String owner = job.lock().map(Lock::worker).orElse("");
        String death = "worker " + owner + " gave no sign of life for the timeout of type " + job.type();
        return !tooOften
                ? death
                : death + "; that happened " + (job.expirations() + 1) + " times while this job ran, more often"
                        + " than the type allows (maxExpirations), so it is not run again";
    }

    /** Cancels a job that has no owner. The reason is stored as an error of kind {@code cancelled}; null stores none. */
    public static Decision cancel(Job job, @Nullable String reason, Instant now) {
        return on(Event.CANCEL, job, now, edit -> reason == null ? edit.cancelled() : edit.cancelled(reason));
    }

    /**
     * Asks the owner of a job to stop. The request drops an earlier resubmit. It does not affect a later add.
     *
     * @param reason what the owner notes when it obeys, or null
     */
    public static Decision requestCancel(Job job, @Nullable String reason, Instant now) {
        if (job.status().isLocked() && Edit.isCancelled(job)) {
            return Decision.nothingToDo(job);
        }
        return on(Event.REQUEST_CANCEL, job, now, edit -> edit.put(Field.CANCEL_REQUESTED, true)
                .remove(Field.RESUBMIT, Field.CANCEL_REASON)
                .putIfGiven(Field.CANCEL_REASON, reason == null ? null : TextNode.valueOf(reason))
                .at("cancelRequested")
                .stay());
    }

    /**
     * Cancels a job whose owner obeys the cancel request, or whose owner claimed it only to cancel it. In the latter case
     * no run was stopped. A job that was added again after the request waits again, as a fresh one.
     */
    public static Decision acknowledgeCancel(Job job, String reason, Instant now) {
        return on(
                Event.ACKNOWLEDGE_CANCEL,
                job,
                now,
                edit -> job.isResubmitted()
                        ? edit.resubmitted()
                        : (job.status() == JobStatus.RUNNING ? edit.at("stopped") : edit)
                                .remove(Field.CANCEL_REASON)
                                .cancelled(job.cancelReason()
                                        .map(why -> reason + ": " + why)
                                        .orElse(reason)));
    }

    /**
     * Requests one more run of a job. An owned job is flagged with the time only. A finished job is enqueued again. A
     * pending job is moved to the given time, as by an add; at the same time there is nothing to do.
     *
     * @param wanted the earliest time of the run, or null to keep the scheduled time
     * @param data the new data, or null to keep the data; ignored while the job is owned
     */
    public static Decision resubmit(Job job, @Nullable Instant wanted, @Nullable ObjectNode data, Instant now) {
        Instant time = wanted == null ? job.scheduledTime() : wanted;
        if (job.status().isLocked()) {
            return flagResubmit(job, Event.RESUBMIT, time, now);
        }
        if (isWaitingFor(time, job) && EndAs.of(job).isEmpty()) {
            return Decision.nothingToDo(job);
        }
        return on(Event.RESUBMIT, job, now, edit -> edit.put(Field.SCHEDULED_TIME, ScheduledTime.checkedMillis(time))
                .dataIfGiven(data)
                .wanted());
    }

    /**
     * Requests one more run for the owner of a job. A job that is to be cancelled ignores the request: otherwise the job
     * could never be cancelled.
     *
     * @param wanted the earliest time of the run, or null to keep the scheduled time
     */
    public static Decision resubmitOwn(Job job, @Nullable Instant wanted, Instant now) {
        return job.isCancelRequested() ? Decision.nothingToDo(job) : resubmit(job, wanted, null, now);
    }

    /**
     * Makes a job due now: a pending job that waits for its time, its retry or other jobs, or a finished job. The job keeps
     * the reason until it is retried or added again; null stores none.
     */
    public static Decision retry(Job job, @Nullable String reason, Instant now) {
        long time = Math.min(job.scheduledTime().toEpochMilli(), ScheduledTime.nearestMillis(now));
        return on(Event.RETRY, job, now, edit -> edit.forgetRuns()
                .remove(Field.AFTER, Field.RETRY_REASON)
                .putIfGiven(Field.RETRY_REASON, reason == null ? null : TextNode.valueOf(reason))
                .put(Field.SCHEDULED_TIME, time)
                .at("retried")
                .moveTo(JobStatus.WAITING));
    }

    /** Changes the scheduled time of a pending job. */
    public static Decision reschedule(Job job, Instant time, Instant now) {
        if (job.scheduledTime().toEpochMilli() == ScheduledTime.checkedMillis(time)
                && Event.RESCHEDULE.isAllowed(job.status())) {
            return Decision.nothingToDo(job);
        }
        return on(Event.RESCHEDULE, job, now, edit -> edit.put(Field.SCHEDULED_TIME, ScheduledTime.checkedMillis(time))
                .at("updated")
                .stay());
    }

    /**
     * Changes the priority of a pending job.
     *
     * @throws IllegalArgumentException when the priority is not from 0 to 99
     */
    public static Decision prioritize(Job job, int priority, Instant now) {
        if (priority < 0 || priority > 99) {
            throw new IllegalArgumentException("priority must be 0 to 99: " + priority);
        }
        return on(Event.PRIORITIZE, job, now, edit -> edit.put(Field.PRIORITY, priority)
                .at("updated")
                .stay());
    }

    static Decision on(Event event, Job job, Instant now, Function<Edit, Decision> change) {
        return event.isAllowed(job.status()) ? change.apply(new Edit(job, event, now)) : Decision.refused(job);
    }

    private static boolean isWaitingFor(Instant time, Job job) {
        return job.status() == JobStatus.WAITING && job.scheduledTime().equals(time);
    }

    private static Decision flagResubmit(Job job, Event event, Instant time, Instant now) {
        ObjectNode flag = JsonNodeFactory.instance.objectNode();
        flag.put(Field.SCHEDULED_TIME, ScheduledTime.checkedMillis(time));
        if (flag.equals(job.document().get(Field.RESUBMIT))) {
            return Decision.nothingToDo(job);
        }
        return on(event, job, now, edit -> edit.put(Field.RESUBMIT, flag)
                .at("resubmitted")
                .stay());
    }
}
