package io.couchjobs.engine.alarm;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.admin.Alarms;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Listening;
import io.couchjobs.job.WriteRefusedException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the alarm rules periodically, and reports to the targets which alarms were raised and which are over. Only one of all
 * processes with the same rules checks them. The document {@code stats:alarm:NAME} names that process and the raised alarms.
 * Thread-safe.
 */
final class AlarmWatch implements Listening {
    private static final Logger log = LoggerFactory.getLogger(AlarmWatch.class);
    private static final int TURN = 4;
    private static final int MOST_UNTOLD = 100;

    private final SharedDocuments documents;
    private final InstantSource clock;
    private final Look look;
    private final Pace pace;
    private final String docId;
    private final String watcher;
    private final Lane lane;
    private final List<Telling> tellings = new ArrayList<>();
    /** The alarm that the database cannot be reached. Kept in memory. */
    private final AlarmDocument reach = nothingFound();
    /** The alarms of a process that shares none with other processes, or that may not write to the database; else null. */
    private @Nullable AlarmDocument alone;

    /** The pause between looks, and the number of looks in a row that must agree. */
    record Pace(Duration pause, int looks) {
        Duration turn() {
            return pause.multipliedBy(TURN);
        }
    }

    /** A target, and the alarms that were not reported to it yet. */
    private record Telling(Target target, Deque<Alarms.Alarm> untold) {}

    /** The alarms that the last looks may have stored, because the answers were lost. Used only by the lane. */
    private List<Alarms.Alarm> inDoubt = List.of();

    /** The shared alarms that this process reports, until the document records them as reported. Used only by the lane. */
    private final Set<AlarmDocument.Raised> inCharge = new HashSet<>();

    AlarmWatch(QueueParts parts, Look look, List<Target> targets, Pace pace, Optional<String> name) {
        this.documents = new SharedDocuments(parts.store().database());
        this.clock = parts.clock();
        this.look = look;
        this.pace = pace;
        this.docId = DocIds.ALARM + name.orElse("");
        this.alone = name.isEmpty() ? nothingFound() : null;
        this.watcher = parts.store().environment().uuid().toString();
        this.lane = parts.store().environment().lane("couchjobs-alarms", 1);
        targets.forEach(target -> tellings.add(new Telling(target, new ArrayDeque<>())));
    }

    void start() {
        plan(Duration.ZERO);
    }

    @Override
    public void close() {
        lane.close();
    }

    private void plan(Duration pause) {
        lane.schedule(pause, this::run);
    }

    private void run() {
        try {
            look();
            plan(pace.pause());
        } catch (InterruptedException | RuntimeException | Error e) { // a listener may leave an interrupt behind
            if (lane.isClosed()) {
                log.debug("the alarms end: {}", e.toString());
                return;
            }
            log.error("a look at the queue failed, looking again", e);
            plan(pace.pause());
        }
    }

    /** Looks once, and reports to each target the alarms that it does not know yet. */
    void look() throws InterruptedException {
        Instant now = clock.instant();
        List<Alarms.Alarm> news = new ArrayList<>();
        try {
            news.addAll(findings(now));
            takeCharge(news);
            news.addAll(reach.take(Look.Findings.NONE, pace.looks(), now));
        } catch (CouchJobsException trouble) {
            Sighting away = new Sighting("database", "", "it cannot be asked: " + trouble.getMessage());
            news.addAll(reach.take(new Look.Findings(List.of(away), Set.of()), pace.looks(), now));
        }
        tellings.forEach(telling -> telling.untold().addAll(news));
        for (Telling telling : tellings) {
            tell(telling);
        }
        noteTold();
    }

    private void takeCharge(List<Alarms.Alarm> news) {
        if (alone == null) {
            news.stream()
                    .filter(Alarms.Alarm::raised)
                    .map(AlarmDocument.Raised::of)
                    .forEach(inCharge::add);
        }
    }

    /** Records in the document which alarms were reported. The next process that looks reports the other alarms. */
    private void noteTold() {
        Set<AlarmDocument.Raised> told = new HashSet<>(inCharge);
        tellings.forEach(telling ->
                telling.untold().stream().map(AlarmDocument.Raised::of).forEach(told::remove));
        if (told.isEmpty()) {
            return;
        }
        try {
            documents.change(docId, present -> {
                new AlarmDocument(present).told(told);
                return present;
            });
            inCharge.removeAll(told);
        } catch (CouchJobsException trouble) {
            log.debug("which alarms were told is noted after the next look: {}", trouble.toString());
        }
    }

    private List<Alarms.Alarm> findings(Instant now) {
        if (alone != null) {
            return alone.take(look.at(now), pace.looks(), now);
        }
        Optional<AlarmDocument> known = documents.read(docId).map(AlarmDocument::new);
        List<Alarms.Alarm> news = inDoubt.stream()
                .filter(known.orElseGet(AlarmWatch::nothingFound)::hasTaken)
                .collect(Collectors.toCollection(ArrayList::new));
        if (known.filter(document -> document.isTurnOfAnother(watcher, now, pace.turn()))
                .isPresent()) {
            look.forget();
            inDoubt = List.of();
            return news;
        }
        Look.Findings found = look.at(now);
        try {
            news.addAll(shared(found, now, news));
            inDoubt = List.of();
            return news;
        } catch (WriteRefusedException notAllowed) {
            log.info(
                    "raised alarms cannot be stored in the database, so another process may report them, too ({})",
                    notAllowed.getMessage());
            alone = nothingFound();
            return alone.take(found, pace.looks(), now);
        }
    }

    /** @param known the alarms that will be reported in any case */
    private List<Alarms.Alarm> shared(Look.Findings found, Instant now, Collection<Alarms.Alarm> known) {
        List<Alarms.Alarm> news = new ArrayList<>();
        try {
            documents.change(docId, present -> {
                AlarmDocument document = new AlarmDocument(present);
                news.removeIf(alarm ->
                        !document.hasTaken(alarm)); // alarms that the previous pass has stored stay in the list
                if (document.isTurnOfAnother(watcher, now, pace.turn())) {
                    news.clear();
                } else {
                    document.takeTurn(watcher, now, pace.turn());
                    document.untold().stream()
                            .filter(alarm -> !isTold(alarm, known) && !isTold(alarm, news))
                            .forEach(news::add);
                    news.addAll(document.take(found, pace.looks(), now));
                }
                return present;
            });
        } catch (CouchJobsException unknown) {
            inDoubt = Stream.concat(known.stream(), news.stream()).toList();
            throw unknown;
        }
        return news;
    }

    /** Returns whether this process reports an alarm, or has reported it. */
    private boolean isTold(Alarms.Alarm alarm, Collection<Alarms.Alarm> known) {
        AlarmDocument.Raised raised = AlarmDocument.Raised.of(alarm);
        return inCharge.contains(raised)
                || known.stream().map(AlarmDocument.Raised::of).anyMatch(raised::equals);
    }

    private static void tell(Telling telling) throws InterruptedException {
        Deque<Alarms.Alarm> untold = telling.untold();
        while (untold.size() > MOST_UNTOLD) {
            untold.remove();
        }
        try {
            while (!untold.isEmpty()) {
                telling.target().tell(untold.element());
                untold.remove();
            }
        } catch (IOException | RuntimeException | Error trouble) {
            log.warn(
                    "an alarm ({}) could not be told, trying again after the next look: {}",
                    untold.element().finding(),
                    trouble.toString());
        }
    }

    private static AlarmDocument nothingFound() {
        return new AlarmDocument(JsonNodeFactory.instance.objectNode());
    }
}
