package io.couchjobs.interleavings;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.ServerTest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two or three players work on one job, in every order of their requests; see {@link StepRules} and {@link CallRules}. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class InterleavingsTest {
    private static final Instant NOW = Instant.EPOCH;
    private static final Instant LATER = Jobs.past(7);
    private static final Instant MUCH_LATER = Jobs.past(9);

    private Explorer explorer;
    private String name;

    @BeforeEach
    void open(TestDatabase database, TestInfo test) throws Exception {
        explorer = new Explorer(database);
        name = test.getDisplayName();
    }

    @AfterEach
    void close() {
        explorer.close();
    }

    @Test
    void two_claimers() throws Exception {
        explore(players -> {
            players.get(0).add(NOW);
            return List.of(claimAndFinish(players.get(0)), claimAndFinish(players.get(1)));
        });
    }

    @Test
    void three_claimers() throws Exception {
        explore(players -> {
            players.get(0).add(NOW);
            return List.of(() -> players.get(0).claim(), () -> players.get(1).claim(), () -> players.get(2)
                    .claim());
        });
    }

    @Test
    void a_claimer_and_a_creator_who_adds_again_at_another_time() throws Exception {
        explore(players -> {
            players.get(0).add(NOW);
            return List.of(claimAndFinish(players.get(0)), () -> players.get(1).add(LATER));
        });
    }

    @Test
    void a_claimer_and_somebody_who_cancels() throws Exception {
        for (CancelMode mode : CancelMode.values()) {
            explore(players -> {
                players.get(0).add(NOW);
                return List.of(
                        claimAndFinish(players.get(0)), () -> players.get(1).cancel(mode));
            });
        }
    }

    @Test
    void a_claimer_and_those_who_change_a_pending_job() throws Exception {
        explore(players -> {
            players.get(0).add(NOW);
            return List.of(claimAndFinish(players.get(0)), () -> players.get(1).setPriority(99), () -> players.get(2)
                    .reschedule(LATER));
        });
    }

    @Test
    void an_owner_who_finishes_and_a_creator_who_adds() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> updateAndFinish(owner, claim), () -> players.get(1).add(LATER)));
    }

    @Test
    void an_owner_who_finishes_and_somebody_who_cancels() throws Exception {
        for (CancelMode mode : CancelMode.values()) {
            exploreOwned((owner, claim, players) -> List.of(
                    () -> updateAndFinish(owner, claim), () -> players.get(1).cancel(mode)));
        }
    }

    @Test
    void an_owner_who_fails_and_somebody_who_cancels() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> owner.fail(claim), () -> players.get(1).cancel(CancelMode.REQUEST)));
    }

    @Test
    void an_owner_who_fails_and_somebody_who_resubmits() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> owner.fail(claim), () -> players.get(1).resubmit(LATER)));
    }

    @Test
    void an_owner_who_fails_and_somebody_who_retries() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> owner.fail(claim), () -> players.get(1).retry()));
    }

    @Test
    void an_owner_who_resubmits_and_others_who_add_and_cancel() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> {
                    owner.resubmitOwn(claim, LATER);
                    owner.finish(claim);
                },
                () -> players.get(1).add(MUCH_LATER),
                () -> players.get(2).cancel(CancelMode.REQUEST)));
    }

    @Test
    void an_owner_who_finishes_and_somebody_who_removes() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> updateAndFinish(owner, claim), () -> players.get(1).remove()));
    }

    @Test
    void an_owner_who_finishes_and_somebody_who_removes_and_adds_anew() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(() -> updateAndFinish(owner, claim), () -> {
            players.get(1).remove();
            players.get(1).add(NOW);
        }));
    }

    @Test
    void a_job_that_is_removed_and_added_anew_and_claimed_by_a_rival() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> owner.finish(claim),
                () -> {
                    players.get(1).remove();
                    players.get(1).add(NOW);
                },
                () -> players.get(2).claim()));
    }

    @Test
    void an_owner_who_updates_and_a_monitor() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> {
                    owner.update(claim);
                    owner.update(claim);
                    owner.finish(claim);
                },
                () -> players.get(1).expire()));
    }

    @Test
    void an_owner_who_finishes_and_a_monitor_and_a_rival_who_claims() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> owner.finish(claim), () -> players.get(1).expire(), claimAndFinish(players.get(2))));
    }

    @Test
    void an_owner_who_gives_back_and_a_monitor_and_a_rival_who_claims() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> owner.release(claim), () -> players.get(1).expire(), () -> players.get(2)
                        .claim()));
    }

    @Test
    void two_monitors() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> players.get(0).expire(), () -> players.get(1).expire()));
    }

    @Test
    void a_monitor_and_a_creator_who_adds_and_somebody_who_cancels() throws Exception {
        exploreOwned((owner, claim, players) ->
                List.of(() -> players.get(0).expire(), () -> players.get(1).add(LATER), () -> players.get(2)
                        .cancel(CancelMode.REQUEST)));
    }

    @Test
    void two_creators_who_add() throws Exception {
        explore(players ->
                List.of(() -> players.get(0).add(NOW), () -> players.get(1).add(LATER)));
    }

    @Test
    void two_creators_who_insert() throws Exception {
        explore(players ->
                List.of(() -> players.get(0).insert(NOW), () -> players.get(1).insert(LATER)));
    }

    @Test
    void creators_who_insert_if_new_and_a_worker() throws Exception {
        explore(players -> List.of(
                () -> players.get(0).insertIfNew(NOW),
                () -> players.get(1).insertIfNew(LATER),
                claimAndFinish(players.get(2))));
    }

    @Test
    void a_creator_who_adds_and_one_who_inserts_and_one_who_removes() throws Exception {
        explore(players ->
                List.of(() -> players.get(0).add(NOW), () -> players.get(1).insert(LATER), () -> players.get(2)
                        .remove()));
    }

    @Test
    void an_owner_and_a_client_of_another_language_that_puts_a_field() throws Exception {
        exploreOwned((owner, claim, players) -> List.of(
                () -> updateAndFinish(owner, claim), () -> players.get(1).putForeignField()));
    }

    @Test
    void a_claimer_and_a_client_of_another_language_that_puts_a_field() throws Exception {
        explore(players -> {
            players.get(0).add(NOW);
            return List.of(claimAndFinish(players.get(0)), () -> players.get(1).putForeignField());
        });
    }

    private void explore(Scenario scenario) throws Exception {
        Report report = explorer.explore(name, scenario);
        assertThat(report.orders() + report.samples()).isGreaterThan(1);
    }

    private void exploreOwned(Owned scenario) throws Exception {
        explore(players -> {
            Player owner = players.get(0);
            owner.add(NOW);
            ClaimedJob claim = owner.claim().orElseThrow();
            return scenario.scripts(owner, claim, players);
        });
    }

    private static Script claimAndFinish(Player player) {
        return () -> {
            Optional<ClaimedJob> claim = player.claim();
            if (claim.isPresent()) {
                player.finish(claim.get());
            }
        };
    }

    private static void updateAndFinish(Player owner, ClaimedJob claim) {
        owner.update(claim);
        owner.finish(claim);
    }

    /** What the players do with a job that the first of them owns. */
    private interface Owned {
        List<Script> scripts(Player owner, ClaimedJob claim, List<Player> players);
    }
}
