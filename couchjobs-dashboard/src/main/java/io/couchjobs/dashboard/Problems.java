package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.dashboard.doctor.Check;
import io.couchjobs.dashboard.view.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The problems that people should know of: those of the queue, and those that the checks found. Thread-safe. */
final class Problems {
    private static final Duration FRESH = Duration.ofSeconds(2);
    private static final Duration CHECKED = Duration.ofSeconds(15);

    private final JobQueue queue;
    private final Counts counts;
    private final Types types;
    private final Workers workers;
    private final Cached<List<Problem>> signs;
    private final Cached<List<Problem>> ofQueue;
    private final Cached<List<Problem>> checks;

    Problems(JobQueue queue, List<Check> checks, Counts counts, Types types, Workers workers) {
        this.queue = queue;
        this.counts = counts;
        this.types = types;
        this.workers = workers;
        this.signs = new Cached<>(FRESH, this::look, queue.operations()::building);
        this.ofQueue = new Cached<>(CHECKED, queue.operations()::problems, queue.operations()::building);
        this.checks = new Cached<>(
                CHECKED,
                () -> checks.stream().map(check -> check.lookOrSay(queue)).toList(),
                queue.operations()::building);
    }

    /** {@return how many problems are known; until the slower checks have answered, only those that the numbers of jobs show} */
    long count() {
        List<Problem> known = ofQueue.known().orElseGet(signs::get);
        return Stream.of(known, checks.known().orElse(List.of()))
                .flatMap(List::stream)
                .filter(problem -> problem.level() == Problem.Level.PROBLEM)
                .count();
    }

    /** {@return all findings: those about the queue and those of the checks, which may say that all is well} */
    List<Problem> all() {
        List<Problem> all = new ArrayList<>(ofQueue.get());
        all.addAll(checks.get());
        return all;
    }

    ObjectNode json() {
        ObjectNode json = Call.JSON.createObjectNode().put("now", ServerTime.millis(queue));
        ArrayNode problems = json.putArray("problems");
        all().stream().map(Problems::json).forEach(problems::add);
        return json;
    }

    static ObjectNode json(Problem problem) {
        return Call.JSON
                .createObjectNode()
                .put("name", problem.name())
                .put("level", problem.level().name().toLowerCase(Locale.ROOT))
                .put("finding", problem.finding())
                .put("consequence", problem.consequence())
                .put("remedy", problem.remedy());
    }

    /** Returns the problems that the numbers of the types show. */
    private List<Problem> look() {
        Instant now = ServerTime.of(queue);
        return Problem.of(counts.byType(), types.settings(), workers.all(), now);
    }
}
