package io.couchjobs.engine.due;

import io.couchjobs.engine.due.share.ClaimTurns;
import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.limit.Capacity;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.Site;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Chooses from the known jobs those to claim, by the strategy. Not thread-safe.
 *
 * <p>A worker takes its own share of the first jobs, by rank. A single worker thus keeps the strict order. Several
 * workers each go through their own share, and do not compete for the first jobs.
 */
final class Chooser {
    private static final Duration INDEX_BEHIND = Duration.ofMillis(100);
    /** The pause while groups are full: jobs of groups with room may still be unknown. Another search costs no request. */
    private static final Duration GROUPS_ARE_FULL = Duration.ofMillis(250);

    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final int WIDEST = 64;
    private static final int RANDOM_OF = 1024;
    private static final int ALL = Integer.MAX_VALUE;
    /** The most due jobs that are considered to plan this worker's next turn. */
    private static final int PLANNED = 100;

    private final ServerClock clock;
    private final Environment environment;
    private final WorkerRanking ranking;
    private final Function<String, KnownJobs> stocks;
    private final Admission admission;
    private final Rounds rounds = new Rounds();
    private final ClaimTurns turns;
    /** The number of candidates for each job that a random choice picks. Grows when claims are lost to other workers. */
    private int spread = 1;

    Chooser(
            ServerClock clock,
            Environment environment,
            WorkerRanking ranking,
            Function<String, KnownJobs> stocks,
            Admission admission) {
        this.clock = clock;
        this.environment = environment;
        this.ranking = ranking;
        this.stocks = stocks;
        this.admission = admission;
        this.turns = new ClaimTurns(ranking);
    }

    /** Makes FAIR go on after the last group of an earlier process of the worker. Call it before the first choice. */
    void goOnAfter(String group) {
        rounds.goOnAfter(group);
    }

    /** Makes FAIR begin at a random group. Call it before the first choice. */
    void beginAnywhere() {
        rounds.beginAnywhere(environment.random());
    }

    /** Takes in an event of the feed about another worker, or about a job that another worker may have claimed. */
    void heard(FeedEvent event) {
        ranking.changed(event, clock.nanos());
        turns.lag().heard(event.docId(), event.generation(), clock.nanos());
    }

    /** Takes in a change of a job whose document was not read. */
    void heard(FeedNotice notice) {
        turns.lag().heard(notice.docId(), notice.generation(), clock.nanos());
        notice.jobId()
                .filter(job -> !notice.own() && notice.generation() > 1)
                .ifPresent(job -> ranking.changed(job, clock.nanos()));
    }

    /** Chooses from the known jobs with room, or returns what must be read first. */
    Choice choose(Collection<String> lines, Instant until, AcceptOptions options, boolean polite, Capacity capacity) {
        Search search = new Search(List.copyOf(lines), until, options.max(), polite, capacity);
        Choice choice =
                switch (options.strategy().kind()) {
                    case FAIR -> fair(rounds.of(options.strategy()), search);
                    case FIFO -> inLine(search, isAlone(lines) ? width(search) : ALL, due -> oldest(due, search));
                    case RANDOM -> inLine(search, RANDOM_OF, due -> any(due, search.max));
                };
        choice.jobs().stream().limit(1).forEach(job -> turns.lag()
                .begins(job.id().docId(), job.rev().orElse(""), clock.nanos()));
        return choice;
    }

    /** Takes in that jobs were chosen but not claimed. */
    void notClaimed(Collection<Job> jobs) {
        jobs.forEach(job -> turns.lag().fails(job.id().docId()));
    }

    /** Takes in the results of claims. Lost claims spread the next claims more widely. Won claims move the round on. */
    void claimed(List<Job> won, int lost, Strategy strategy) {
        spread = lost == 0 ? Math.max(1, spread - 1) : Math.min(WIDEST, spread * 2);
        if (strategy.isFair()) {
            rounds.of(strategy).won(won);
        }
    }

