package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import io.couchjobs.testing.Jobs;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is read of the index by groups when very many of them have no room. */
class FullGroupsTest {
    private static final int PAGE = 100;
    private static final int ENDLESS = 1_000;

    /** Six thousand rows more than are remembered. */
    private static final int MANY = 260;

    private static final NavigableMap<LaneKey, Job> ROWS = rows();

    private NavigableMap<LaneKey, Job> index = ROWS;
    private final Set<String> withRoom = new HashSet<>();
    private final Capacity capacity = new Capacity(false, job -> withRoom.contains(job.group()));
    private final KnownJobs stock = new KnownJobs();
    private final Chooser chooser = chooser();
    private int reads;

    private Chooser chooser() {
        ServerClock clock = new ServerClock(() -> Jobs.NOW, () -> Duration.ZERO, () -> 0);
        return new Chooser(
                clock,
                Environment.REAL,
                new WorkerRanking("here", Site.UNNAMED),
                line -> stock,
                new Admission(() -> {}, clock::nanos));
    }

    static List<Strategy> strategies() {
        return List.of(Strategy.FIFO, Strategy.fair(1, 1));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void a_look_ends_though_more_groups_are_full_than_it_can_remember(Strategy strategy) {
        assertThat(look(strategy)).isEmpty();
        assertThat(reads).isLessThan(250);
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void a_group_with_room_behind_them_is_found_by_one_of_the_next_looks(Strategy strategy) {
        withRoom.add(group(MANY - 1));
        int looks = 1;
        while (look(strategy).isEmpty()) {
            assertThat(++looks).isLessThan(10);
        }
        withRoom.clear();
        withRoom.add(group(3));
        while (look(strategy).isEmpty()) {
            assertThat(++looks).as("the groups before it are not forgotten").isLessThan(20);
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void full_groups_that_can_be_remembered_are_read_once(Strategy strategy) {
        index = ROWS.headMap(LaneKey.afterGroup(group(150)), true);
        assertThat(look(strategy)).isEmpty();
        int once = reads;
        assertThat(look(strategy)).isEmpty();
        assertThat(reads).isEqualTo(once);
    }

    private List<Job> look(Strategy strategy) {
        stock.beginLook();
        AcceptOptions options = AcceptOptions.of("email").strategy(strategy);
        for (int i = 0; i < ENDLESS; i++) {
            Chooser.Choice choice = chooser.choose(List.of("email"), Jobs.NOW, options, true, capacity);
            if (choice.unread().isEmpty()) {
                return choice.jobs();
            }
            read(choice.unread().get());
        }
        throw new AssertionError("there is always more to read");
    }

    private void read(Chooser.Unread unread) {
        reads++;
        Scan scan = stock.scan(unread.order());
        long begun = scan.beginRead();
        NavigableMap<LaneKey, Job> rest = index.tailMap(unread.from(), true);
        List<LaneKey> rows = rest.keySet().stream().limit(PAGE).toList();
        List<Job> jobs = rest.values().stream().limit(PAGE).toList();
        scan.read(begun, unread.from(), new JobIndex.Page(jobs, rows, rows.size() < PAGE), Jobs.NOW, jobs);
        scan.endRead();
    }

    private static NavigableMap<LaneKey, Job> rows() {
        NavigableMap<LaneKey, Job> rows = new TreeMap<>();
        for (int group = 0; group < MANY; group++) {
            for (int i = 0; i < PAGE; i++) {
                Job job = Job.parse(Jobs.json("{'_id':'job:email:" + group + "-" + i + "','_rev':'1-x','group':'"
                        + group(group) + "','scheduledTime':" + i + "}"));
                rows.put(LaneKey.Order.TURNS.of(job), job);
            }
        }
        return rows;
    }

    private static String group(int number) {
        return String.format("g%03d", number);
    }
}
