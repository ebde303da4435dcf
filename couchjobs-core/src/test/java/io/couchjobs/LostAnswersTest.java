package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchException;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.store.AcceptOptions;
import io.couchjobs.store.AddResult;
import io.couchjobs.store.CancelMode;
import io.couchjobs.store.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server stores a write and its answer is lost: the verb ends as if nothing had happened. */
class LostAnswersTest {
    private EmbeddedCouch server;
    private JobQueue queue;

    @BeforeEach
    void open() throws Exception {
        server = EmbeddedCouch.inMemory().start();
        queue = JobQueue.open(server.url().resolve("jobs").toString());
    }

    @AfterEach
    void close() throws Exception {
        queue.close();
        server.close();
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

        JobQueue second = JobQueue.open(server.url().resolve("other").toString());
        try {
            Optional<ClaimedJob> again = verb.prepare(second);
            server.faults().loseAnswer(1, LostAnswersTest::isWrite);
            verb.act(second, again);
            assertThat(state(second)).isEqualTo(expected);
        } finally {
            second.close();
        }
    }

    @Test
    void a_finish_whose_answer_and_whose_settling_are_lost_succeeds_when_it_is_called_again() throws Exception {
        ClaimedJob claim = Verb.FINISH.prepare(queue).orElseThrow();
        server.faults().loseAnswer(1, LostAnswersTest::isWrite);
        server.faults().cut(20, LostAnswersTest::isRead);
        assertThatThrownBy(() -> claim.finish("done")).isInstanceOf(CouchException.class);
        server.faults().clear();
        claim.finish("done");
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().asText()).isEqualTo("done");
    }

    @Test
    void a_claim_that_never_arrived_is_sent_again() throws Exception {
        Verb.CLAIM.prepare(queue);
        server.faults().cut(1, LostAnswersTest::isWrite);
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .singleElement()
                .extracting(ClaimedJob::fence)
                .isEqualTo(1L);
    }

    @Test
    void a_write_that_never_arrived_can_be_tried_again() throws Exception {
        ClaimedJob claim = Verb.FINISH.prepare(queue).orElseThrow();
        server.faults().cut(1, LostAnswersTest::isWrite);
        claim.finish("done");
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    /** All documents of the queue, without what differs from one run to the next. */
    private static List<String> state(JobQueue queue) {
        List<String> documents = new ArrayList<>();
        for (String id : List.of("1", "fresh")) {
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
                documents.add(document.toString());
            });
        }
        return documents;
    }

    private static boolean isWrite(Faults.Request request) {
        return request.path().endsWith("/_bulk_docs");
    }

    private static boolean isRead(Faults.Request request) {
        return request.path().endsWith("/_all_docs") || request.path().endsWith("/_bulk_get");
    }

    private static JobRequest request(String id, Instant time) {
        return JobRequest.builder("email")
                .id(id)
                .data(Map.of("n", 1))
                .scheduledTime(time)
                .build();
    }
}
