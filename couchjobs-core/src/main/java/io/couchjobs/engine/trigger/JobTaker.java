package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes the jobs of the changes of a database. Used by one thread at a time. */
final class JobTaker implements Taker {
    /** The maximum number of owed changes whose documents are read at once, to bound memory use. */
    private static final int MOST_READ = 50;

    private final Trigger trigger;
    /** A copy of the trigger without {@code ignoreOwn}. */
    private final Trigger ofAnybody;

    private final SourceReader reader;
    private final JobMaker maker;
    private final OutboxEntries entries;
    private final InstantSource clock;
    private final Environment environment;
    private final LoopGuard guard;

    JobTaker(
            Trigger trigger,
            SourceReader reader,
            JobMaker maker,
            OutboxEntries entries,
            LoopGuard guard,
            InstantSource clock,
            Environment environment) {
        this.trigger = trigger;
        this.ofAnybody = Trigger.parse(trigger.toDocument().without("ignoreOwn"));
        this.reader = reader;
        this.maker = maker;
        this.entries = entries;
        this.guard = guard;
        this.clock = clock;
        this.environment = environment;
    }

    @Override
    public ChangesRequest request(ChangesRequest all) {
        return reader.request(all);
    }

    /** Returns true also when jobs may have to wait for room, because a step can then end after any change. */
    @Override
    public boolean needsEachPosition() {
        return trigger.needsPositions() || maker.mayHaveNoRoom(trigger);
    }

    @Override
    public boolean concerns(Position position, Change change) {
        return reader.concerns(change, position.round());
    }

    @Override
    public Step take(Position position, List<Change> changes) {
        Round round = new Round(position);
        changes.forEach(change -> reader.all(change).forEach(round::plan));
        int dealtWith = dealtWith(changes, round.make());
        round.forgetFailuresBut(changes.subList(0, dealtWith));
        return round.step(
                dealtWith == 0 ? position.seq() : changes.get(dealtWith - 1).seq(), dealtWith);
    }

