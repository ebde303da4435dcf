package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.AddResult;
import io.couchjobs.store.CancelMode;
import io.couchjobs.store.ClaimedJob;
import io.couchjobs.worker.SteppedMonitor;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server stores a write and its answer is lost: the verb ends as if nothing had happened. */
@ServerTest
class LostAnswersTest {
    private static final List<String> IDS = List.of("1", "2", "fresh");

    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase own) {
        database = own;
        proxy = Proxy.before(own.server());
        queue = TestQueue.open(proxy.door(own));
    }

    @AfterEach
    void close() {
        queue.close();
        proxy.close();
    }

    /** Every verb that writes, on a job that is as the verb needs it. */
    enum Verb {
        ADD {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.add(request("fresh", Instant.EPOCH)).outcome()).isEqualTo(AddResult.Outcome.ADDED);
            }
        },
        INSERT {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.insert(request("fresh", Instant.EPOCH));
            }
        },
        INSERT_IF_NEW {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.insertIfNew(request("fresh", Instant.EPOCH))).isTrue();
            }
        },
        ADD_AT_ANOTHER_TIME {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.add(request("1", Instant.ofEpochMilli(7)));
            }
        },
        ADD_WHILE_RUNNING(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.add(request("1", Instant.ofEpochMilli(7)));
            }
        },
        CLAIM {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
                assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                        .hasSize(1);
            }
        },
        START(true) {
            @Override
            AcceptOptions accept() {
                return super.accept().unstarted();
            }

            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().start();
            }
        },
        UPDATE(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().update(Map.of("n", 2));
            }
        },
        FINISH(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().finish(Map.of("ok", 1.5));
            }
        },
        FAIL(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().fail(JobError.Kind.FAILED, "boom", null, false);
            }
        },
        RELEASE(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().release();
            }
        },
        ACKNOWLEDGE_CANCEL(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().acknowledgeCancel("asked to");
            }
        },
        RESUBMIT(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().resubmit(Instant.ofEpochMilli(7));
            }
        },
        CANCEL {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.cancel("email", "1", CancelMode.IF_QUEUED);
            }
        },
        REQUEST_CANCEL(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.cancel("email", "1", CancelMode.REQUEST);
            }
        },
        RESCHEDULE {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.reschedule("email", "1", Instant.ofEpochMilli(7));
            }
        },
        RETRY {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.retryNow("email", "1");
            }
        },
        RESUBMIT_AFTER_FINISH(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                claim.orElseThrow().finish();
                queue.resubmit("email", "1", Instant.ofEpochMilli(7));
            }
        },
        SET_PRIORITY {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.setPriority("email", "1", 99);
            }
        },
        ADD_ALL {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.addAll(all(Instant.ofEpochMilli(7))))
                        .extracting(AddResult::outcome)
                        .containsExactly(AddResult.Outcome.UPDATED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
            }
        },
        REPLACE_ALL {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.replaceAll(all(Instant.EPOCH)))
                        .extracting(AddResult::outcome)
                        .containsExactly(AddResult.Outcome.UPDATED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
            }
        },
        INSERT_ALL {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.insertAll(all(Instant.EPOCH)))
                        .extracting(AddResult::outcome)
                        .containsExactly(AddResult.Outcome.REJECTED, AddResult.Outcome.ADDED, AddResult.Outcome.ADDED);
            }
        },
        INSERT_ALL_IF_NEW {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                assertThat(queue.insertAllIfNew(all(Instant.EPOCH))).containsExactly(false, true, true);
            }
        },
        CLAIM_MANY {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
                queue.add(request("2", Instant.EPOCH));
                assertThat(queue.accept(AcceptOptions.of("email").max(5).timeout(Duration.ZERO)))
                        .hasSize(2);
            }
        },
        SET_TIMEOUT {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.setTypeTimeout("email", Duration.ofSeconds(7));
                queue.setTypeTimeout("email", Duration.ofSeconds(8));
            }
        },
        EXPIRE(true) {
            @Override
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
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
            void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception {
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
            void act(JobQueue queue, Optional<ClaimedJob> claim) {
                queue.remove("email", "1");
            }
        };

        private final boolean owned;

        Verb() {
            this(false);
        }

        Verb(boolean owned) {
            this.owned = owned;
        }

        abstract void act(JobQueue queue, Optional<ClaimedJob> claim) throws Exception;

        AcceptOptions accept() {
            return AcceptOptions.of("email").timeout(Duration.ZERO);
        }

        /** How many of its writes, from the first on, lose their answer, one after the other. */
        int writes() {
            return switch (this) {
                case ADD_AT_ANOTHER_TIME, ADD_WHILE_RUNNING, ADD_ALL, REPLACE_ALL, SET_TIMEOUT -> 2;
                case RESUBMIT_AFTER_FINISH, CLAIM_MANY -> 2;
                case RUN -> 3;
                default -> 1;
            };
        }

        Optional<ClaimedJob> prepare(JobQueue queue) throws Exception {
            queue.add(request("1", Instant.EPOCH));
            return owned ? Optional.of(queue.accept(accept()).get(0)) : Optional.empty();
        }
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void every_verb_ends_in_the_same_state_as_without_the_fault(Verb verb) throws Exception {
        Optional<ClaimedJob> claim = verb.prepare(queue);
        verb.act(queue, claim);
        List<String> expected = state(queue);

        for (int lost = 0; lost < verb.writes(); lost++) {
            TestDatabase other = new TestDatabase(database.server(), database.name() + "-" + lost);
            try (JobQueue second = TestQueue.open(proxy.door(other))) {
                Optional<ClaimedJob> again = verb.prepare(second);
                Lost fault = proxy.loseAnswers(1, new Nth(lost, LostAnswersTest::isWrite));
                verb.act(second, again);
                assertThat(fault.count()).as("answers lost").isEqualTo(1);
                assertThat(state(second)).as("with answer %d lost", lost).isEqualTo(expected);
                proxy.clear();
                second.database().delete();
            }
        }
    }

    @Test
    void a_finish_whose_answer_and_whose_settling_are_lost_succeeds_when_it_is_called_again() throws Exception {
        ClaimedJob claim = Verb.FINISH.prepare(queue).orElseThrow();
        proxy.loseAnswers(1, LostAnswersTest::isWrite);
        proxy.loseRequests(20, Proxy.Request::isLookup);
        assertThatThrownBy(() -> claim.finish("done")).isInstanceOf(CouchException.class);
        proxy.clear();
        claim.finish("done");
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().asText()).isEqualTo("done");
    }

    @Test
    void a_claim_that_never_arrived_is_sent_again() throws Exception {
        Verb.CLAIM.prepare(queue);
        proxy.loseRequests(1, LostAnswersTest::isWrite);
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .singleElement()
                .extracting(ClaimedJob::fence)
                .isEqualTo(1L);
    }

    @Test
    void a_write_that_never_arrived_can_be_tried_again() throws Exception {
        ClaimedJob claim = Verb.FINISH.prepare(queue).orElseThrow();
        proxy.loseRequests(1, LostAnswersTest::isWrite);
        claim.finish("done");
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    /** All documents of the queue, without what differs from one run to the next. */
    private static List<String> state(JobQueue queue) {
        List<String> documents = new ArrayList<>();
        for (String id : IDS) {
            queue.get("email", id).ifPresent(job -> {
                ObjectNode document = job.toDocument();
                ObjectNode times = (ObjectNode) document.get("times");
                List.copyOf(times.properties()).forEach(time -> times.put(time.getKey(), "some time"));
                document.remove("_rev");
                if (document.get("lock") instanceof ObjectNode lock) {
                    lock.retain("nothing");
                }
                document.path("errors").forEach(error -> ((ObjectNode) error).remove("at"));
                if (job.status() == JobStatus.STUCK) {
                    document.remove("scheduledTime");
                }
                documents.add(document.toString().replaceAll("client-[-0-9a-f]{36}", "client"));
            });
        }
        documents.add(queue.settings("email").timeout().toString());
        return documents;
    }

    private static boolean isWrite(Proxy.Request request) {
        return request.isBulkWrite() || request.isWriteOf("type:") || request.isWriteOf("worker:");
    }

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

    /** The n-th of the requests that match, from 0 on. */
    private static final class Nth implements Predicate<Proxy.Request> {
        private final Predicate<Proxy.Request> which;
        private int left;

        Nth(int n, Predicate<Proxy.Request> which) {
            this.left = n;
            this.which = which;
        }

        @Override
        public boolean test(Proxy.Request request) {
            return which.test(request) && left-- == 0;
        }
    }
}