    /** Returns how long no job of a line can be taken, as far as is known now, if nothing changes. */
    Duration pause(String line, Instant until, AcceptOptions options, Capacity capacity) {
        KnownJobs stock = stocks.apply(line);
        if (!options.noSchedule() && stock.backlog().mustRefill(until)) {
            return INDEX_BEHIND;
        }
        if (options.noSchedule()) {
            return Environment.FOREVER;
        }
        boolean takesAll = stock.rules().takeAll();
        Optional<Instant> next = takesAll
                ? stock.backlog().nextTime(capacity)
                : nextTime(line, clock.instant(), options.strategy(), capacity);
        // With a latest time, the caller takes the jobs up to that time at once, before they are due. It does not wait
        // for later jobs.
        Instant latest = options.maxScheduledTime();
        Duration pause = next.filter(time -> latest == null || !time.isAfter(latest))
                .map(time -> untilDue(latest == null ? time : Instant.MIN, line, capacity))
                .orElse(Environment.FOREVER);
        boolean isPartlyFull = !capacity.inAllGroups() && !stock.backlog().knowsAllDue(until);
        boolean isShort = takesAll && pause.compareTo(GROUPS_ARE_FULL) < 0;
        return isPartlyFull && !isShort ? GROUPS_ARE_FULL : pause;
    }

    private Duration untilDue(Instant time, String line, Capacity capacity) {
        Instant now = clock.instant();
        if (time.isAfter(now)) {
            return Duration.between(now, time).plusMillis(1);
        }
        Duration turn = untilTurn(line, now, capacity);
        return turn.compareTo(MOMENT) < 0 ? MOMENT : turn;
    }

    /** Returns when the next admitted job with room falls due, or when the index must be read. */
    private Optional<Instant> nextTime(String line, Instant now, Strategy strategy, Capacity capacity) {
        KnownJobs stock = stocks.apply(line);
        if (!stock.needsScan(now, clock.nanos())) {
            return stock.known(now, 1, admitted(stock).and(capacity)).isEmpty()
                    ? stock.backlog().nextTime(now)
                    : Optional.of(now);
        }
        return sifted(stock, strategy.isFair() ? LaneKey.Order.TURNS : LaneKey.Order.LINE)
                .nextTime(now, capacity);
    }

