package io.couchjobs.store;

import io.couchjobs.couch.Surroundings;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Chooses among known jobs which to claim, by the strategy. Not thread-safe.
 *
 * <p>Of the first jobs a worker takes those that are its own by rank: with one worker that is the strict order; with
 * several, each goes through its own share, and nobody fights over the head.
 */
final class Chooser {
    private static final Duration POLITENESS = Duration.ofMillis(20);
    private static final int MOST_POLITE = 10;
    private static final int WIDEST = 64;
    private static final int RANDOM_OF = 1024;
    /** When the first jobs are all of groups without room, the index by groups finds those that have some. */
    private static final Strategy BEHIND_FULL_GROUPS = Strategy.fair(1, 1);

    private final StoreClock clock;
    private final Surroundings surroundings;
    private final Peers peers;
    private final Function<String, Stock> stocks;
    private final Verdicts verdicts;
    private final Map<Strategy, FairRound> rounds = new HashMap<>();
    private final FirstSeen firstSeen = new FirstSeen();
    /** From how many times as many candidates a claim picks at random; grows as claims are lost to others. */
    private int spread = 1;

    Chooser(
            StoreClock clock,
            Surroundings surroundings,
            Peers peers,
            Function<String, Stock> stocks,
            Verdicts verdicts) {
        this.clock = clock;
        this.surroundings = surroundings;
        this.peers = peers;
        this.stocks = stocks;
        this.verdicts = verdicts;
    }

    /** Chooses from what is known and there is room for, or says what must be read first. */
    Choice choose(Collection<String> lines, Instant until, AcceptOptions options, boolean polite, Room room) {
        Search search = new Search(lines, until, options.max(), polite, room);
        int width = options.max() * width(lines);
        return switch (options.strategy().kind()) {
            case FAIR -> fair(options.strategy(), search);
            case FIFO -> inLine(search, width, due -> oldest(due, width, search.max));
            case RANDOM -> inLine(search, RANDOM_OF, due -> any(due, search.max));
        };
    }

    /** The more claims were lost to others, the more they are spread. The round moves on by those that were won. */
    void claimed(List<Job> won, int lost, Strategy strategy) {
        spread = lost == 0 ? Math.max(1, spread - 1) : Math.min(WIDEST, spread * 2);
        if (strategy.isFair()) {
            round(strategy).won(won);
        }
    }

    /** When a job of a line that is let in and has room falls due, or something must be read. */
    Optional<Instant> nextTime(String line, Instant now, Strategy strategy, Room room) {
        Stock stock = stocks.apply(line);
        if (!stock.needsScan(now, clock.nanos())) {
            return stock.known(now, 1, admitted(stock).and(room)).isEmpty()
                    ? stock.backlog().nextTime(now)
                    : Optional.of(now);
        }
        return sifted(stock, strategy.isFair() ? Spot.Order.TURNS : Spot.Order.LINE)
                .nextTime(now, room);
    }

    /** Of the first jobs in line; of groups in turn, when there is no room for any of these. */
    private Choice inLine(Search search, int width, UnaryOperator<List<Job>> pick) {
        List<Job> due = new ArrayList<>();
        for (String line : search.lines) {
            Choice known = inLine(line, search, width);
            if (known.unread().isPresent()) {
                return known;
            }
            due.addAll(known.jobs());
        }
        if (due.isEmpty() && !search.room.inAllGroups()) {
            return fair(BEHIND_FULL_GROUPS, search);
        }
        if (search.polite) {
            due.removeIf(this::isLeftToOthers);
        }
        return Choice.of(pick.apply(due));
    }

    private List<Job> oldest(List<Job> due, int width, int max) {
        due.sort(Comparator.<Job, Boolean>comparing(job -> job.status() != JobStatus.STUCK)
                .thenComparing(Job::scheduledTime));
        List<Job> choice = new ArrayList<>(due.subList(0, Math.min(due.size(), width)));
        if (choice.size() > max) {
            if (spread > 1) {
                Collections.shuffle(choice, surroundings.random());
            }
            choice.sort(Comparator.comparing(job -> peers.rank(job) > 0));
            choice = choice.subList(0, max);
        }
        return choice;
    }

    private List<Job> any(List<Job> due, int max) {
        Collections.shuffle(due, surroundings.random());
        return due.subList(0, Math.min(max, due.size()));
    }

    /** The first jobs of a line that are let in: of the window if that has them, else of the index in which to page on. */
    private Choice inLine(String name, Search search, int most) {
        Stock stock = stocks.apply(name);
        if (!stock.rules().takeAll() && stock.needsScan(search.until, clock.nanos())) {
            Scan line = sifted(stock, Spot.Order.LINE);
            Pool.Found first = line.first(Spot.START, Spot.END, search.until, job -> false);
            if (first.unread() != null) {
                return Choice.unread(new Unread(name, Spot.Order.LINE, first.unread()));
            } else if (first.job() != null) {
                return Choice.of(line.several(Spot.START, Spot.END, search.until, search.room.negate(), most));
            }
        }
        return Choice.of(stock.known(search.until, most, admitted(stock).and(search.room)));
    }

