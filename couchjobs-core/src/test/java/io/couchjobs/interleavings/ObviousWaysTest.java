package io.couchjobs.interleavings;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Players that write the way that comes to mind first: each breaks a rule in some order, and the explorer finds it. */
@ServerTest
class ObviousWaysTest {
    private static final Instant NOW = Instant.EPOCH;

    private Explorer explorer;

    @BeforeEach
    void open(TestDatabase database) throws Exception {
        explorer = Explorer.ofAllOrders(database);
    }

    @AfterEach
    void close() {
        explorer.close();
    }

    @Test
    void finishing_on_a_revision_read_just_before_ends_the_run_of_another() {
        assertBroken("the token that was written with", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(
                    () -> finishWhatRuns(players.get(0), claim),
                    () -> players.get(1).expire(),
                    () -> players.get(2).claim());
        });
    }

    @Test
    void finishing_without_looking_at_the_lock_finishes_a_job_that_nobody_runs() {
        assertBroken("writes of owners to a job that nobody owns", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(() -> finishOnAFreshRevision(players.get(0), claim), () -> players.get(1)
                    .expire());
        });
    }

    @Test
    void claiming_on_the_revision_of_a_document_read_after_its_row_takes_the_job_from_its_owner() {
        assertBroken("the owner whom a claim takes the job from", players -> {
            players.get(0).add(NOW);
            return List.of(() -> claimOnAFreshRevision(players.get(0)), () -> claimOnAFreshRevision(players.get(1)));
        });
    }

    @Test
    void writing_ones_own_copy_again_on_a_newer_revision_loses_what_others_set() {
        assertBroken("a resubmitted job that ends", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(() -> finishWithOnesOwnCopy(players.get(0), claim), () -> players.get(1)
                    .resubmit(Jobs.past(7)));
        });
        assertBroken("a field of others", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(() -> finishWithOnesOwnCopy(players.get(0), claim), () -> players.get(1)
                    .putForeignField());
        });
    }

    @Test
    void expiring_what_is_there_now_takes_the_job_from_an_owner_that_is_alive() {
        assertBroken("the revision that a monitor saw all the time", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(() -> players.get(0).update(claim), () -> expireWhatIsThereNow(players.get(1)));
        });
    }

    @Test
    void adding_over_whatever_is_there_ends_a_run() {
        assertBroken("what ends a run", players -> {
            players.get(0).add(NOW);
            return List.of(() -> players.get(0).claim(), () -> addOver(players.get(1)));
        });
    }

    @Test
    void a_job_whose_lock_is_left_behind_is_seen() {
        assertBroken("is no job any more", players -> {
            ClaimedJob claim = owned(players.get(0));
            return List.of(() -> players.get(0)
                    .make(
                            Verb.RELEASE,
                            claim.token(),
                            null,
                            () -> edit(players.get(0), document -> document.put("status", "waiting"))));
        });
    }

    @Test
    void a_job_that_is_put_aside_for_ever_is_seen() {
        assertBroken(
                "the job runs after it was added",
                players -> List.of(() -> {
                    players.get(0).add(NOW);
                    players.get(0)
                            .make(
                                    Verb.RETRY,
                                    null,
                                    null,
                                    () -> edit(players.get(0), document -> document.put("status", "failed")));
                }));
    }

    private void assertBroken(String rule, Scenario scenario) {
        assertThatThrownBy(() -> explorer.explore("obvious", scenario))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(rule);
    }

    private static ClaimedJob owned(Player owner) {
        owner.add(NOW);
        return owner.claim().orElseThrow();
    }

    private static void finishOnAFreshRevision(Player player, ClaimedJob claim) {
        player.make(
                Verb.FINISH,
                claim.token(),
                null,
                () -> edit(player, document -> {
                    document.put("status", "success");
                    document.remove("lock");
                }));
    }

    private static void finishWhatRuns(Player player, ClaimedJob claim) {
        player.make(
                Verb.FINISH,
                claim.token(),
                null,
                () -> edit(player, document -> {
                    if (!document.path("status").asText().equals("running")) {
                        throw new HaltException(player.id(), "does not run");
                    }
                    document.put("status", "success");
                    document.remove("lock");
                }));
    }

    private static void finishWithOnesOwnCopy(Player player, ClaimedJob claim) {
        player.make(Verb.FINISH, claim.token(), null, () -> {
            ObjectNode document = claim.job().toDocument();
            document.put("status", "success");
            document.remove("lock");
            while (!(database(player).put(document) instanceof WriteResult.Stored)) {
                document.set(
                        "_rev",
                        database(player).get(player.id().docId()).orElseThrow().get("_rev"));
            }
            return claim.job();
        });
    }

    private static void claimOnAFreshRevision(Player player) {
        player.make(Verb.CLAIM, null, null, () -> {
            if (player.queue().types().pendingCount(player.id().type(), Instant.EPOCH, 1) == 0) {
                return List.of();
            }
            edit(player, document -> {
                document.put("status", "running")
                        .put("fence", document.path("fence").asInt() + 1);
                document.putObject("lock")
                        .put("token", UUID.randomUUID().toString())
                        .put("worker", player.name)
                        .put("since", 1);
            });
            return List.of(player.name);
        });
    }

    private static void expireWhatIsThereNow(Player player) {
        player.make(Verb.EXPIRE, null, null, () -> {
            if (player.queue().types().activeIds(player.id().type()).isEmpty()) {
                return "nothing";
            }
            return edit(player, document -> {
                document.put("status", "waiting");
                document.remove("lock");
            });
        });
    }

    private static void addOver(Player player) {
        player.make(
                Verb.ADD,
                null,
                NOW,
                () -> edit(player, document -> {
                    document.put("status", "waiting");
                    document.remove("lock");
                }));
    }

    /** Reads, changes, writes; from the start when somebody else wrote in between. */
    private static String edit(Player player, Consumer<ObjectNode> change) {
        while (true) {
            ObjectNode document = database(player).get(player.id().docId()).orElseThrow();
            change.accept(document);
            if (database(player).put(document) instanceof WriteResult.Stored) {
                return "done";
            }
        }
    }

    private static CouchDatabase database(Player player) {
        return player.queue().database();
    }
}
