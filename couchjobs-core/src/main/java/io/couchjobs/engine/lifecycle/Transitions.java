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
 * The effect of each {@link Event} on a job: pure functions from a job, the event and the time to a {@link Decision}, or to the
 * job as it is to be written.
 *
 * <p>A decision is at most one document write. Nothing here reads a clock or a database, so every rule can be tested by
 * calling it. A job of a status that the event does not list refuses it. Data and progress that are null stay as they are.
 * Thread-safe. Source: the CouchDB background-jobs RFC (007), with docspell's stuck and cancelled states.
 */
public final class Transitions {
    /** The moment that every claim notes. */
    static final String CLAIMED = "claimed";

    private Transitions() {}

    /** A job that did not exist before. */
    public static Job create(JobRequest request, Instant now) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put(Field.ID, request.id().docId());
        document.put(Field.STATUS, JobStatus.WAITING.json());
        request.writeTo(document);
        document.putObject(Field.TIMES).put("created", now.toEpochMilli());
        return Job.trusted(request.id(), document);
    }

    /**
     * A creator adds a job that exists. Pending with another time: time and data are replaced. Pending with the same time:
     * nothing to do, unless the data is to be replaced. Running: flagged to run once more, the owner is not disturbed.
     * Finished: enqueued again, its history forgotten.
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
     * The jobs that a held job waits for have ended. When one of them did not succeed, it may be cancelled.
     *
     * @return the decision; refused unless it is waiting, nothing to do unless it is held
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
     * A worker takes a job. One that it only {@linkplain EndAs ends} is put aside, not started.
     *
     * @param token a fresh UUID: two workers that wrote the same body would get the same revision, and both would win
     * @param start whether the run starts at once; otherwise the job is only put aside for this worker
     * @return the decision; refused unless the job is pending and waits for no other
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

    /** The owner starts a job that it put aside. */
    public static Decision start(Job job, Instant now) {
        return on(Event.START, job, now, edit -> edit.started().moveTo(JobStatus.RUNNING));
    }

    /** The owner writes its job, which renews the lease of the job. */
    public static Decision update(Job job, @Nullable ObjectNode data, @Nullable Progress progress, Instant now) {
        return on(Event.UPDATE, job, now, edit -> edit.dataIfGiven(data)
                .progressIfGiven(progress)
                .updated()
                .stay());
    }

    /** The owner is done. A job that was resubmitted meanwhile waits again, as a fresh one. */
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
     * The owner's run failed. The job waits again if it was resubmitted; is cancelled if that was asked for; is stuck
     * while there are retries left; otherwise fails.
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
     * The owner gives the job back, or it is taken from the owner, as if it had not been claimed: an add meanwhile has moved
     * its time, a cancel request cancels it.
     */
    public static Decision release(Job job, Instant now) {
        return on(Event.RELEASE, job, now, edit -> edit.givenBack("released"));
    }

    /**
     * The owner puts the job off, without having failed: the run does not count, and the job waits for the given time, or
     * for the time of an add meanwhile. A cancel request cancels it.
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
     * On one node the activity monitor finds the owner dead. The job waits again with the same data and time (or the resubmitted time,
     * which consumes the flag); cancelled if that was asked for; failed when too many leases ran out while it ran, unless another
     * run was asked for. A job that was only put aside is not to blame for the death of its owner: its expirations stay as they are.
     *
     * @param maxExpirations how many leases may run out before the job is failed; empty is any number
     */
    public static Decision expire(Job job, OptionalInt maxExpirations, Instant now) {
        return expire(job, maxExpirations, true, now);
    }

    /** As {@link #expire(Job, OptionalInt, Instant)}; unless it may end by that, the job waits, and the next claim ends it. */
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

    /** A caller cancels a job that has no owner. The job remembers the reason as an error of kind {@code cancelled}; null is none. */
    public static Decision cancel(Job job, @Nullable String reason, Instant now) {
        return on(Event.CANCEL, job, now, edit -> reason == null ? edit.cancelled() : edit.cancelled(reason));
    }

    /**
     * A caller asks the owner of a job to stop. A resubmit is dropped; an add that comes later is not.
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
     * The owner has stopped because it was asked to, or claimed the job only to cancel it: then no run was stopped. A job that was added
     * again after that waits again, as a fresh one.
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
     * A caller wants the job run once more. Owned: flagged, with the time only. Finished: enqueued at once. Pending:
     * moved to that time, as an add does; at the same time there is nothing to do.
     *
     * @param wanted not before this time, or null for the time it had
     * @param data the new data, or null to keep it; ignored while the job is owned
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
     * The owner wants its job run once more; ignored when the job is to be cancelled, because it could never be
     * cancelled otherwise.
     *
     * @param wanted not before this time, or null for the time it had
     */
    public static Decision resubmitOwn(Job job, @Nullable Instant wanted, Instant now) {
        return job.isCancelRequested() ? Decision.nothingToDo(job) : resubmit(job, wanted, null, now);
    }

    /**
     * A caller wants the job run now: one that waits for its time, its retry or other jobs, or a finished one again. The job keeps the
     * reason until it is retried or added again; null is none.
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

    /** A caller moves the scheduled time of a job that has no owner. */
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
     * A caller changes the priority of a job that has no owner.
     *
     * @throws IllegalArgumentException when the priority is out of range
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
