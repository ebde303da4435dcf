package io.couchjobs.engine.due;

import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.feed.FeedEvent;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Workers that choose jobs by the product's rules, each with a feed of its own that tells it late, in virtual time: a server that
 * gives each job to the first who asks. Runs the same way again from the same seed.
 */
final class SimulatedFleet {
    private static final String TYPE = "email";

    private final Random random;
    private final int slowest;
    private final List<Member> members = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Map<String, Long> starts = new HashMap<>();
    private final Set<String> claimed = new HashSet<>();
    private long now;
    private long numbers;
    private int attempts;
    private int runs;

    /** What happens at a millisecond; at the same one in the order in which it was planned. */
    private record Event(long at, long number, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at == other.at ? Long.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /**
     * A fleet without workers.
     *
     * @param seed repeats it
     * @param slowest how many milliseconds a write, or the feed, takes at most
     */
    SimulatedFleet(long seed, int slowest) {
        this.random = new Random(seed);
        this.slowest = slowest;
    }

    Member join(int slots, int runMillis) {
        Member member = new Member("w" + members.size(), slots, runMillis);
        for (Member other : members) {
            member.hear(registered(other.id));
            other.hear(registered(member.id));
        }
        members.add(member);
        return member;
    }

    /** A new job, of which all hear by their feeds. */
    void add(String id) {
        tell(pending(id));
    }

    /** Jobs that all know already. */
    void addKnown(int jobs) {
        for (int i = 0; i < jobs; i++) {
            Job job = Job.parse(pending("known" + i).document());
            members.forEach(member -> member.stock.putBack(job));
        }
        members.forEach(member -> at(0, member::look));
    }

    /** How many claims were tried, won or lost. */
    int attempts() {
        return attempts;
    }

    int runs() {
        return runs;
    }

    long millis() {
        return now;
    }

    /** When a job was claimed. */
    long start(String id) {
        return starts.getOrDefault("job:email:" + id, Long.MAX_VALUE);
    }

    void pass(long millis) {
        long end = now + millis;
        while (!events.isEmpty() && events.peek().at <= end) {
            step();
        }
        now = end;
    }

    /** Goes on until so many jobs have been claimed. */
    void untilClaimed(int jobs) {
        while (starts.size() < jobs && !events.isEmpty() && now < 3_600_000) {
            step();
        }
    }

    private void step() {
        Event event = events.remove();
        now = event.at;
        event.what.run();
    }

    private void at(long inMillis, Runnable what) {
        events.add(new Event(now + inMillis, numbers++, what));
    }

    private void tell(FeedEvent event) {
        members.forEach(member -> at(member.feedDelay(), () -> member.hear(event)));
    }

    private int delay() {
        return 1 + random.nextInt(slowest);
    }

    private static FeedEvent pending(String id) {
        return event("job:email:" + id, "1-a", "'status':'waiting'");
    }

    private static FeedEvent registered(String worker) {
        return event("worker:" + worker, "1-a", "'types':['" + TYPE + "']");
    }

    private static FeedEvent event(String docId, String rev, String fields) {
        var document = Jobs.json("{'_id':'" + docId + "','_rev':'" + rev + "'," + fields + "}");
        return new FeedEvent(docId, rev, false, document, false);
    }

    /** A worker. */
    final class Member {
        final String id;
        private final int runMillis;
        private final KnownJobs stock = new KnownJobs();
        private final Chooser chooser;
        private int free;
        private boolean dead;
        private Predicate<Job> takes = job -> true;
        private boolean claiming;
        private long heardUntil;
        private long lookAt = Long.MAX_VALUE;

        Member(String id, int slots, int runMillis) {
            this.id = id;
            this.free = slots;
            this.runMillis = runMillis;
            ServerClock clock = new ServerClock(
                    () -> Jobs.NOW.plusMillis(now), () -> Duration.ZERO, () -> TimeUnit.MILLISECONDS.toNanos(now));
            Admission admission = new Admission(() -> {}, clock::nanos);
            this.chooser =
                    new Chooser(clock, Environment.REAL, new WorkerRanking(id, Site.UNNAMED), line -> stock, admission);
        }

        /** It does nothing any more; the others do not know. */
        void die() {
            dead = true;
        }

        /** It does not take any job. */
        void refuse() {
            refuse(job -> true);
        }

        /** It does not take such jobs. */
        void refuse(Predicate<Job> which) {
            takes = which.negate();
        }

        /** A feed tells in order. */
        private long feedDelay() {
            heardUntil = Math.max(heardUntil, now + delay());
            return heardUntil - now;
        }

        private void hear(FeedEvent event) {
            chooser.heard(event);
            event.job().ifPresent(job -> {
                if (stock.changed(job, TimeUnit.MILLISECONDS.toNanos(now))) {
                    stock.putBack(job);
                    look();
                }
            });
        }

        private void look() {
            if (dead || claiming || free == 0) {
                return;
            }
            Instant due = Jobs.NOW.plusMillis(now);
            Capacity capacity = new Capacity(true, takes);
            List<Job> choice = chooser.choose(
                            List.of(TYPE), due, AcceptOptions.of(TYPE).max(free), true, capacity)
                    .jobs();
            if (!choice.isEmpty()) {
                stock.removeAll(choice);
                claiming = true;
                at(delay(), () -> claim(choice));
            } else if (!stock.known(due, 1, capacity).isEmpty()) {
                lookAgain(Math.max(5, chooser.untilTurn(TYPE, due, capacity).toMillis() + 1));
            }
        }

        private void lookAgain(long inMillis) {
            lookAt = now + inMillis;
            long planned = lookAt;
            at(inMillis, () -> {
                if (planned == lookAt) {
                    look();
                }
            });
        }

        private void claim(List<Job> choice) {
            List<Job> won = new ArrayList<>();
            for (Job job : choice) {
                attempts++;
                String docId = job.id().docId();
                if (claimed.add(docId)) {
                    won.add(job);
                    starts.put(docId, now);
                    tell(event(
                            docId,
                            "2-a",
                            "'status':'running','lock':{'token':'t','worker':'" + id + "','since':" + now + "}"));
                }
            }
            at(delay(), () -> answered(choice, won));
        }

        private void answered(List<Job> choice, List<Job> won) {
            List<Job> lost = new ArrayList<>(choice);
            lost.removeAll(won);
            chooser.notClaimed(lost);
            chooser.claimed(won, lost.size(), Strategy.FIFO);
            free -= won.size();
            claiming = false;
            won.forEach(job -> at(runMillis, () -> {
                runs++;
                free++;
                tell(event(job.id().docId(), "3-a", "'status':'success'"));
                look();
            }));
            look();
        }
    }
}
