package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FairRoundTest {
    static final FairRound.Taste STRICT = new FairRound.Taste(job -> false, 1, jobs -> jobs.get(0), job -> true);

    private static final List<String> TYPES = List.of("email", "sms");
    private static final List<String> GROUPS = List.of("", "a", "B", "b", "b\u200b", "ä", "zz", "\ud83d\ude00");

    @Test
    void takes_jobs_exactly_in_the_order_of_the_rules_whatever_happens_meanwhile() {
        long seed = Long.getLong("couchjobs.seed", System.nanoTime());
        for (int round = 0; round < 60; round++) {
            new Play(seed + round).run();
        }
    }

    @Test
    void high_high_low_and_then_again() {
        assertThat(order(Strategy.fair(2, 1), "hhhhhlll")).isEqualTo("hhlhhlhl");
    }

    @Test
    void a_class_that_has_nothing_gives_its_turn_to_the_other() {
        assertThat(order(Strategy.fair(2, 1), "lll")).isEqualTo("lll");
        assertThat(order(Strategy.fair(1, 3), "hhhh")).isEqualTo("hhhh");
        assertThat(order(Strategy.fair(1, 0), "lhlh")).isEqualTo("hhll");
    }

    @Test
    void a_stuck_job_goes_first_and_is_no_turn_of_the_counting_scheme() {
        assertThat(order(Strategy.fair(2, 1), "shlhslh")).isEqualTo("sshhlhl");
    }

    @Test
    void the_round_stands_still_when_a_claim_is_lost() {
        FairRound round = new FairRound(Strategy.fair(1, 1));
        Map<String, Pool> pools = Map.of(
                "email",
                new KnownPool(
                        List.of(job("a1", "a", 50, 1), job("a2", "a", 50, 2), job("b1", "b", 50, 1)),
                        LaneKey.Order.TURNS));
        Job first = choose(round, pools);
        assertThat(first.group()).isEqualTo("a");
        round.won(List.of());
        assertThat(choose(round, pools).group()).isEqualTo("a");
        round.won(List.of(first));
        assertThat(choose(round, pools).group()).isEqualTo("b");
    }

    @Test
    void a_round_may_begin_at_any_group() {
        List<Job> jobs = List.of(job("1", "a", 50, 1), job("2", "b", 50, 1), job("3", "c", 50, 1));
        Map<String, Pool> pools = Map.of("email", new KnownPool(jobs, LaneKey.Order.TURNS));
        List<String> first = new ArrayList<>();
        for (int passed = 0; passed < 4; passed++) {
            first.add(choose(beginning(passed), pools).group());
        }
        assertThat(first).containsExactly("a", "b", "c", "a");
    }

    @Test
    void a_beginning_at_any_of_many_groups_costs_few_reads() {
        LaneIndex index = new LaneIndex(LaneKey.Order.TURNS);
        for (int i = 0; i < 400; i++) {
            index.put(job("" + i, String.format("%03d", i / 10), 50, i));
        }
        FairRound round = beginning(255);
        Scan scan = new Scan(LaneKey.Order.TURNS);
        FairRound.Choice choice = round.choose(Map.of("email", scan), Jobs.NOW, 1, STRICT);
        while (choice.unread() != null) {
            long begun = scan.beginRead();
            JobIndex.Page page = index.page("email", choice.unread(), 5);
            scan.read(begun, choice.unread(), page, Jobs.NOW, page.jobs());
            scan.endRead();
            choice = round.choose(Map.of("email", scan), Jobs.NOW, 1, STRICT);
        }
        assertThat(choice.jobs()).hasSize(1);
        assertThat(index.reads).isBetween(10, 20);
    }

    @Test
    void a_job_of_a_site_is_preferred_among_those_of_its_own_line() {
        List<Job> jobs = List.of(ofSite("1"), ofSite("2"), ofSite("3"));
        Map<String, Pool> pools = new LinkedHashMap<>();
        pools.put("email:munich", new KnownPool(jobs, LaneKey.Order.TURNS));
        pools.put("email", new KnownPool(List.of(), LaneKey.Order.TURNS));
        FairRound.Taste loose = new FairRound.Taste(job -> false, 2, good -> good.get(1), job -> true);

        FairRound.Choice choice = new FairRound(Strategy.fair(1, 1)).choose(pools, Jobs.NOW, 1, loose);

        assertThat(choice.jobs()).extracting(job -> job.id().id()).containsExactly("2");
    }

    private static Job ofSite(String id) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id + "','_rev':'1-x','site':'munich','group':'g'}"));
    }

    private static FairRound beginning(int passed) {
        return new FairRound(Strategy.fair(1, 1)).anywhere(new Random() {
            private static final long serialVersionUID = 1L;

            @Override
            public int nextInt(int bound) {
                return passed;
            }
        });
    }

    @Test
    void a_scheme_must_have_a_turn() {
        assertThatThrownBy(() -> Strategy.fair(0, 0)).hasMessageContaining("not both 0");
        assertThatThrownBy(() -> Strategy.fair(-1, 2)).hasMessageContaining("from 0 to 1000");
        assertThatThrownBy(() -> Strategy.fair(2, 1001)).hasMessageContaining("from 0 to 1000");
    }

    private static Job choose(FairRound round, Map<String, Pool> pools) {
        return round.choose(pools, Jobs.NOW, 1, STRICT).jobs().get(0);
    }

    /** The classes of the jobs of one group, in the order in which they are taken. */
    private static String order(Strategy scheme, String classes) {
        List<Job> jobs = new ArrayList<>();
        for (int i = 0; i < classes.length(); i++) {
            char kind = classes.charAt(i);
            jobs.add(
                    kind == 's'
                            ? Job.parse(Jobs.json(
                                    "{'_id':'job:email:" + i + "s','_rev':'1-x','status':'stuck','group':'g'}"))
                            : job(i + "" + kind, "g", kind == 'h' ? 75 : 50, i));
        }
        FairRound round = new FairRound(scheme);
        StringBuilder order = new StringBuilder();
        while (!jobs.isEmpty()) {
            Job next = choose(round, Map.of("email", new KnownPool(jobs, LaneKey.Order.TURNS)));
            round.won(List.of(next));
            jobs.remove(next);
            order.append(next.id().id().charAt(next.id().id().length() - 1));
        }
        return order.toString();
    }

    private static Job job(String id, String group, int priority, long time) {
        return Job.parse(Jobs.json("{'_id':'job:email:" + id + "','_rev':'1-x','group':'" + group + "','priority':"
                + priority + ",'scheduledTime':" + Jobs.past(time).toEpochMilli() + "}"));
    }

    /** One game: jobs come, change and go, and each choice is compared with what the rules say. */
    private static final class Play {
        private final long seed;
        private final Random random;
        private final LaneIndex index = new LaneIndex(LaneKey.Order.TURNS);
        private final Map<String, Pool> scans = new LinkedHashMap<>();
        private final FairRound round;
        private final FairModel model;
        private long now = Jobs.past(1_000).toEpochMilli();
        private int number;

        Play(long seed) {
            this.seed = seed;
            this.random = new Random(seed * 0x9E3779B97F4A7C15L); // alike seeds begin alike
            int high = random.nextInt(4);
            int low = random.nextInt(3) + (high == 0 ? 1 : 0);
            this.round = new FairRound(Strategy.fair(high, low));
            this.model = new FairModel(high, low);
            TYPES.forEach(type -> scans.put(type, new Scan(LaneKey.Order.TURNS)));
        }

        void run() {
            for (int i = random.nextInt(60); i > 0; i--) {
                index.put(newJob());
            }
            for (int step = 0; step < 60; step++) {
                now += random.nextInt(30);
                happen();
                takeSome();
            }
        }

        private void happen() {
            for (int i = random.nextInt(4); i > 0; i--) {
                Job job = random.nextBoolean() || index.jobs.isEmpty() ? newJob() : changedJob();
                index.put(job);
                scan(job.type()).changed(job);
            }
            if (random.nextInt(15) == 0) {
                scans.values().forEach(scan -> ((Scan) scan).doubt());
            }
            if (random.nextInt(25) == 0) {
                scans.values().forEach(scan -> ((Scan) scan).forget());
            }
        }

        private void takeSome() {
            int max = 1 + random.nextInt(5);
            List<Job> expected = new ArrayList<>();
            List<Job> left = new ArrayList<>(index.jobs.values());
            FairModel ahead = model.copy();
            for (int i = 0; i < max; i++) {
                ahead.next(left, now()).ifPresent(job -> {
                    ahead.claimed(job);
                    left.remove(job);
                    expected.add(job);
                });
            }
            List<Job> chosen = choose(max);
            assertThat(chosen.stream().map(FairModel::place))
                    .as("seed %d, -Dcouchjobs.seed repeats it", seed)
                    .containsExactlyElementsOf(
                            expected.stream().map(FairModel::place).toList());
            settle(chosen);
        }

        private void settle(List<Job> chosen) {
            List<Job> won = chosen.stream().filter(job -> random.nextInt(5) > 0).toList();
            round.won(won);
            won.forEach(model::claimed);
            chosen.forEach(job -> {
                scan(job.type()).remove(job.id().docId());
                scan(job.type()).markMoved(job.id().docId());
                index.jobs.remove(job.id().docId());
            });
        }

        private List<Job> choose(int max) {
            for (int reads = 0; reads < 10_000; reads++) {
                FairRound.Choice choice = round.choose(scans, now(), max, STRICT);
                if (choice.unread() == null) {
                    return choice.jobs();
                }
                read(choice.type(), choice.unread());
            }
            throw new AssertionError("seed " + seed + ": there is always more to read");
        }

        private void read(String type, LaneKey from) {
            Scan scan = scan(type);
            long begun = scan.beginRead();
            JobIndex.Page page = index.page(type, from, 2 + random.nextInt(8));
            if (random.nextInt(10) == 0) {
                scan.doubt();
            }
            scan.read(begun, from, page, now(), page.jobs());
            scan.endRead();
        }

        private Scan scan(String type) {
            return (Scan) scans.get(type);
        }

        private Instant now() {
            return Instant.ofEpochMilli(now);
        }

        private Job newJob() {
            return job("job:" + TYPES.get(random.nextInt(2)) + ":" + number++, 1);
        }

        private Job changedJob() {
            List<Job> jobs = new ArrayList<>(index.jobs.values());
            Job old = jobs.get(random.nextInt(jobs.size()));
            return job(old.id().docId(), Rev.generation(old.rev().orElseThrow()) + 1);
        }

        private Job job(String docId, long generation) {
            var document = Jobs.json("{'_id':'" + docId + "','_rev':'" + generation + "-x'}");
            document.put("group", GROUPS.get(random.nextInt(GROUPS.size())));
            document.put("priority", List.of(0, 50, 51, 99).get(random.nextInt(4)));
            document.put("scheduledTime", random.nextInt(3) == 0 ? 0 : now - 100 + random.nextInt(400));
            document.put("status", random.nextInt(6) == 0 ? "stuck" : "waiting");
            return Job.parse(document);
        }
    }
}
