package io.couchjobs.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.IdField;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.input.Times;
import io.couchjobs.cli.output.Format;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.dashboard.view.Replacement;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code enqueue TYPE [ID]}: adds one job, or with {@code --from} many. */
@Command(
        name = "enqueue",
        description = {
            "Add a job, or with --from many.",
            "If the job exists, its status decides. Pending, at another time: it gets the new time and data. Pending, at the",
            "same time: nothing is written (exit code 4 when --data differs, unless --replace). Running: it runs once more",
            "afterwards. Finished: it runs again.",
            "With --from, lines with other data than such a pending job are counted as differing; exit code 1 at the end",
            "if there were any, or bad lines."
        },
        footer = {
            "  couchjobs enqueue email 42 --data '{\"to\":\"a@example.org\"}'",
            "  couchjobs enqueue report --in 2h --tag nightly --data @report.json",
            "  couchjobs enqueue summary --data '{}' --after report/1 --after report/2 --after-failure run",
            "  find . -type f | couchjobs enqueue sha256 --from - --format lines",
            "  couchjobs enqueue email --from jobs.ndjson -o json",
            "  couchjobs enqueue email --array campaign-7 --from people.csv",
            "  couchjobs enqueue report --data '{}' --after-array email/campaign-7"
        })
final class EnqueueCommand extends QueueCommand implements CreatesStore {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type of the job.")
    private String type = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "Its id; default a random UUID.")
    private @Nullable String id;

    @Mixin
    private final DataOption data = new DataOption();

    @Mixin
    private final JobOptions options = new JobOptions();

    @Option(
            names = "--if-new",
            paramLabel = "TRACKER",
            description = "Only if no unfinished job has this tracker; the id is derived from it.")
    private @Nullable String tracker;

    @Option(
            names = "--replace",
            description = "Replace the data of a job that is pending, also where its time stays the same.")
    private boolean replace;

    @Option(
            names = "--from",
            paramLabel = "FILE|-",
            description =
                    "Add a job for each line of a file, or of standard input (-). Without --array, lines are stored as they come.")
    private @Nullable String from;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = {
                "The format of the file: ndjson (objects with data and optionally id, scheduledTime, group, ...), csv (the header "
                        + "names the fields of the data) or lines (the data is {\"line\": \"...\"}). Default: csv for FILE.csv, lines for "
                        + "FILE.txt, else ndjson."
            })
    private JobReader.@Nullable Format format;

    @Option(
            names = "--id-field",
            paramLabel = "FIELD",
            description = "The field of the data that is the id of a line's job, so that the file can be added again.")
    private @Nullable String idField;

    @Option(
            names = "--array",
            paramLabel = "ID",
            description = "Add the lines of --from as items of one array; a repeated call adds those that are missing.")
    private @Nullable String array;

    @Option(names = "--chunk", paramLabel = "N", description = "How many items a document has at most; default 500.")
    private @Nullable Integer chunk;

    private JobRequest.@Nullable Builder request;

    @Override
    boolean tellsIds() {
        return from == null;
    }

    @Override
    void check() {
        JobId.checkType(type);
        if (array != null) {
            checkArray(array);
        } else if (chunk != null) {
            throw CommandException.usage("--chunk needs --array");
        } else if (tracker != null && replace) {
            throw CommandException.usage("--if-new and --replace exclude each other");
        } else if (from == null && (format != null || idField != null)) {
            throw CommandException.usage("--format and --id-field need --from");
        } else if (from == null) {
            request = single();
            request.build();
        } else if (id != null || tracker != null || data.isGiven()) {
            throw CommandException.usage("--from adds many jobs: no ID, --data or --if-new with it");
        } else if (idField != null && format(from) == JobReader.Format.LINES) {
            throw CommandException.usage("--id-field names a field of the data, and lines of text have none");
        } else {
            InputFile.check(from);
            options.start(type, Instant.now())
                    .data(new JsonMapper().createObjectNode())
                    .build();
        }
    }

    private void checkArray(String arrayId) {
        if (from == null) {
            throw CommandException.usage("--array needs --from: the file of its items");
        } else if (id != null || tracker != null || data.isGiven() || replace || idField != null) {
            throw CommandException.usage(
                    "--array adds items: no ID, --data, --if-new, --replace or --id-field with it");
        } else if (chunk != null && (chunk < 1 || chunk > 10_000)) {
            throw CommandException.usage("--chunk must be from 1 to 10000, not " + chunk);
        }
        InputFile.check(from);
        request = options.start(type, Instant.now()).id(arrayId).data(new JsonMapper().createObjectNode());
        request.build();
    }

    @Override
    ExitCode run(JobQueue queue) throws IOException {
        options.findArrays(queue);
        if (array != null) {
            return array(queue, String.valueOf(from));
        }
        if (from != null) {
            return many(queue, from);
        }
        JobRequest wanted = request(queue);
        if (tracker != null) {
            return ifNew(queue, wanted);
        }
        AddResult result = replace ? Replacement.add(queue, wanted) : queue.add(wanted);
        Job job =
                result.job().orElseThrow(() -> new CommandException(ExitCode.FAILED, "not added: " + result.problem()));
        if (result.outcome() == AddResult.Outcome.UNCHANGED
                && data.isGiven()
                && !JobView.isSame(queue.withData(job).data(), wanted.data())) {
            throw notStored(job.id());
        }
        show(job, queue);
        if (result.outcome() != AddResult.Outcome.ADDED) {
            root().say("couchjobs: " + job.id() + ": " + meaning(result.outcome()));
        }
        return ExitCode.DONE;
    }

    /** Returns the error; for programs, also writes the problem as a result. */
    private CommandException notStored(JobId id) {
        String problem = id + " is pending with the same time and other data, which it keeps";
        if (!output().format().isTabular() && output().format() != Format.ID) {
            output().line(() -> "", () -> JobView.of(id).put("stored", false).put("problem", problem));
        }
        return new CommandException(ExitCode.REFUSED, "not stored: " + problem + "; --replace gives it the new data");
    }

    private ExitCode ifNew(JobQueue queue, JobRequest job) {
        boolean added = queue.insertIfNew(job);
        queue.get(job.id()).ifPresentOrElse(present -> show(present, queue), () -> showGone(job.id()));
        if (!added) {
            root().say("couchjobs: not added: an unfinished job has this tracker");
        }
        return ExitCode.DONE;
    }

    private ExitCode many(JobQueue queue, String file) throws IOException {
        Times times = new Times(() -> ServerTime.of(queue), ZoneId.systemDefault());
        try (InputStream in = InputFile.open(file, root().shell())) {
            IdField field = Optional.ofNullable(idField).map(IdField::of).orElse(IdField.NONE);
            JobReader reader = format(file).open(in, () -> options.start(type, ServerTime.of(queue)), times, field);
            return new BulkEnqueue(queue, root(), replace).run(reader::next);
        }
    }

    private ExitCode array(JobQueue queue, String file) throws IOException {
        Times times = new Times(() -> ServerTime.of(queue), ZoneId.systemDefault());
        try (InputStream in = InputFile.open(file, root().shell())) {
            JobReader reader = format(file).openItems(in, () -> JobRequest.builder(type), times);
            new ArrayEnqueue(queue, root(), chunk == null ? OptionalInt.empty() : OptionalInt.of(chunk))
                    .run(request(queue), reader);
        }
        return ExitCode.DONE;
    }

    private JobReader.Format format(String file) {
        return format == null ? JobReader.Format.of(file) : format;
    }

    /** Shows a job that is no longer there: it may have run, and been removed, since. */
    private void showGone(JobId gone) {
        output().line(gone::id, () -> JobJson.gone(gone));
    }

    private void show(Job job, JobQueue queue) {
        output().line(() -> job.id().id(), () -> JobJson.of(queue.withData(job)));
    }

    private JobRequest request(JobQueue queue) {
        if (request == null) {
            throw new IllegalStateException("run before check");
        }
        return options.afterArrays(
                options.countedFrom(ServerTime.of(queue), request).build());
    }

    private JobRequest.Builder single() {
        JobRequest.Builder job = options.start(type, Instant.now()).data(data.read(root().shell()));
        Optional.ofNullable(id).ifPresent(job::id);
        Optional.ofNullable(tracker).ifPresent(job::tracker);
        return job;
    }

    private static String meaning(AddResult.Outcome outcome) {
        return switch (outcome) {
            case UPDATED -> "was pending, has the new time and data now";
            case UNCHANGED -> "is pending with the same time already; nothing was written";
            case RESUBMITTED -> "is running, and will run once more afterwards, with the data that it has";
            case ADDED, REJECTED -> outcome.name().toLowerCase(Locale.ROOT);
        };
    }
}
