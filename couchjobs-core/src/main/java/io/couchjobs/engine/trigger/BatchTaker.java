package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Makes one job from many changes of a database. Used by one thread at a time.
 *
 * <p>The list of changes is stored with the position before the job is made, and deleted afterwards. The job's id is derived from
 * that list. So after a follower's death, the next follower makes the same job, even if documents changed meanwhile.
 */
final class BatchTaker implements Taker {
    private final Trigger trigger;
    private final Trigger.Batch batch;
    private final SourceReader reader;
    private final JobMaker maker;
    private final InstantSource clock;
    private Map<String, SourceChange> taken = Map.of();

    BatchTaker(Trigger trigger, Trigger.Batch batch, SourceReader reader, JobMaker maker, InstantSource clock) {
        this.trigger = trigger;
        this.batch = batch;
        this.reader = reader;
        this.maker = maker;
        this.clock = clock;
    }

    @Override
    public ChangesRequest request(ChangesRequest all) {
        return reader.request(all);
    }

    /** Returns true, because a batch may end at any change. */
    @Override
    public boolean needsEachPosition() {
        return true;
    }

    @Override
    public boolean concerns(Position position, Change change) {
        return reader.concerns(change, position.round());
    }

    @Override
    public Size size() {
        return new Size(batch.size(), batch.patience());
    }

    @Override
    public boolean owesFirst() {
        return true;
    }

    /** Adds the changes to the owed ones. While an earlier batch is owed, further changes wait in the feed. */
    @Override
    public Step take(Position position, List<Change> changes) {
        if (!position.owed().isEmpty()) {
            return step(position.seq(), 0, 0, position.owed(), List.of());
        }
        Map<String, SourceChange> owed = new LinkedHashMap<>();
        for (Change row : changes) {
            for (SourceChange change : reader.all(row)) {
                owed.remove(reader.key(change)); // the last change replaces earlier ones
                owed.put(reader.key(change), change);
            }
        }
        taken = owed.values().stream().collect(Collectors.toMap(BatchTaker::revision, change -> change));
        String last = changes.get(changes.size() - 1).seq();
        return step(last, changes.size(), 0, List.copyOf(owed.values()), List.of());
    }

    @Override
    public Step takeOwed(Position position, List<SourceChange> owed) {
        List<SourceChange> first = position.firstOwed(batch.size());
        List<SourceChange> later = owed.subList(first.size(), owed.size());
        List<Step.Failure> failures = new ArrayList<>();
        List<SourceChange> good = good(first, failures);
        if (good.isEmpty()) {
            return step(position.seq(), 0, 0, later, failures);
        }
        Trigger.Plan plan = trigger.planBatch(good, key(position, first), clock.instant());
        SourceChange last = good.get(good.size() - 1);
        plan.problems().forEach(problem -> good.forEach(each -> failures.add(new Step.Failure(each, problem, false))));
        List<Wanted> wanted = plan.jobs().stream()
                .map(request -> new Wanted(request, last, request.scheduledTime()))
                .toList();
        int made = 0;
        for (JobMaker.Result result : maker.make(trigger, position.round(), wanted, reader::isCurrent)) {
            if (result.hasNoRoom() || result.waits()) {
                return step(position.seq(), 0, 0, owed, List.of());
            } else if (result.outcome() instanceof Outcome.Failed failed) {
                good.forEach(each -> failures.add(new Step.Failure(each, failed.reason(), failed.retryable())));
            } else if (result.outcome() instanceof Outcome.Made) {
                made++;
            }
        }
        return step(position.seq(), 0, made, later, failures);
    }

    /** Returns the changes whose templates can be filled. The other changes fail, without delaying the batch. */
    private List<SourceChange> good(List<SourceChange> owed, List<Step.Failure> failures) {
        List<SourceChange> good = new ArrayList<>();
        Instant now = clock.instant();
        for (SourceChange change : read(owed, failures)) {
            Trigger.Plan alone = trigger.plan(change, "", now);
            alone.problems().forEach(problem -> failures.add(new Step.Failure(change, problem, false)));
            if (!alone.jobs().isEmpty()) {
                good.add(change);
            }
        }
        return good;
    }

    private List<SourceChange> read(List<SourceChange> owed, List<Step.Failure> failures) {
        if (!trigger.needsDocuments()) {
            return owed;
        } else if (owed.stream().map(BatchTaker::revision).allMatch(taken::containsKey)) {
            return owed.stream()
                    .map(change -> taken.getOrDefault(revision(change), change))
                    .toList();
        }
        List<Optional<SourceChange>> again = reader.again(owed);
        List<SourceChange> found = new ArrayList<>();
        for (int i = 0; i < owed.size(); i++) {
            SourceChange change = owed.get(i);
            again.get(i).ifPresentOrElse(found::add, () -> reader.lost(change).ifPresent(failures::add));
        }
        return found;
    }

    private static String revision(SourceChange change) {
        return change.id() + " " + change.rev();
    }

    private static String key(Position position, List<SourceChange> changes) {
        StringBuilder key = new StringBuilder().append(position.round());
        changes.forEach(change -> key.append('\n').append(revision(change)));
        return key.toString();
    }

    private static Step step(String seq, int changes, int jobs, List<SourceChange> owed, List<Step.Failure> failures) {
        return new Step(seq, changes, jobs, owed, failures, Optional.empty());
    }
}
