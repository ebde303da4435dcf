package io.couchjobs.interleavings;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What must hold of the answers when all is over: each says what its call did, and what was promised has happened. */
final class CallRules {
    private final History history;

    CallRules(History history) {
        this.history = history;
    }

    void check() {
        Set<String> halted = new HashSet<>();
        for (Call call : history.calls()) {
            try {
                check(call, halted);
            } catch (AssertionError e) {
                throw new AssertionError("of \"" + call + "\": " + e.getMessage(), e);
            }
        }
    }

    private void check(Call call, Set<String> halted) {
        List<Step> writes = history.of(call).stream().filter(Step::wrote).toList();
        assertThat(writes).as("writes of one call").hasSizeLessThanOrEqualTo(1);
        Optional<Step> write = writes.stream().findFirst();
        switch (call.verb) {
            case ADD -> checkAdd(call, write);
            case INSERT -> checkWrote(write, call.isAnswered(Job.class), Optional::isEmpty);
            case INSERT_IF_NEW -> checkInsertIfNew(call, write);
            case CANCEL -> checkCancel(call, write);
            case REMOVE -> checkRemove(call, write);
            case RETRY, RESCHEDULE, PRIORITIZE, RESUBMIT -> checkChange(call, write);
            case CLAIM -> checkClaim(call, write);
            case START, UPDATE, RESUBMIT_OWN, FINISH, FAIL, RELEASE, ACKNOWLEDGE_CANCEL ->
                checkOwn(call, write, halted);
            case READ, FOREIGN_PUT, EXPIRE -> {}
        }
    }

    private void checkAdd(Call call, Optional<Step> write) {
        AddResult.Outcome outcome = ((AddResult) present(call.answer)).outcome();
        switch (outcome) {
            case ADDED -> checkWrote(write, true, job -> isAbsent(job) || is(job, JobPhase.FINISHED));
            case UPDATED -> checkWrote(write, true, job -> is(job, JobPhase.PENDING));
            case UNCHANGED -> {
                assertThat(write).isEmpty();
                assertWas(call, job -> is(job, JobPhase.PENDING) && scheduled(job, call), "pending at that time");
            }
            case RESUBMITTED -> {
                checkWrote(write, write.isPresent(), job -> is(job, JobPhase.RUNNING));
                assertWas(
                        call,
                        job -> is(job, JobPhase.RUNNING)
                                && job.flatMap(StepRules::resubmitTime).equals(Optional.ofNullable(call.time)),
                        "resubmitted for that time");
            }
            case REJECTED -> throw new AssertionError("rejected");
        }
        if (outcome == AddResult.Outcome.ADDED || outcome == AddResult.Outcome.UPDATED) {
            assertThat(scheduled(write.orElseThrow().after(), call))
                    .as("at that time")
                    .isTrue();
        }
        checkRunsAfter(call, write);
    }

    private void checkInsertIfNew(Call call, Optional<Step> write) {
        boolean added = Boolean.TRUE.equals(call.answer);
        checkWrote(write, added, job -> isAbsent(job) || is(job, JobPhase.FINISHED));
        if (added) {
            checkRunsAfter(call, write);
        } else {
            assertWas(call, job -> is(job, JobPhase.PENDING) || is(job, JobPhase.RUNNING), "unfinished");
        }
    }