    /** Returns how long all due jobs of a line are left to other workers; zero when there are no due jobs. */
    Duration untilTurn(String line, Instant until, Capacity capacity) {
        KnownJobs stock = stocks.apply(line);
        long nanos = clock.nanos();
        return stock.known(until, PLANNED, admitted(stock).and(capacity)).stream()
                .map(job -> isShare(job) ? Duration.ZERO : turns.untilTurn(job, nanos))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    /** Chooses from the first jobs of each line. When none of these jobs has room, takes turns between the groups. */
    private Choice inLine(Search search, int width, UnaryOperator<List<Job>> pick) {
        List<Job> due = new ArrayList<>();
        for (String line : search.lines) {
            Choice known = inLine(line, search, width);
            if (known.unread().isPresent()) {
                return known;
            }
            due.addAll(known.jobs());
        }
        if (due.isEmpty() && !search.capacity.inAllGroups()) {
            return behindFullGroups(search);
        }
        due.sort(DueWindow.STUCK_AND_OLDEST_FIRST);
        return Choice.of(pick.apply(share(due, search)));
    }

    /**
     * Returns this worker's share of the jobs. When the share is empty, a polite search helps overloaded workers, and
     * any other search considers all jobs.
     */
    private List<Job> share(List<Job> due, Search search) {
        if (isAlone(search.lines)) {
            return due;
        }
        long nanos = clock.nanos();
        List<Job> ours = due.stream()
                .filter(job -> isShare(job) || turns.isOurs(job, nanos))
                .limit(Math.max(RANDOM_OF, width(search)))
                .toList();
        if (ours.isEmpty()) {
            return search.polite ? turns.help(due, search.max, nanos) : due;
        }
        return ours;
    }

    private boolean isShare(Job job) {
        return stocks.apply(Site.lineOf(job)).backlog().isOurs(job);
    }

    private List<Job> oldest(List<Job> due, Search search) {
        List<Job> first = due.subList(0, Math.min(due.size(), width(search)));
        return first.size() > search.max && spread > 1
                ? any(first, search.max)
                : first.subList(0, Math.min(first.size(), search.max));
    }

    /** Returns how many of the first jobs the choice is made from. */
    private int width(Search search) {
        return (int) Math.min(ALL, (long) search.max * spread);
    }

    private List<Job> any(List<Job> due, int max) {
        List<Job> choice = new ArrayList<>(due);
        Collections.shuffle(choice, environment.random());
        return choice.subList(0, Math.min(max, choice.size()));
    }

    /** Returns the first admitted jobs of a line: from the window if it has them, otherwise from the index, page by page. */
    private Choice inLine(String name, Search search, int most) {
        KnownJobs stock = stocks.apply(name);
        if (!stock.rules().takeAll() && stock.needsScan(search.until, clock.nanos())) {
            Scan line = sifted(stock, LaneKey.Order.LINE);
            Pool.Found first = line.first(LaneKey.START, LaneKey.END, search.until, job -> false);
            if (first.unread() != null) {
                return Choice.unread(new Unread(name, LaneKey.Order.LINE, first.unread()));
            } else if (first.job() != null) {
                return Choice.of(
                        line.several(LaneKey.START, LaneKey.END, search.until, search.capacity.negate(), most));
            }
        }
        List<Job> known = stock.known(search.until, most, admitted(stock).and(search.capacity));
        boolean isFull = known.isEmpty()
                && !search.capacity.inAllGroups()
                && stock.needsScan(search.until, clock.nanos())
                && !stock.backlog().due(search.until, 1).isEmpty();
        return isFull ? behindFullGroups(search.in(name)) : Choice.of(known);
    }

    /**
     * Chooses from this worker's jobs. When there are none, a polite search helps overloaded workers, and any other
     * search considers all jobs.
     */
    private Choice fair(FairRound round, Search search) {
        if (isAlone(search.lines)) {
            return fair(round, search, taste(search, job -> false));
        }
        long nanos = clock.nanos();
        Choice ours = fair(round, search, taste(search, job -> !turns.isOurs(job, nanos)));
        if (!ours.jobs().isEmpty() || ours.unread().isPresent()) {
            return ours;
        }
        return fair(round, search, taste(search, job -> search.polite && !turns.mayHelp(job, nanos)));
    }

    /** Makes the first jobs of a lane count as equally good after claims were lost to other workers. */
    private FairRound.Taste taste(Search search, Predicate<Job> left) {
        Capacity capacity = search.capacity;
        return new FairRound.Taste(left.or(capacity.isFree().negate()), spread, this::pick, capacity.admits());
    }

    private Job pick(List<Job> equallyGood) {
        return equallyGood.get(environment.random().nextInt(equallyGood.size()));
    }

    private boolean isAlone(Collection<String> lines) {
        return lines.stream().allMatch(line -> ranking.count(Site.typeOf(line)) == 1);
    }

    private Choice fair(FairRound round, Search search, FairRound.Taste taste) {
        Map<String, Pool> pools = new LinkedHashMap<>();
        boolean filtered = false;
        for (String line : search.lines) {
            KnownJobs stock = stocks.apply(line);
            boolean scan = stock.needsScan(search.until, clock.nanos());
            pools.put(line, scan ? sifted(stock, LaneKey.Order.TURNS) : window(stock, search.until));
            filtered |= !stock.rules().takeAll();
        }
        FairRound.Choice choice = round.choose(pools, search.until, search.max, taste);
        boolean isEnough = filtered && !choice.jobs().isEmpty();
        if (choice.unread() != null && !isEnough) {
            return Choice.unread(new Unread(choice.type(), LaneKey.Order.TURNS, choice.unread()));
        } else if (!choice.jobs().isEmpty()) {
            return Choice.of(choice.jobs());
        }
        // The index may lack jobs that the feed has reported already.
        pools.replaceAll((line, pool) -> window(stocks.apply(line), search.until));
        return Choice.of(round.choose(pools, search.until, search.max, taste).jobs());
    }

    private Pool window(KnownJobs stock, Instant until) {
        return new KnownPool(stock.known(until, Integer.MAX_VALUE, admitted(stock)), LaneKey.Order.TURNS);
    }

    private Scan sifted(KnownJobs stock, LaneKey.Order order) {
        Scan scan = stock.scan(order);
        scan.sift(admitted(stock));
        return scan;
    }

    private Predicate<Job> admitted(KnownJobs stock) {
        return job -> admission.admits(job, stock.rules());
    }

    private Choice behindFullGroups(Search search) {
        return fair(rounds.behindFullGroups(search.lines), search);
    }

    /** A search for at most {@code max} jobs of some lines that are due by {@code until}, in groups with room. */
    private record Search(List<String> lines, Instant until, int max, boolean polite, Capacity capacity) {
        Search in(String line) {
            return new Search(List.of(line), until, max, polite, capacity);
        }
    }

    /**
     * The chosen jobs, or the part of an index that must be read first.
     *
     * @param unread the part to read; when there is one, no job is chosen
     */
    record Choice(List<Job> jobs, Optional<Unread> unread) {
        static Choice of(List<Job> jobs) {
            return new Choice(List.copyOf(jobs), Optional.empty());
        }

        static Choice unread(Unread unread) {
            return new Choice(List.of(), Optional.of(unread));
        }
    }

    /** A part of an index that has not been read. */
    record Unread(String line, LaneKey.Order order, LaneKey from) {}
}
