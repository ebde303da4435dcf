package io.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.engine.worker.SteppedMonitor;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Every verb that writes, on a job that is as the verb needs it. */
public enum WritingVerb {
    ADD {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.add(request("fresh", Instant.EPOCH)).outcome()).isEqualTo(AddResult.Outcome.ADDED);
        }
    },
    INSERT {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.insert(request("fresh", Instant.EPOCH));
        }
    },
    INSERT_IF_NEW {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.insertIfNew(request("fresh", Instant.EPOCH))).isTrue();
        }
    },
    ADD_AT_ANOTHER_TIME {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.add(request("1", Jobs.past(7)));
        }
    },
    ADD_WHILE_RUNNING(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.add(request("1", Jobs.past(7)));
        }
    },
    CLAIM {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
            assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                    .hasSize(1);
        }
    },
    START(true) {
        @Override
        AcceptOptions accept() {
            return super.accept().start(false);
        }

        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().start();
        }
    },
    UPDATE(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().update(Map.of("n", 2));
        }
    },
    FINISH(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().finish(Map.of("ok", 1.5));
        }
    },
    FAIL(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().fail(JobError.Kind.FAILED, "boom", null, false);
        }
    },
    RELEASE(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().release();
        }
    },
    ACKNOWLEDGE_CANCEL(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().acknowledgeCancel("asked to");
        }
    },
    RESUBMIT(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().resubmit(Jobs.past(7));
        }
    },
    CANCEL {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.cancel("email", "1", CancelMode.IF_QUEUED);
        }
    },
    REQUEST_CANCEL(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.cancel("email", "1", CancelMode.REQUEST);
        }
    },
    RESCHEDULE {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.reschedule("email", "1", Jobs.past(7));
        }
    },
    RETRY {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.retryNow("email", "1");
        }
    },
    RESUBMIT_AFTER_FINISH(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            claim.orElseThrow().finish();
            queue.resubmit("email", "1", Jobs.past(7));
        }
    },
    SET_PRIORITY {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.setPriority("email", "1", 99);
        }
    },
    ADD_ALL {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.addAll(all(Jobs.past(7))))
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.UPDATED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
        }
    },
    REPLACE_ALL {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.replaceAll(all(Jobs.past(7))))
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.UPDATED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
        }
    },
    INSERT_ALL {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.insert(all(Jobs.past(7))))
                    .extracting(AddResult::outcome)
                    .containsExactly(AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
        }
    },
    INSERT_ALL_IF_NEW {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            assertThat(queue.insertIfNew(all(Jobs.past(7)))).containsExactly(false, true, true);
        }
    },
    CLAIM_MANY {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
            queue.add(request("2", Instant.EPOCH));
            assertThat(queue.accept(AcceptOptions.of("email").max(5).timeout(Duration.ZERO)))
                    .hasSize(2);
        }
    },
    SET_TIMEOUT {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.types().setTimeout("email", Duration.ofSeconds(7));
            queue.types().setTimeout("email", Duration.ofSeconds(8));
        }
    },
    EXPIRE(true) {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            try (SteppedMonitor monitor = new SteppedMonitor(queue)) {
                monitor.look();
                monitor.outlastTheTimeout();
                monitor.look();
                assertThat(monitor.recovered()).isEqualTo(1);
            }
        }
    },
    RUN {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
            try (Worker worker = queue.worker()
                    .id("w")
                    .handler("email", (data, context) -> 7)
                    .start()) {
                TestQueue.finished(queue, "email", "1");
                assertThat(worker.id()).isEqualTo("w");
            }
        }
    },
    REMOVE {
        @Override
        public void act(JobQueue queue, Optional<ClaimedJob> claim) {
            queue.remove("email", "1");
        }
    };

    public static final List<String> IDS = List.of("1", "2", "fresh");

    private final boolean owned;

    WritingVerb() {
        this(false);
    }

    WritingVerb(boolean owned) {
        this.owned = owned;
    }

    public abstract void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception;

    AcceptOptions accept() {
        return AcceptOptions.of("email").timeout(Duration.ZERO);
    }

    /** How many of its writes, from the first on, lose their answer, one after the other. */
    public int writes() {
        return switch (this) {
            case ADD_AT_ANOTHER_TIME, ADD_WHILE_RUNNING, ADD_ALL, REPLACE_ALL, SET_TIMEOUT -> 2;
            case RESUBMIT_AFTER_FINISH, CLAIM_MANY -> 2;
            case RUN -> 3;
            default -> 1;
        };
    }

    public Optional<ClaimedJob> prepare(JobQueue queue) throws Exception {
        queue.add(request("1", Instant.EPOCH));
        return owned ? Optional.of(queue.accept(accept()).get(0)) : Optional.empty();
    }

    /** With another time than the job that is there: a lost answer cannot tell an equal job of the same millisecond from it. */
    private static List<JobRequest> all(Instant time) {
        return IDS.stream().map(id -> request(id, time)).toList();
    }

    private static JobRequest request(String id, Instant time) {
        return JobRequest.builder("email")
                .id(id)
                .data(Map.of("n", 1))
                .scheduledTime(time)
                .build();
    }
}