    private void checkCancel(Call call, Optional<Step> write) {
        if (call.isAnswered(NotFoundException.class)) {
            checkNotFound(call, write);
            return;
        }
        switch ((CancelResult) present(call.answer)) {
            case CANCELLED -> {
                checkWrote(write, true, job -> is(job, JobPhase.PENDING));
                assertThat(write.orElseThrow().after().orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
            }
            case REQUESTED -> {
                checkWrote(write, write.isPresent(), job -> is(job, JobPhase.RUNNING));
                assertWas(call, job -> job.isPresent() && job.get().isCancelRequested(), "asked to be cancelled");
            }
            case AT_NEXT_CLAIM ->
                throw new AssertionError("on one node a job that waits is cancelled at once: " + call);
            case RUNNING -> assertOnlyWas(call, write, JobPhase.RUNNING);
            case ALREADY_FINISHED -> assertOnlyWas(call, write, JobPhase.FINISHED);
        }
    }

    private void checkRemove(Call call, Optional<Step> write) {
        if (call.isAnswered(NotFoundException.class)) {
            checkNotFound(call, write);
        } else {
            checkWrote(write, true, Optional::isPresent);
            assertThat(write.orElseThrow().after()).isEmpty();
        }
    }

    private void checkChange(Call call, Optional<Step> write) {
        if (!call.isAnswered(Job.class)) {
            assertThat(write).as("written by a refused call").isEmpty();
        } else if (call.verb == Verb.RESUBMIT) {
            checkRunsAfter(call, write);
        }
    }

    private void checkClaim(Call call, Optional<Step> write) {
        checkWrote(write, !((List<?>) present(call.answer)).isEmpty(), job -> is(job, JobPhase.PENDING));
        if (write.isEmpty()) {
            boolean due = history.during(call).stream().allMatch(job -> is(job, JobPhase.PENDING) && isDue(job));
            assertThat(due)
                    .as("found nothing though the job was due all the time")
                    .isFalse();
        }
    }

    private static boolean isDue(Optional<Job> job) {
        return job.orElseThrow().scheduledTime().toEpochMilli() == 0;
    }

    /** An owner that is answered has written; a loser is halted, writes nothing, and stays halted. */
    private void checkOwn(Call call, Optional<Step> write, Set<String> halted) {
        String token = String.valueOf(call.token);
        if (call.isAnswered(HaltException.class)) {
            assertThat(write).as("written by a halted call").isEmpty();
            List<Optional<Job>> states = history.during(call);
            boolean owned = !states.isEmpty()
                    && states.stream().allMatch(job -> job.filter(present -> present.isLockedBy(token))
                            .isPresent());
            assertThat(owned).as("halted though it owned the job all the time").isFalse();
            halted.add(token);
            return;
        }
        assertThat(halted).as("halted before").doesNotContain(token);
        if (call.verb == Verb.RESUBMIT_OWN && write.isEmpty()) {
            assertWas(call, job -> job.isPresent() && job.get().isCancelRequested(), "asked to be cancelled");
            return;
        }
        assertThat(write).as("the write of an owner that was answered").isPresent();
        assertThat(write.orElseThrow().before().orElseThrow().isLockedBy(token)).isTrue();
    }

    /** A caller that was told that the job will run sees it claimed afterwards, unless somebody cancels or removes it. */
    private void checkRunsAfter(Call call, Optional<Step> write) {
        List<Step> own = history.of(call);
        int from = history.steps().indexOf(write.orElse(own.get(0)));
        boolean served = history.steps().stream().skip(from).filter(Step::wrote).anyMatch(step -> {
            Verb verb = step.call().verb;
            boolean cancelled = step.after()
                    .filter(job -> job.status() == JobStatus.CANCELLED)
                    .isPresent();
            return verb == Verb.CLAIM || verb == Verb.REMOVE || verb == Verb.CANCEL || cancelled;
        });
        assertThat(served).as("the job runs after it was added").isTrue();
    }

    private static void checkWrote(Optional<Step> write, boolean expected, Predicate<Optional<Job>> before) {
        assertThat(write.isPresent()).as("wrote").isEqualTo(expected);
        write.ifPresent(step -> assertThat(before.test(step.before()))
                .as("what it wrote on: " + Step.show(step.before()))
                .isTrue());
    }

    private void checkNotFound(Call call, Optional<Step> write) {
        assertThat(write).isEmpty();
        assertWas(call, CallRules::isAbsent, "absent");
    }

    private void assertOnlyWas(Call call, Optional<Step> write, JobPhase state) {
        assertThat(write).isEmpty();
        assertWas(call, job -> is(job, state), state.toString());
    }

    private void assertWas(Call call, Predicate<Optional<Job>> predicate, String what) {
        assertThat(history.during(call)).as("was " + what + " during the call").anyMatch(predicate);
    }

    private static boolean scheduled(Optional<Job> job, Call call) {
        return job.map(Job::scheduledTime).equals(Optional.ofNullable(call.time));
    }

    private static boolean isAbsent(Optional<Job> job) {
        return job.isEmpty();
    }

    private static boolean is(Optional<Job> job, JobPhase state) {
        return job.filter(present -> present.phase() == state).isPresent();
    }

    private static Object present(@Nullable Object answer) {
        return Optional.ofNullable(answer).orElseThrow(() -> new AssertionError("no answer"));
    }
}
