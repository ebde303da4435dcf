package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.view.JobDocuments;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import io.couchjobs.job.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Workers and their jobs, written for people and for programs. Immutable.
 *
 * @param workers the workers
 * @param jobs the jobs of the workers, as far as they were read
 * @param now the server's time
 */
record WorkerView(List<WorkerInfo> workers, Map<JobId, Job> jobs, Instant now) {
    /** The number of jobs that are read; only the names of further jobs are shown. */
    private static final int MOST_READ = 500;

    static WorkerView of(JobQueue queue, Predicate<WorkerInfo> wanted) {
        List<WorkerInfo> workers =
                queue.operations().workers().stream().filter(wanted).toList();
        Instant now = ServerTime.of(queue);
        Stream<JobId> owned = workers.stream()
                .flatMap(worker -> worker.jobs().stream())
                .map(WorkerInfo.OwnedJob::id)
                .limit(MOST_READ);
        return new WorkerView(workers, JobDocuments.read(queue, owned), now);
    }

    /** Returns the view with the attached data of the jobs, which is shown only to programs. */
    WorkerView withData(JobQueue queue) {
        Map<JobId, Job> whole =
                queue.withData(jobs.values().stream()).collect(Collectors.toMap(Job::id, Function.identity()));
        return new WorkerView(workers, whole, now);
    }

    Table table() {
        Table table = new Table("WORKER", "STATE", "SEEN", "UP", "PID", "TYPES", "JOB", "STATUS", "FOR", "DETAIL");
        for (WorkerInfo worker : workers) {
            List<Cell> who = who(worker);
            if (worker.jobs().isEmpty()) {
                table.row(row(who, List.of(Cell.of("-"), Cell.of(""), Cell.of(""), Cell.of(""))));
            }
            for (WorkerInfo.OwnedJob owned : worker.jobs()) {
                table.row(row(who, what(owned.id())));
                who = Collections.nCopies(who.size(), Cell.of(""));
            }
        }
        return table;
    }

    private static Cell[] row(List<Cell> who, List<Cell> what) {
        return Stream.concat(who.stream(), what.stream()).toArray(Cell[]::new);
    }

    private List<Cell> who(WorkerInfo worker) {
        return worker.registration()
                .map(known -> List.of(
                        Cell.of(worker.id()),
                        state(worker),
                        Cell.of(since(known.at()) + " ago"),
                        Cell.of(since(known.started())),
                        Cell.of(Long.toString(known.pid())),
                        Cell.of(String.join(",", known.types()))))
                .orElseGet(() -> List.of(
                        Cell.of(worker.id()), state(worker), Cell.of("-"), Cell.of("-"), Cell.of("-"), Cell.of("-")));
    }

    private Cell state(WorkerInfo worker) {
        return switch (stateOf(worker)) {
            case "live" -> Cell.of("live", Style.GOOD);
            case "silent" -> Cell.of("silent", Style.BAD);
            default -> Cell.of("unregistered", Style.WARNING);
        };
    }

    private String stateOf(WorkerInfo worker) {
        return worker.registration().isEmpty() ? "unregistered" : worker.isSilent(now) ? "silent" : "live";
    }

    private List<Cell> what(JobId id) {
        return Optional.ofNullable(jobs.get(id))
                .map(job -> List.of(
                        Cell.of(id.toString()),
                        JobText.status(job.status()),
                        Cell.of(job.lock().map(Lock::since).map(this::since).orElse("")),
                        Cell.of(JobText.detail(job), Style.FAINT)))
                .orElseGet(() -> List.of(Cell.of(id.toString()), Cell.of(""), Cell.of(""), Cell.of("")));
    }

    private String since(Instant time) {
        Duration passed = Duration.between(time, now);
        return passed.isNegative() ? "0ms" : Durations.format(passed);
    }

    List<ObjectNode> json() {
        return workers.stream().map(this::json).toList();
    }

    private ObjectNode json(WorkerInfo worker) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", worker.id());
        json.put("state", stateOf(worker));
        Optional<WorkerInfo.Registered> known = worker.registration();
        json.put("seen", known.map(one -> one.at().toString()).orElse(null));
        json.put("started", known.map(one -> one.started().toString()).orElse(null));
        json.put("pid", known.map(WorkerInfo.Registered::pid).orElse(null));
        ArrayNode types = json.putArray("types");
        known.ifPresent(one -> one.types().forEach(types::add));
        ArrayNode array = json.putArray("jobs");
        worker.jobs()
                .forEach(owned -> array.add(Optional.ofNullable(jobs.get(owned.id()))
                        .map(JobJson::of)
                        .orElseGet(() -> JobView.of(owned.id()))));
        return json;
    }
}
