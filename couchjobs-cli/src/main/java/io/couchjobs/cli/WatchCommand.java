package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Output;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code watch}: shows changes of status as they happen, until Ctrl-C or until the reader of the output has gone. */
@Command(
        name = "watch",
        description = {
            "Show changes of status as they happen, and removals, until Ctrl-C.",
            "With -o ndjson each change is one line: the job as inspect shows it, and the time when the change was seen (at).",
            "For a removed job the line has the type, the id and the state not_found. When a job changes quickly, only its last",
            "change may be shown. A restart of the server does not matter.",
            "With --alarm it shows alarms in place of changes, and tells a webhook or a program. Processes with the same",
            "rules, the same --looks and the same targets in the same order tell each alarm once between them."
        },
        footer = {
            "  couchjobs watch",
            "  couchjobs watch --type email --id 42",
            "  couchjobs watch --type email -o ndjson | jq -r .status",
            "  couchjobs watch --alarm --oldest-due 5m --failure-rate 10%% --webhook https://example.org/hook"
        })
final class WatchCommand extends QueueCommand {
    @Option(names = "--type", paramLabel = "T", description = "Only jobs of this type.")
    private @Nullable String type;

    @Option(names = "--id", paramLabel = "ID", description = "Only jobs with this id.")
    private @Nullable String id;

    @Mixin
    private final AlarmOptions alarms = new AlarmOptions();

    @Override
    boolean tellsIds() {
        return !alarms.areOn();
    }

    @Override
    void check() {
        alarms.check();
        if (alarms.areOn() && (type != null || id != null)) {
            throw CommandException.usage("--alarm looks at the whole queue: leave out --type and --id");
        }
        if (type != null) {
            JobId.checkType(type);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        return alarms.areOn() ? watchForAlarms(queue) : watchChanges(queue);
    }

    private ExitCode watchForAlarms(JobQueue queue) throws InterruptedException {
        Output output = output();
        CountDownLatch readerIsGone = new CountDownLatch(1);
        Listening listening = alarms.of(queue)
                .tell(alarm -> {
                    output.line(() -> AlarmOptions.text(alarm), () -> AlarmOptions.json(alarm));
                    if (output.isClosed()) {
                        readerIsGone.countDown();
                    }
                })
                .start();
        try {
            root().say("couchjobs: watching for alarms, Ctrl-C to stop");
            readerIsGone.await();
            return ExitCode.DONE;
        } finally {
            listening.close();
        }
    }

    private ExitCode watchChanges(JobQueue queue) throws InterruptedException {
        JobFilter filter = type == null ? JobFilter.all() : JobFilter.all().type(type);
        Output output = output();
        CountDownLatch readerIsGone = new CountDownLatch(1);
        Listening listening = queue.watch(filter, change -> show(change, queue, output, readerIsGone), () -> root().say(
                        "couchjobs: changes may have been missed: the database was made anew or restored, or they came"
                                + " faster than they could be shown"));
        try {
            root().say("couchjobs: watching, Ctrl-C to stop");
            readerIsGone.await();
            return ExitCode.DONE;
        } finally {
            listening.close();
        }
    }

    private void show(JobChange change, JobQueue queue, Output output, CountDownLatch readerIsGone) {
        if (id != null && !id.equals(change.id().id())) {
            return;
        }
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        output.line(() -> now + "  " + change.id() + "  " + text(change), () -> json(change, queue, now));
        if (output.isClosed()) {
            readerIsGone.countDown();
        }
    }

    private static String text(JobChange change) {
        return change.job()
                .map(job -> job.status().json() + "  " + JobText.detail(job))
                .orElse("removed")
                .stripTrailing();
    }

    private static ObjectNode json(JobChange change, JobQueue queue, Instant now) {
        ObjectNode json = change.job().map(job -> whole(job, queue)).orElseGet(() -> JobJson.gone(change.id()));
        return json.put("at", now.toString());
    }

    /** Returns a job. A change is reported only once, so a job whose data cannot be read is shown without the data. */
    private static ObjectNode whole(Job job, JobQueue queue) {
        try {
            return JobJson.of(queue.withData(job));
        } catch (CouchException away) {
            return JobJson.of(job).put("dataProblem", "the data cannot be read: " + away.getMessage());
        }
    }
}
