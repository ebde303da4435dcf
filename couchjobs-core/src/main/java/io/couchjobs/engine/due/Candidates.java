package io.couchjobs.engine.due;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.due.share.WorkerRanking;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.engine.limit.Candidate;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The jobs that a process may try to claim: for each type a window of the index, kept up to date by the feed.
 * Thread-safe.
 *
 * <p>A type counts as two lines when its jobs with and without a site are run here: see {@link Site#lines}.
 *
 * <p>When the window does not hold all due jobs, an index by lanes may be read in addition: see {@link Scan}. This is
 * done for another order (FAIR), or when all jobs of the window may be excluded (a filter, classes) or without room
 * (limits of groups).
 */
public final class Candidates {
    /** The least number of jobs to pick from at a random place: neighbours have similar ids. */
    private static final int SPREAD = 32;
    /** The most jobs to read there. The number grows while the worker may take none of the jobs. */
    private static final int MOST_SPREAD = 2048;

    private final JobIndex index;
    private final Site site;
    private final ServerClock clock;
    private final Environment environment;
    private final WorkerRanking ranking;
    private final Function<String, Admission.Rules> rules;
    private final Admission admission;
    private final Chooser chooser;
    private final WindowReader windows;
    private final LaneReader lanes;
    /** The known jobs by line. */
    private final Map<String, KnownJobs> stocks = new HashMap<>();
    /** The group of the last claim by turns. */
    private volatile Optional<String> lastGroup = Optional.empty();
    /** The documents of jobs whose claims are not answered yet. The index may still list these jobs. */
    private final Set<String> underWay = new HashSet<>();

    /** @param rules the admission rules of a type; may ask the database */
    public Candidates(
            JobIndex index,
            ServerClock clock,
            Environment environment,
            String worker,
            Function<String, Admission.Rules> rules,
            Admission admission) {
        this.index = index;
        this.site = index.site();
        this.clock = clock;
        this.environment = environment;
        this.ranking = new WorkerRanking(worker, site);
        this.rules = rules;
        this.admission = admission;
        this.chooser = new Chooser(clock, environment, ranking, this::stock, admission);
        this.windows = new WindowReader(index, clock, environment, ranking, this, underWay);
        this.lanes = new LaneReader(index, clock, admission, this::stock, this, underWay);
    }

    /** Makes turns between groups ({@link Strategy#fair}) go on after this group. Call it before the first choice. */
    public synchronized void goOnAfter(String group) {
        lastGroup = Optional.of(group);
        chooser.goOnAfter(group);
    }

    /** Makes turns between groups begin at a random group, because the last one is unknown. Call it before the first choice. */
    public synchronized void beginAnywhere() {
        chooser.beginAnywhere();
    }

    /** {@return the group from which this worker last took a job by turns; empty when it never did} Never waits. */
    public Optional<String> lastGroup() {
        return lastGroup;
    }

    /** Reads the other workers; later changes come by {@link #changed}. */
    public void load(CouchDatabase database) {
        ranking.load(database);
    }

    /** Takes in an event of the feed, and returns whether there may now be a job to claim. */
    public synchronized boolean changed(FeedEvent event) {
        chooser.heard(event);
        // With several leaves the owner of the job is unknown. When the conflict is resolved, the feed reports the job
        // again.
        Optional<Job> job = event.job().filter(any -> !event.conflicted()).filter(site::owns);
        if (job.isPresent()) {
            KnownJobs stock = stocks.get(Site.lineOf(job.get()));
            return stock != null && stock.changed(job.get(), clock.nanos());
        }
        Consumer<KnownJobs> forget =
                event.deleted() ? stock -> stock.gone(event.docId()) : stock -> stock.remove(event.docId());
        stocks.values().forEach(forget);
        return event.docId().startsWith(DocIds.TYPE);
    }

    /** Returns whether the documents of changed jobs of the type must be read. */
    public synchronized boolean needsDocuments(String type) {
        return stocksOf(type).stream().anyMatch(KnownJobs::needsDocuments);
    }

    /** Returns whether the documents of changed jobs of any type must be read. */
    public synchronized boolean needAnyDocument() {
        return stocks.values().stream().anyMatch(KnownJobs::needsDocuments);
    }

    /** Takes in a change of a job that was not read, and returns whether there may now be a job to claim. */
    public synchronized boolean unread(String type, FeedNotice notice) {
        chooser.heard(notice);
        List<KnownJobs> stocks = stocksOf(type);
        stocks.forEach(stock -> stock.unread(notice, clock.nanos()));
        boolean isAlone = ranking.count(type) == 1; // otherwise another worker most likely claimed or finished it
        if (notice.mayBeNew() || (isAlone && notice.mayBePending())) {
            stocks.forEach(stock -> stock.endOfLine().heardOfMore());
        }
        return notice.mayBePending() && !stocks.isEmpty();
    }

    private List<KnownJobs> stocksOf(String type) {
        return site.lines(type).stream()
                .flatMap(line -> Optional.ofNullable(stocks.get(line)).stream())
                .toList();
    }

    /** Requires a read of the index before a search may find no job, because the feed may be a moment behind. */
    public synchronized void doubt() {
        stocks.values().forEach(stock -> stock.doubt(clock.nanos()));
    }

    /** Forgets all known jobs, because changes may have been missed. */
    public synchronized void forget() {
        stocks.values().forEach(KnownJobs::forget);
    }

    /** Forgets all known jobs, and requires that the other workers are {@linkplain #load read} again. */
    public void forgetAll() {
        ranking.doubt();
        forget();
    }

    /** {@return the number of workers, including this one} */
    public int workers() {
        return ranking.count();
    }

    /** Returns whether the other workers must be {@linkplain #load read} again. */
    public boolean isInDoubtOfOthers() {
        return ranking.isInDoubt();
    }

    /**
     * Takes out jobs to claim. Afterwards the caller {@linkplain #putBack puts back} each job, or reports its claim as
     * {@linkplain #answered answered} or {@linkplain #failed failed}.
     *
     * @param polite whether to leave new jobs for a moment to the workers that come first for them by rank
     * @param capacity whether a job may be claimed now; a job that may not is left where it is
     */
    public List<Candidate> take(Collection<String> types, AcceptOptions options, boolean polite, Capacity capacity) {
        List<String> lines = lines(types);
        for (String line : lines) {
            admit(line, rules.apply(Site.typeOf(line)), options.strategy());
        }
        if (options.noSchedule()) {
            return unscheduled(lines, options.max(), capacity);
        }
        Instant until = until(options);
        for (String line : lines) {
            windows.refill(line, stockOf(line), until, options, polite);
        }
        while (true) {
            Chooser.Choice choice = choose(lines, until, options, polite, capacity);
            if (choice.unread().isEmpty() || Thread.currentThread().isInterrupted()) {
                return candidates(choice.jobs());
            }
            lanes.read(choice.unread().get(), until);
        }
    }

    /** Puts back the candidates that were not admitted. */
    public synchronized void putBack(List<Candidate> taken) {
        List<Job> back = jobs(taken, candidate -> candidate.state() == Candidate.State.FOUND);
        back.forEach(job -> stock(Site.lineOf(job)).putBack(job));
        chooser.notClaimed(back);
    }

    /** Returns how long no job can be taken, as far as is known now, if nothing changes. */
    public synchronized Duration pause(Collection<String> types, AcceptOptions options, Capacity capacity) {
        return lines(types).stream()
                .map(line -> chooser.pause(line, until(options), options, capacity))
                .min(Comparator.naturalOrder())
                .orElse(Environment.FOREVER);
    }

    /** Puts back candidates that will not be claimed. */
    public synchronized void notClaimed(List<Candidate> taken) {
        putBack(taken);
        over(taken);
    }

    /** Takes in the results of the claims, in the order of the choice. */
    public synchronized void answered(List<Candidate> taken, Strategy strategy) {
        over(taken);
        List<Job> lost = jobs(taken, candidate -> candidate.state() == Candidate.State.LOST);
        List<Job> won = jobs(taken, candidate -> candidate.state().isClaimed());
        chooser.notClaimed(jobs(taken, candidate -> candidate.state() == Candidate.State.FORBIDDEN));
        if (lost.isEmpty() && won.isEmpty()) {
            return;
        }
        chooser.notClaimed(lost);
        chooser.claimed(won, lost.size(), strategy);
        if (strategy.isFair() && !won.isEmpty()) {
            lastGroup = Optional.of(won.get(won.size() - 1).group());
        }
    }

    /** Takes in that the claims failed, so that it is unknown which of them were stored. */
    public synchronized void failed(List<Candidate> taken) {
        forget();
        over(taken);
    }

    /** Marks the claims as no longer under way. */
    private void over(List<Candidate> taken) {
        for (Candidate candidate : taken) {
            String docId = candidate.id().docId();
            underWay.remove(docId);
            stock(Site.lineOf(candidate.job())).markMoved(docId);
        }
    }

    private static List<Job> jobs(List<Candidate> taken, Predicate<Candidate> wanted) {
        return taken.stream().filter(wanted).map(Candidate::job).toList();
    }

    private List<Candidate> candidates(List<Job> jobs) {
        return jobs.stream()
                .map(job -> new Candidate(job, environment.uuid().toString()))
                .toList();
    }

    private List<String> lines(Collection<String> types) {
        return types.stream().flatMap(type -> site.lines(type).stream()).toList();
    }

    private List<Candidate> unscheduled(Collection<String> lines, int max, Capacity capacity) {
        List<Job> found = new ArrayList<>();
        for (String line : lines) {
            Admission.Rules rules = rulesOf(line);
            Predicate<Job> wanted = capacity.and(job -> admission.admits(job, rules));
            List<Job> heard = heardOf(line, max, capacity);
            List<Job> indexed = anywhere(line, max, wanted);
            found.addAll(indexed.isEmpty() ? heard.stream().filter(wanted).toList() : indexed);
        }
        Collections.shuffle(found, environment.random());
        return takeOutFree(found, max);
    }

    private List<Job> anywhere(String line, int max, Predicate<Job> wanted) {
        String probe = environment.uuid().toString();
        for (int rows = Math.max(max, SPREAD); ; rows *= 8) {
            List<Job> some = index.unscheduled(line, probe, rows);
            List<Job> free = some.stream().filter(wanted).toList();
            if (!free.isEmpty() || some.size() < rows || rows >= MOST_SPREAD) {
                return free;
            }
        }
    }

    private synchronized List<Candidate> takeOutFree(List<Job> jobs, int max) {
        List<Job> choice = jobs.stream()
                .filter(job -> !underWay.contains(job.id().docId()))
                .limit(max)
                .toList();
        takeOut(choice);
        return candidates(choice);
    }

    private synchronized Admission.Rules rulesOf(String line) {
        return stock(line).rules();
    }

    /** Returns known jobs without a scheduled time. The feed may have reported jobs that the index does not have yet. */
    private synchronized List<Job> heardOf(String line, int max, Capacity capacity) {
        return stock(line).backlog().due(Instant.EPOCH, max, capacity).stream()
                .filter(job -> job.scheduledTime().equals(Instant.EPOCH))
                .toList();
    }

    private KnownJobs stock(String line) {
        return stocks.computeIfAbsent(line, l -> new KnownJobs());
    }

    private synchronized KnownJobs stockOf(String line) {
        return stock(line);
    }

    private synchronized void admit(String line, Admission.Rules now, Strategy strategy) {
        stock(line).admit(now);
        stock(line).usedFor(strategy);
        stock(line).beginLook();
    }

    private Instant until(AcceptOptions options) {
        return options.maxScheduledTime() == null ? clock.instant() : options.maxScheduledTime();
    }

    private synchronized Chooser.Choice choose(
            Collection<String> lines, Instant until, AcceptOptions options, boolean polite, Capacity capacity) {
        Chooser.Choice choice = chooser.choose(lines, until, options, polite, capacity);
        takeOut(choice.jobs());
        return choice;
    }

    private synchronized void takeOut(List<Job> choice) {
        choice.forEach(job -> underWay.add(job.id().docId()));
        choice.stream().map(Site::lineOf).distinct().forEach(line -> {
            stock(line).removeAll(choice);
            stock(line).endOfLine().moved(clock.nanos());
        });
    }
}