    /** Returns the number of changes before the first change whose job has no room. */
    private static int dealtWith(List<Change> changes, List<SourceChange> withoutRoom) {
        Set<String> waiting = withoutRoom.stream().map(SourceChange::id).collect(Collectors.toSet());
        for (int i = 0; i < changes.size(); i++) {
            if (waiting.contains(changes.get(i).id())) {
                return i;
            }
        }
        return changes.size();
    }

    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        Round round = new Round(position);
        round.forgetOwed();
        for (int from = 0; from < owed.size(); from += MOST_READ) {
            takeOwed(round, owed.subList(from, Math.min(from + MOST_READ, owed.size())));
        }
        return round.step(position.seq(), 0);
    }

    private void takeOwed(Round round, List<SourceChange> some) {
        List<Optional<SourceChange>> again = reader.again(some);
        for (int i = 0; i < some.size(); i++) {
            SourceChange change = some.get(i);
            again.get(i)
                    .ifPresentOrElse(round::planOwed, () -> reader.lost(change).ifPresent(round.failures::add));
        }
        round.make().forEach(round::owe);
    }

    /** The state of one step. */
    private final class Round {
        private final Position position;
        private final Map<JobId, Wanted> wanted = new LinkedHashMap<>();
        /**
         * By job id, the requests for the same job from other documents of the step. Their outbox entries are done when the job is
         * made.
         */
        private final Map<JobId, List<Wanted>> alsoWanted = new HashMap<>();

        private final Map<String, SourceChange> owed = new LinkedHashMap<>();
        private final List<Step.Failure> failures = new ArrayList<>();
        private final List<Wanted> made = new ArrayList<>();
        private Optional<String> warning = Optional.empty();
        private int jobs;

        Round(Position position) {
            this.position = position;
            position.owed().forEach(this::owe);
        }

        /**
         * Returns the suffix of the job ids. Jobs with {@link Trigger.Delivery#LATEST} keep their ids after a replay, and run
         * again.
         */
        private String suffix() {
            boolean runsAgain = trigger.delivery() == Trigger.Delivery.LATEST;
            return position.round() == 0 || runsAgain ? "" : "#" + position.round();
        }

        void plan(SourceChange change) {
            add(
                    change,
                    SourceReader.inRound(trigger, change, position.round()).plan(change, suffix(), clock.instant()));
        }

        /**
         * Plans an owed change. The change was not the trigger's own, so it makes its job even if the trigger's job has written the
         * document since.
         */
        void planOwed(SourceChange change) {
            add(
                    change,
                    SourceReader.inRound(ofAnybody, change, position.round()).plan(change, suffix(), clock.instant()));
        }

        void add(SourceChange change, Trigger.Plan plan) {
            plan.problems().forEach(problem -> failures.add(new Step.Failure(change, problem, false)));
            Instant earliest = Instant.MIN;
            if (!plan.jobs().isEmpty() && guard.slowsDown(change, environment.nanos())) {
                earliest = clock.instant().plus(LoopGuard.PAUSE);
                warning = LoopGuard.warning(change.id());
            }
            for (JobRequest request : plan.jobs()) {
                Wanted before = wanted.remove(request.id()); // the last change replaces earlier ones
                if (before != null && !before.change().id().equals(change.id())) {
                    alsoWanted
                            .computeIfAbsent(request.id(), id -> new ArrayList<>())
                            .add(before);
                }
                Instant asked = request.scheduledTime();
                wanted.put(request.id(), new Wanted(request, change, asked.isAfter(earliest) ? asked : earliest));
            }
        }

        /** Forgets the failures of all other changes. Those changes are taken again, and may fail again then. */
        void forgetFailuresBut(List<Change> dealtWith) {
            Set<String> ids = dealtWith.stream().map(Change::id).collect(Collectors.toSet());
            failures.removeIf(failure -> !ids.contains(failure.change().id()));
        }

        void forgetOwed() {
            owed.clear();
        }

        void owe(SourceChange change) {
            SourceChange withoutDocument = new SourceChange(
                    change.database(), change.id(), change.rev(), change.seq(), change.deleted(), null);
            owed.put(reader.key(change), withoutDocument);
        }

        /** Makes the jobs. Returns the changes whose jobs have no room. */
        List<SourceChange> make() {
            List<JobMaker.Result> results =
                    maker.make(trigger, position.round(), List.copyOf(wanted.values()), reader::isCurrent);
            results.forEach(this::note);
            // Runs after the results were recorded, because another entry of the same document may have to wait.
            changes(results, JobMaker.Result::waits).forEach(this::owe);
            trigger.outbox().ifPresent(after -> failures.addAll(entries.done(made, trigger, after)));
            List<SourceChange> withoutRoom = changes(results, JobMaker.Result::hasNoRoom);
            wanted.clear();
            alsoWanted.clear();
            made.clear();
            return withoutRoom;
        }

        private void note(JobMaker.Result result) {
            if (result.outcome() instanceof Outcome.Made) {
                jobs++;
            }
            if (result.outcome() instanceof Outcome.Failed failed) {
                failures.add(new Step.Failure(result.change(), failed.reason(), failed.retryable()));
            } else if (!result.waits() && !result.hasNoRoom()) {
                all(result.wanted()).forEach(made::add);
                owed.remove(reader.key(result.change()));
            }
        }

        private List<SourceChange> changes(List<JobMaker.Result> results, Predicate<JobMaker.Result> which) {
            return results.stream()
                    .filter(which)
                    .flatMap(result -> all(result.wanted()))
                    .map(Wanted::change)
                    .toList();
        }

        /** Returns the requests for one job from all documents of the step. */
        private Stream<Wanted> all(Wanted last) {
            return Stream.concat(Stream.of(last), alsoWanted.getOrDefault(last.id(), List.of()).stream());
        }

        Step step(String seq, int changes) {
            return new Step(seq, changes, jobs, List.copyOf(owed.values()), failures, warning);
        }
    }
}
