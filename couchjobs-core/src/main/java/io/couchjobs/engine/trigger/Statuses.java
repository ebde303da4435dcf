package io.couchjobs.engine.trigger;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import io.couchjobs.trigger.Trigger;
import io.couchjobs.trigger.TriggerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Determines the status of triggers. Thread-safe. */
final class Statuses {
    private final FollowerTools tools;
    private final Positions positions;

    Statuses(FollowerTools tools) {
        this.tools = tools;
        this.positions = tools.positions();
    }

    TriggerStatus of(Trigger trigger) {
        List<Position> stored = positions.readAll(trigger.name());
        List<Position> present = followed(trigger, stored);
        List<Position> all = present.stream().filter(Position::isOfDatabase).toList();
        Map<String, Long> lags = new Lags(trigger, tools.sources()).of(all);
        List<TriggerStatus.Source> sources = Stream.concat(
                        all.stream().map(position -> source(position, lags)), troubles(trigger, stored))
                .toList();
        Optional<String> follower = tools.parts()
                .store()
                .read(new JobId(Follower.TYPE, trigger.name()))
                .flatMap(Job::lock)
                .map(Lock::worker);
        Optional<TriggerStatus.Source> ends = present.stream()
                .filter(position -> position.database().equals(Positions.ENDS))
                .findAny()
                .map(position -> source(position, Map.of()));
        return new TriggerStatus(trigger, follower, sources, ends);
    }

    /** Returns the positions in the sources that the trigger follows now, without positions in former sources. */
    List<Position> followed(Trigger trigger) {
        return followed(trigger, positions.readAll(trigger.name()));
    }

    private List<Position> followed(Trigger trigger, List<Position> stored) {
        Predicate<String> follows = tools.follows(trigger);
        return stored.stream()
                .filter(position -> position.database().equals(Positions.ENDS)
                        || (position.isOfDatabase() && follows.test(position.database())))
                .toList();
    }

    private Stream<TriggerStatus.Source> troubles(Trigger trigger, List<Position> stored) {
        Predicate<String> follows = tools.follows(trigger);
        return Troubles.all(trigger, stored).stream()
                .flatMap(trouble ->
                        Troubles.source(trouble)
                                .filter(follows)
                                .map(source -> source(source, "", trouble, Map.of()))
                                .stream());
    }

    private TriggerStatus.Source source(Position position, Map<String, Long> lags) {
        return source(position.database(), position.seq(), position, lags);
    }

    private TriggerStatus.Source source(String name, String seq, Position position, Map<String, Long> lags) {
        Long lag = lags.get(name);
        Instant now = tools.clock().instant();
        return new TriggerStatus.Source(
                name,
                seq,
                lag == null ? OptionalLong.empty() : OptionalLong.of(lag),
                behind(position, lag, now),
                position.count("changes"),
                position.perMinute(now),
                position.count("jobs"),
                position.failed(),
                position.last(),
                position.problem().or(() -> position.warning(now)));
    }

    private static Optional<Duration> behind(Position position, @Nullable Long lag, Instant now) {
        if (lag != null && lag == 0) {
            return Optional.of(Duration.ZERO);
        }
        return position.behindSince().map(since -> Duration.between(since, now)).filter(wait -> !wait.isNegative());
    }
}
