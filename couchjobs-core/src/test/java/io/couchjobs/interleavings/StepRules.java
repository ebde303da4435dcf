package io.couchjobs.interleavings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What must hold after each single request, whoever sent it. Not thread-safe. */
final class StepRules {
    private static final Set<Verb> SET_THE_TIME =
            EnumSet.of(Verb.ADD, Verb.INSERT_IF_NEW, Verb.RESCHEDULE, Verb.RETRY, Verb.RESUBMIT);

    /** The player behind each token that was ever in the lock. */
    private final Map<String, String> owners = new HashMap<>();

    private final Set<String> ended = new HashSet<>();
    /** The revision that the job had when a monitor looked first. */
    private final Map<Call, Optional<String>> sighted = new HashMap<>();

    /** Takes note of the claims that were made before the game. */
    void begin(List<Call> calls, Optional<Job> job) {
        for (Call call : calls) {
            if (call.verb == Verb.CLAIM && call.answer instanceof List<?> claims) {
                claims.forEach(claim -> owners.put(((ClaimedJob) claim).token(), call.player));
            }
        }
        ended.addAll(owners.keySet());
        token(job).ifPresent(ended::remove);
    }

    void check(Step step) {
        try {
            step.after().ifPresent(StepRules::checkLock);
            sighted.putIfAbsent(step.call(), step.after().flatMap(Job::rev));
            if (step.wrote()) {
                checkWrite(step);
            }
        } catch (AssertionError e) {
            throw new AssertionError("at \"" + step + "\": " + e.getMessage(), e);
        }
    }

    /** Every run that began has ended, once. */
    void checkRuns() {
        assertThat(ended).as("claims whose runs ended").isEqualTo(owners.keySet());
    }

    private static void checkLock(Job job) {
        assertThat(job.lock().isPresent())
                .as("locked exactly when owned: " + job)
                .isEqualTo(job.status().isLocked());
    }

    private void checkWrite(Step step) {
        Verb verb = step.call().verb;
        if (step.before().isEmpty()) {
            assertThat(verb).as("who creates a job").isIn(Verb.CREATING);
            assertThat(step.after().orElseThrow().status()).isEqualTo(JobStatus.WAITING);
            assertThat(step.after().orElseThrow().fence()).isZero();
        } else if (step.after().isEmpty()) {
            assertThat(verb).as("who removes a job").isEqualTo(Verb.REMOVE);
            token(step.before()).ifPresent(this::end);
        } else {
            checkOwnership(step, step.before().get(), step.after().get());
            checkNothingLost(verb, step.before().get(), step.after().get());
        }
    }

    private void checkOwnership(Step step, Job before, Job after) {
        Call call = step.call();
        String owner = before.lock().map(Lock::token).orElse("");
        String next = after.lock().map(Lock::token).orElse("");
        if (!owner.equals(next) && !next.isEmpty()) {
            assertThat(owner).as("the owner whom a claim takes the job from").isEmpty();
            assertThat(call.verb).isEqualTo(Verb.CLAIM);
            assertThat(after.fence()).as("fence").isEqualTo(nextFence(before));
            assertThat(owners.put(next, call.player)).as("the token is fresh").isNull();
            return;
        }
        if (before.toDocument().has("fence")) {
            assertThat(after.fence())
                    .as("fence")
                    .isEqualTo(before.fence() + (takesTheNextFence(call, before, after) ? 1 : 0));
        }
        if (owner.isEmpty()) {
            assertThat(call.verb.isOwners())
                    .as("writes of owners to a job that nobody owns")
                    .isFalse();
        } else if (next.isEmpty()) {
            checkEnd(call, owner, before);
        } else if (call.verb.isOwners()) {
            assertThat(call.verb).isIn(Verb.OWNING);
            checkOwner(call, owner);
        } else {
            assertThat(call.verb).as("what others may do to an owned job").isIn(Verb.FROM_OUTSIDE);
        }
    }

    private static boolean takesTheNextFence(Call call, Job before, Job after) {
        boolean runsAgain = before.phase() == JobPhase.FINISHED && after.phase() == JobPhase.PENDING;
        boolean isWish = before.phase() == JobPhase.PENDING && Verb.WISHING.contains(call.verb);
        boolean consumesResubmit = before.isResubmitted() && after.phase() == JobPhase.PENDING;
        return runsAgain || isWish || consumesResubmit;
    }

    private void checkEnd(Call call, String owner, Job before) {
        end(owner);
        if (call.verb == Verb.EXPIRE) {
            assertThat(before.rev())
                    .as("the revision that a monitor saw all the time")
                    .isEqualTo(sighted.get(call));
        } else {
            assertThat(call.verb).as("what ends a run").isIn(Verb.ENDING);
            checkOwner(call, owner);
        }
    }

    private void checkOwner(Call call, String owner) {
        assertThat(call.token).as("the token that was written with").isEqualTo(owner);
        assertThat(call.player).isEqualTo(owners.get(owner));
    }

    private void end(String token) {
        assertThat(ended.add(token)).as("the run of " + token + " ends once").isTrue();
    }

    private static void checkNothingLost(Verb verb, Job before, Job after) {
        if (verb != Verb.FOREIGN_PUT) {
            assertThat(field(after, "foreign")).as("a field of others").isEqualTo(field(before, "foreign"));
        }
        if (verb != Verb.PRIORITIZE && !Verb.CREATING.contains(verb)) {
            assertThat(after.priority()).as("priority").isEqualTo(before.priority());
        }
        boolean cancelled = after.status() == JobStatus.CANCELLED;
        if (before.isCancelRequested() && before.status().isLocked()) {
            boolean over = verb == Verb.FINISH || before.isResubmitted();
            assertThat(after.isCancelRequested() || cancelled || over)
                    .as("the cancel request is kept, obeyed, or overruled by a later add")
                    .isTrue();
        }
        Optional<Instant> resubmitted = resubmitTime(before);
        boolean consumed = resubmitted.isPresent() && !after.isResubmitted();
        if (consumed && verb != Verb.CANCEL && !cancelled) {
            assertThat(after.status()).as("a resubmitted job that ends").isEqualTo(JobStatus.WAITING);
            assertThat(Optional.of(after.scheduledTime()))
                    .as("the time it was resubmitted for")
                    .isEqualTo(resubmitted);
        } else if (!SET_THE_TIME.contains(verb) && after.status() != JobStatus.STUCK) {
            assertThat(after.scheduledTime()).as("scheduled time").isEqualTo(before.scheduledTime());
        }
    }

    static Optional<Instant> resubmitTime(Job job) {
        return Optional.ofNullable(field(job, "resubmit"))
                .map(flag -> Instant.ofEpochMilli(flag.path("scheduledTime").asLong()));
    }

    private static @Nullable JsonNode field(Job job, String name) {
        return job.toDocument().get(name);
    }

    private static Optional<String> token(Optional<Job> job) {
        return job.flatMap(Job::lock).map(Lock::token);
    }

    /** The first claim of a document goes by its revision, so that it is later than all those of a removed job. */
    private static long nextFence(Job before) {
        return before.toDocument().has("fence")
                ? before.fence() + 1
                : Rev.generation(before.rev().orElseThrow());
    }
}