    private Choice fair(Strategy strategy, Search search) {
        FairRound.Taste taste = taste(search.lines, search.polite).among(search.room);
        Choice choice = fair(strategy, search, taste);
        if (!choice.jobs().isEmpty() || choice.unread().isPresent() || search.polite) {
            return choice;
        }
        FairRound.Taste any = new FairRound.Taste(job -> false, taste.width(), taste.picker(), search.room);
        return fair(strategy, search, any);
    }

    private Choice fair(Strategy strategy, Search search, FairRound.Taste taste) {
        Map<String, Pool> pools = new LinkedHashMap<>();
        boolean filtered = false;
        for (String line : search.lines) {
            Stock stock = stocks.apply(line);
            boolean scan = stock.needsScan(search.until, clock.nanos());
            pools.put(line, scan ? sifted(stock, Spot.Order.TURNS) : window(stock, search.until));
            filtered |= !stock.rules().takeAll();
        }
        FairRound round = round(strategy);
        FairRound.Choice choice = round.choose(pools, search.until, search.max, taste);
        boolean isEnough = filtered && !choice.jobs().isEmpty();
        if (choice.unread() != null && !isEnough) {
            return Choice.unread(new Unread(choice.type(), Spot.Order.TURNS, choice.unread()));
        } else if (!choice.jobs().isEmpty()) {
            return Choice.of(choice.jobs());
        }
        // What the feed told may not be in the index yet.
        pools.replaceAll((line, pool) -> window(stocks.apply(line), search.until));
        return Choice.of(round.choose(pools, search.until, search.max, taste).jobs());
    }

    private Pool window(Stock stock, Instant until) {
        return new KnownPool(stock.known(until, Integer.MAX_VALUE, admitted(stock)), Spot.Order.TURNS);
    }

    /**
     * With several workers, a job is left for a moment to those that come before this one by rank, and among the first of a
     * lane an own one is preferred.
     */
    private FairRound.Taste taste(Collection<String> lines, boolean polite) {
        int width = width(lines);
        boolean alone = lines.stream().allMatch(line -> peers.count(Site.typeOf(line)) == 1);
        Predicate<Job> left = alone ? job -> false : job -> isOthersFirst(job) || (polite && isLeftToOthers(job));
        return width == 1 ? FairRound.Taste.STRICT : new FairRound.Taste(left, width, this::pick, job -> true);
    }

    private Job pick(List<Job> equallyGood) {
        List<Job> jobs = new ArrayList<>(equallyGood);
        if (spread > 1) {
            Collections.shuffle(jobs, surroundings.random());
        }
        return jobs.stream()
                .min(Comparator.comparing(job -> peers.rank(job) > 0))
                .orElseThrow();
    }

    private int width(Collection<String> lines) {
        int workers =
                lines.stream().map(Site::typeOf).mapToInt(peers::count).max().orElse(1);
        return workers == 1 ? spread : Math.min(WIDEST, 2 * workers * spread);
    }

    private boolean isOthersFirst(Job job) {
        int rank = Math.min(peers.rank(job), MOST_POLITE);
        return rank > 0 && firstSeen.age(job, clock.nanos()).compareTo(POLITENESS.multipliedBy(rank)) < 0;
    }

    /** Of an idle fleet one worker takes a new job at once; the others give it a moment, longer by their rank. */
    private boolean isLeftToOthers(Job job) {
        int rank = Math.min(peers.rank(job), MOST_POLITE);
        Backlog backlog = stocks.apply(Site.lineOf(job)).backlog();
        return rank > 0
                && backlog.age(job, clock.instant(), clock.nanos()).compareTo(POLITENESS.multipliedBy(rank)) < 0;
    }

    private Scan sifted(Stock stock, Spot.Order order) {
        Scan scan = stock.scan(order);
        scan.sift(admitted(stock));
        return scan;
    }

    private Predicate<Job> admitted(Stock stock) {
        return job -> verdicts.admits(job, stock.rules());
    }

    private FairRound round(Strategy strategy) {
        return rounds.computeIfAbsent(strategy, FairRound::new);
    }

    /** What is looked for: up to so many jobs of some lines, due until then, in groups that have room. */
    private record Search(Collection<String> lines, Instant until, int max, boolean polite, Room room) {}

    /**
     * What was chosen, or what must be read before.
     *
     * @param jobs the jobs to claim
     * @param unread what to read; then no job is chosen
     */
    record Choice(List<Job> jobs, Optional<Unread> unread) {
        static Choice of(List<Job> jobs) {
            return new Choice(List.copyOf(jobs), Optional.empty());
        }

        static Choice unread(Unread unread) {
            return new Choice(List.of(), Optional.of(unread));
        }
    }

    /** A part of an index that nobody has read. */
    record Unread(String line, Spot.Order order, Spot from) {}
}
