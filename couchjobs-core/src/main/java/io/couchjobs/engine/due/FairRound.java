package io.couchjobs.engine.due;

import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The order of {@link Strategy#fair}: the position of the round, and of each group in its counting scheme. Not
 * thread-safe.
 *
 * <p>Claims that succeed move the round on ({@link #won}); a choice does not. There is one exception: when the index
 * must be read behind groups without room, a choice moves the round past these groups. So the round can pass more such
 * groups than can be remembered. A stuck job uses up its group's turn in the round, but not in the counting scheme.
 */
final class FairRound {
    private static final int MOST_GROUPS = 10_000;
    /** A random beginning passes fewer groups than this. With more groups, some of them cannot be the first. */
    private static final int MOST_PASSED = 256;
    /** The most reads to find a random beginning, because each page may hold only one group. */
    private static final int MOST_READS = 16;

    private final Strategy scheme;
    /**
     * The position of each group in its counting scheme. The groups whose last turn is longest ago are forgotten, and
     * begin with high again.
     */
    private final Map<String, Integer> counters = RecentMap.byUse(MOST_GROUPS);

    private @Nullable String last;
    private int toPass;
    private int reads;

    FairRound(Strategy scheme) {
        this.scheme = scheme;
    }

    /** Makes the round go on after the group from which an earlier process of the worker took its last job. */
    FairRound after(String group) {
        last = group;
        return this;
    }

    /** Makes the round begin at a random group: a random number of groups is passed first, round and round. */
    FairRound anywhere(Random random) {
        toPass = random.nextInt(MOST_PASSED);
        return this;
    }

    /**
     * Chooses jobs in the order of the round.
     *
     * @param pools the jobs by line: see {@link Site#lines}
     * @param until the last time that is due
     */
    Choice choose(Map<String, Pool> pools, Instant until, int max, Taste taste) {
        while (toPass > 0) {
            Draft draft = new Draft(pools, until, taste);
            Job head = draft.head();
            if (head != null) {
                last = head.group();
                toPass--;
            } else if (draft.unread == null) {
                break;
            } else if (reads++ < MOST_READS) {
                return draft.choice();
            } else {
                toPass = 0;
            }
        }
        Draft draft = new Draft(pools, until, taste);
        Choice choice = draft.choose(max);
        if (choice.jobs().isEmpty() && choice.unread() != null) {
            last = draft.passed();
        }
        return choice;
    }

    /**
     * Moves the round on.
     *
     * @param jobs the claimed jobs in the order of the choice, as they were before their claims
     */
    void won(List<Job> jobs) {
        for (Job job : jobs) {
            last = job.group();
            if (job.status() != JobStatus.STUCK) {
                counters.put(job.group(), after(counters.getOrDefault(job.group(), 0)));
            }
        }
    }

    private int after(int turn) {
        return (turn + 1) % (scheme.high() + scheme.low());
    }

    /**
     * The chosen jobs, and where the index must be read before the next choice.
     *
     * @param jobs the jobs, in the order of the round
     * @param type the line with an unread part
     * @param unread where that part begins, or null when there is nothing more to choose
     */
    record Choice(List<Job> jobs, String type, @Nullable LaneKey unread) {}

    /**
     * The jobs to leave, and the preference among the first jobs of a lane.
     *
     * @param left selects the jobs to leave
     * @param width how many of the first jobs of a lane are equally good
     * @param picker picks one of several jobs that are equally good
     * @param hasRoom whether the group of a job has room, in the type of the job; a group without room misses its turn
     */
    record Taste(Predicate<Job> left, int width, Function<List<Job>, Job> picker, Predicate<Job> hasRoom) {}

    /** A choice in the making: the round as it will be when all claims succeed. */
    private final class Draft {
        private final Map<String, Pool> pools;
        private final Instant until;
        private final Taste taste;
        private final List<Job> chosen = new ArrayList<>();
        private final Set<Job> taken = new HashSet<>();
        private final Map<String, Integer> counts = new HashMap<>();
        private @Nullable String position = last;
        private String unreadType = "";
        private @Nullable LaneKey unread;
        /** The last group without room before the unread part. */
        private @Nullable String full;

        Draft(Map<String, Pool> pools, Instant until, Taste taste) {
            this.pools = pools;
            this.until = until;
            this.taste = taste;
        }

        Choice choose(int max) {
            while (chosen.size() < max) {
                Job next = next();
                if (next == null) {
                    break;
                }
                take(next);
            }
            return choice();
        }

        Choice choice() {
            return new Choice(List.copyOf(chosen), unreadType, unread);
        }

        /** Returns the next job, or null when there is none or an index must be read first. */
        private @Nullable Job next() {
            Job head = head();
            return head == null ? null : ofGroup(head.group());
        }

        /** Returns the group after which the round goes on. Up to this group, no line has a job in a group with room. */
        @Nullable
        String passed() {
            String group = full;
            if (group == null) {
                return position;
            }
            LaneKey end = LaneKey.afterGroup(group);
            LaneKey from = begin().compareTo(end) < 0 ? begin() : LaneKey.START;
            boolean isPassed = pools.values().stream()
                    .allMatch(pool -> firstWithRoom(pool, from, end).equals(Pool.Found.NONE));
            return isPassed ? group : position;
        }

        private LaneKey begin() {
            return position == null ? LaneKey.START : LaneKey.afterGroup(position);
        }

        /** Returns any job of the group whose turn it is, or null as for {@link #next}. */
        private @Nullable Job head() {
            LaneKey after = begin();
            Job head = nearest(after, LaneKey.END);
            if (head == null && unread == null && position != null) {
                head = nearest(LaneKey.START, after);
            }
            return unread == null ? head : null;
        }

        private @Nullable Job nearest(LaneKey from, LaneKey before) {
            return first(from, before, Comparator.comparing(Job::group));
        }

        private @Nullable Job ofGroup(String group) {
            boolean high = counts.getOrDefault(group, counters.getOrDefault(group, 0)) < scheme.high();
            int[] lanes = {LaneKey.STUCK, high ? LaneKey.HIGH : LaneKey.LOW, high ? LaneKey.LOW : LaneKey.HIGH};
            for (int lane : lanes) {
                LaneKey begin = LaneKey.lane(group, lane);
                Job job = first(begin, begin.nextLane(), DueWindow.OLDEST_FIRST);
                if (unread != null) {
                    return null;
                } else if (job != null) {
                    return preferred(job, begin);
                }
            }
            return null;
        }

        private @Nullable Job first(LaneKey from, LaneKey before, Comparator<Job> order) {
            Job first = null;
            for (Map.Entry<String, Pool> pool : pools.entrySet()) {
                Pool.Found found = firstWithRoom(pool.getValue(), from, before);
                if (found.unread() != null) {
                    unread = found.unread();
                    unreadType = pool.getKey();
                    return null;
                }
                Job job = found.job();
                first = job != null && (first == null || order.compare(job, first) < 0) ? job : first;
            }
            return first;
        }

        private Pool.Found firstWithRoom(Pool pool, LaneKey from, LaneKey before) {
            LaneKey at = from;
            while (at.compareTo(before) < 0) {
                Pool.Found found = pool.first(at, before, until, this::isSkipped);
                if (found.job() == null || taste.hasRoom().test(found.job())) {
                    return found;
                }
                full = found.job().group();
                at = LaneKey.afterGroup(full);
            }
            return Pool.Found.NONE;
        }

        private Job preferred(Job first, LaneKey lane) {
            Pool pool = pools.get(Site.lineOf(first));
            return taste.width() == 1 || pool == null
                    ? first
                    : taste.picker().apply(pool.several(lane, lane.nextLane(), until, this::isSkipped, taste.width()));
        }

        private boolean isSkipped(Job job) {
            return taken.contains(job) || taste.left().test(job);
        }

        private void take(Job job) {
            chosen.add(job);
            taken.add(job);
            position = job.group();
            if (job.status() != JobStatus.STUCK) {
                int before = counts.getOrDefault(job.group(), counters.getOrDefault(job.group(), 0));
                counts.put(job.group(), after(before));
            }
        }
    }
}
