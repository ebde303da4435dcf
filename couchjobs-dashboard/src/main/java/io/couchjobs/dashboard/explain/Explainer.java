package io.couchjobs.dashboard.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.DurationText;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Site;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.Limit;
import io.couchjobs.type.Rate;
import io.couchjobs.type.TypeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains why a job does not run. Reads what a worker would read, and changes nothing. Does not see the filter that a program
 * gives its workers, nor limits that are full only for a moment.
 */
public final class Explainer {
    private static final int MOST_NAMED = 3;
    /** A time longer than a worker with a free place needs to take a job. */
    private static final Duration LEFT = Duration.ofSeconds(30);

    private static final int MOST_COUNTED = 1_000;
    /** The largest number of running jobs that are read to check a limit. A larger limit is not checked. */
    private static final int MOST_HOLDERS = 10_000;

    private final JobQueue queue;
    private final JobId id;
    private final Instant now;
    private final List<Reason> reasons = new ArrayList<>();
    /** The live workers that run the job's type. */
    private List<WorkerInfo> takers = List.of();

    private Explainer(JobQueue queue, JobId id) {
        this.queue = queue;
        this.id = id;
        this.now = ServerTime.of(queue);
    }

    /**
     * Explains a job.
     *
     * @param queue its queue
     * @param id the job
     * @return the reasons, the decisive one first; at least one
     * @throws NotFoundException when there is no such job
     */
    public static List<Reason> explain(JobQueue queue, JobId id) {
        Explainer explainer = new Explainer(queue, id);
        explainer.explain();
        return List.copyOf(explainer.reasons);
    }

    private void explain() {
        ObjectNode document =
                queue.database().getWithConflicts(id.docId()).orElseThrow(() -> new NotFoundException(id));
        int others = document.path("_conflicts").size();
        document.remove("_conflicts");
        Job job;
        try {
            job = Job.parse(document);
        } catch (MalformedDocumentException wrong) {
            add(
                    Verdict.MALFORMED,
                    String.valueOf(wrong.getMessage()),
                    "PUT the document again with its _rev and the right field, or " + command("remove"));
            return;
        }
        if (job.phase() == JobPhase.FINISHED) {
            finished(job);
        } else if (job.status().isLocked() && !job.isWithdrawn()) {
            running(job);
        } else {
            pending(job);
        }
        if (others > 0 || job.isWithdrawn()) {
            conflict(job, others);
        }
        if (reasons.isEmpty()) {
            due(job);
        }
    }

    private void finished(Job job) {
        Instant end = job.times().get("finished");
        String when = end == null ? "" : " " + ago(end);
        add(
                Verdict.FINISHED,
                "it ended as " + job.status().json() + when + lastError(job),
                command("retry") + " runs it again");
    }

    private void running(Job job) {
        Lock lock = job.lock().orElseThrow(() -> new IllegalStateException("an owned job has a lock: " + id));
        List<WorkerInfo> workers = queue.operations().workers();
        Optional<WorkerInfo> owner = workers.stream()
                .filter(worker -> worker.id().equals(lock.worker()))
                .filter(worker -> !worker.isSilent(now))
                .findFirst();
        String what = job.status() == JobStatus.SCHEDULED ? "claimed it ahead " : "has been running it for ";
        String how = "worker " + lock.worker() + " " + what
                + DurationText.of(age(lock.since()))
                + (job.status() == JobStatus.SCHEDULED ? " ago" : "")
                + (job.isCancelRequested() ? "; it was asked to stop" : "")
                + (job.isResubmitted() ? "; it runs once more afterwards" : "");
        if (owner.isPresent()) {
            String seen = owner.flatMap(WorkerInfo::registration)
                    .map(registered -> "; its last sign of life was " + ago(registered.at()))
                    .orElse("");
            add(
                    Verdict.RUNNING,
                    how + seen,
                    command("cancel") + " asks it to stop; if its process is gone, " + command("release")
                            + " lets another worker run the job");
        } else {
            boolean isAnybodyThere = workers.stream().anyMatch(worker -> !worker.isSilent(now));
            add(
                    Verdict.RUNNING,
                    how + ", and gives no sign of life",
                    isAnybodyThere
                            ? "another worker takes it over when the timeout of its type is over; " + command("release")
                                    + " does so at once"
                            : "no worker lives that could take it over: start one; or " + command("release")
                                    + " takes it from the dead one");
        }
    }

    /** Adds the reasons in the order in which a person would look. */
    private void pending(Job job) {
        site(job);
        time(job);
        TypeSettings settings = queue.types().settings(job.type());
        if (settings.isPaused()) {
            add(
                    Verdict.PAUSED,
                    "type " + job.type() + " is paused"
                            + settings.pauseReason()
                                    .map(reason -> ": " + reason)
                                    .orElse(""),
                    shell("resume", word(job.type())));
        }
        job.after().ifPresent(this::held);
        limits(job, settings);
        settings.rate().ifPresent(this::rate);
        workers(job, settings);
    }

    private void site(Job job) {
        Site here = queue.operations().site();
        if (!here.owns(job)) {
            add(
                    Verdict.OTHER_SITE,
                    "it is run at " + job.site().map(site -> "site " + site).orElse("the home site") + ", and this is "
                            + Optional.ofNullable(here.name())
                                    .map(name -> "site " + name)
                                    .orElse("a database without a name"),
                    "run workers there, and let the databases replicate");
        }
    }

    private void time(Job job) {
        Instant time = job.scheduledTime();
        if (!time.isAfter(now)) {
            return;
        }
        String when = time + ", in " + DurationText.of(Duration.between(now, time));
        if (job.status() == JobStatus.STUCK) {
            add(
                    Verdict.STUCK,
                    "it failed " + (job.failures() == 1 ? "once" : job.failures() + " times") + lastError(job)
                            + ", and is retried at " + when,
                    command("retry") + " runs it now");
        } else {
            add(Verdict.WAITING_FOR_TIME, "it is due at " + when, command("retry") + " runs it now");
        }
    }

    private void held(After after) {
        Optional<List<JobId>> circle = Circle.through(queue, id, after);
        if (circle.isPresent()) {
            add(
                    Verdict.HELD,
                    "it waits for "
                            + circle.get().stream()
                                    .map(JobId::toString)
                                    .map(other -> other + ", which waits for ")
                                    .collect(Collectors.joining())
                            + "it: none of them ever runs",
                    command("retry") + " runs this one without the others");
            return;
        }
        List<AwaitedJob> open = new ArrayList<>();
        for (JobId other : after.jobs()) {
            AwaitedJob awaited = AwaitedJob.read(queue, other);
            if (!awaited.isOver(after.onFailure())) {
                open.add(awaited);
            }
            if (open.size() > MOST_NAMED) {
                break;
            }
        }
        if (open.isEmpty()) {
            add(
                    Verdict.HELD,
                    "all jobs that it waited for have ended, and no worker has let it go yet",
                    "start a worker: any one lets it go");
        } else {
            String which = open.stream().limit(MOST_NAMED).map(AwaitedJob::text).collect(Collectors.joining(", "))
                    + (open.size() > MOST_NAMED ? " and others" : "");
            add(Verdict.HELD, "it waits for " + which, remedy(open.get(0)));
        }
    }

    private String remedy(AwaitedJob first) {
        String without = "; " + command("retry") + " runs this one without it";
        if (first.isMalformed()) {
            return command("explain", first.id()) + " tells what is wrong with that document" + without;
        } else if (first.status().isEmpty()) {
            return command("enqueue", first.id()) + " adds that job" + without;
        }
        return first.hasEnded()
                ? command("retry", first.id()) + " runs that job again" + without
                : command("explain", first.id());
    }

    private void limits(Job job, TypeSettings settings) {
        String type = "type " + job.type();
        JobFilter running = JobFilter.all().type(job.type());
        full(job, settings.get(Limit.RUNNING), "--limit", running, most -> type + " may run " + most);
        full(
                job,
                settings.get(Limit.RUNNING_PER_GROUP),
                "--group-limit",
                running.group(job.group()),
                most -> job.group().isEmpty()
                        ? type + " may run " + most + " without a group"
                        : "group " + job.group() + " of " + type + " may run " + most);
    }

    private void full(Job job, OptionalInt limit, String option, JobFilter running, UnaryOperator<String> rule) {
        if (limit.isEmpty() || limit.getAsInt() > MOST_HOLDERS) {
            return;
        }
        int most = limit.getAsInt();
        Site here = queue.operations().site();
        int read = here.name() == null ? most + 1 : MOST_HOLDERS; // jobs of other sites may be among them
        List<Job> holders = Stream.of(JobStatus.RUNNING, JobStatus.SCHEDULED)
                .flatMap(status -> queue.list(running.status(status), read).stream())
                .filter(here::owns)
                .toList();
        if (holders.size() >= most) {
            String who = holders.stream()
                    .limit(MOST_NAMED)
                    .map(holder -> holder.id()
                            + holder.lock().map(lock -> " on " + lock.worker()).orElse(""))
                    .collect(Collectors.joining(", "));
            add(
                    Verdict.LIMIT,
                    rule.apply(jobs(most)) + " at once" + (who.isEmpty() ? "" : ", and these do: " + who),
                    shell("type", "set", word(job.type()), option, "none") + " lets any number run, " + option
                            + " N another one");
        }
    }

    private void rate(Rate rate) {
        JsonNode used = queue.database()
                .get("rate:" + id.type() + queue.operations().site().suffix())
                .orElseGet(JsonNodeFactory.instance::objectNode);
        boolean isPresentWindow = used.path("window").asLong(-1) == rate.windowOf(now)
                && used.path("length").asLong() == rate.window().toMillis();
        if (isPresentWindow && used.path("reserved").asInt() >= rate.starts()) {
            Instant next = Instant.ofEpochMilli(rate.windowOf(now)).plus(rate.window());
            add(
                    Verdict.RATE,
                    "type " + id.type() + " may start " + jobs(rate.starts()) + " in " + DurationText.of(rate.window())
                            + ", and all are taken",
                    "the next ones start at " + next + "; " + shell("type", "set", word(id.type()), "--rate", "none")
                            + " lets any number start");
        }
    }

    private void workers(Job job, TypeSettings settings) {
        takers = queue.operations().workers().stream()
                .filter(worker -> worker.runs(job.type(), now))
                .toList();
        if (takers.isEmpty()) {
            add(
                    Verdict.NO_WORKER,
                    "no live worker takes type " + job.type(),
                    "start one that does, such as " + shell("work", word(job.type()), "--", "COMMAND") + "; "
                            + shell("workers") + " lists those that live");
        }
        Optional<Set<String>> classes = settings.classes();
        if (classes.isPresent() && !classes.get().contains(job.jobClass().orElse(""))) {
            add(
                    Verdict.FILTERED,
                    "type " + job.type() + " runs the classes " + quoted(classes.get()) + " only, and it has "
                            + job.jobClass()
                                    .map(name -> "class \"" + name + "\"")
                                    .orElse("none"),
                    shell("type", "set", word(job.type()), "--classes", word(with(classes.get(), job)))
                            + " lets its class run, too");
        }
    }

    private void conflict(Job job, int others) {
        String what = others > 0 ? "its document has " + (others + 1) + " leaves" : "a claim of it was withdrawn";
        String who = job.isWithdrawn() && others > 0 ? ", and the one that is shown is a withdrawn claim" : "";
        reasons.add(
                reasons.isEmpty() || job.isWithdrawn() ? 0 : reasons.size(),
                new Reason(
                        Verdict.CONFLICT,
                        what + who,
                        "a worker resolves that within seconds; " + shell("doctor", "--fix") + " does so without one"));
    }

    private void due(Job job) {
        switch (job.toDocument().path("endAs").asText()) {
            case "cancelled" ->
                add(
                        Verdict.DUE,
                        "its owner died, and the job is to be cancelled; the next worker that claims it cancels it and does not run it",
                        command("cancel") + " cancels it now");
            case "failed" ->
                add(
                        Verdict.DUE,
                        "too many owners died while they ran it (maxExpirations); the next worker that claims it fails it and does not run it",
                        command("retry") + " has it run once more");
            default -> dueToRun(job);
        }
    }

    private void dueToRun(Job job) {
        Instant since = job.dueSince();
        Duration wait = age(since);
        if (since.isAfter(Instant.EPOCH)
                && wait.compareTo(LEFT) > 0
                && takers.stream().allMatch(worker -> worker.jobs().isEmpty())) {
            left(wait);
        } else {
            waits(job);
        }
    }

    /** Explains why workers leave a job, though a worker that owns no job takes a due one at once. */
    private void left(Duration wait) {
        String who = takers.stream()
                .limit(MOST_NAMED)
                .map(worker -> worker.id() + ", last sign of life "
                        + ago(worker.registration().orElseThrow().at()))
                .collect(Collectors.joining("; "));
        add(
                Verdict.DUE,
                "nothing keeps it, and it has been due for " + DurationText.of(wait)
                        + ": the workers of its type own no job, and leave it: " + who
                        + (takers.size() > MOST_NAMED ? "; and others" : ""),
                "see whether their processes live: one that was killed is shown as live for ten minutes. Start another;"
                        + " or look at their log, their filter and their concurrency");
    }

    private void waits(Job job) {
        int before = queue.types().pendingCount(job.type(), now, MOST_COUNTED);
        String rivals = before <= 1
                ? ""
                : "; it is one of " + (before >= MOST_COUNTED ? "at least " : "") + before + " due jobs of its type";
        String busy = takers.stream()
                .flatMap(worker -> worker.jobs().stream().map(owned -> owned.id() + " on " + worker.id()))
                .limit(MOST_NAMED)
                .collect(Collectors.joining(", "));
        add(
                Verdict.DUE,
                "nothing keeps it: a worker takes it when it has a place" + rivals
                        + (busy.isEmpty() ? "" : "; now running: " + busy),
                shell("watch", "--type", word(job.type()), "--id", word(job.id().id()))
                        + " shows it happen; with more workers, or more places, it runs sooner");
    }

    private void add(Verdict verdict, String because, String remedy) {
        reasons.add(new Reason(verdict, because, remedy));
    }

    private static String lastError(Job job) {
        List<JobError> errors = job.errors();
        return errors.isEmpty() ? "" : " (" + errors.get(errors.size() - 1).message() + ")";
    }

    private String command(String verb) {
        return command(verb, id);
    }

    private static String command(String verb, JobId job) {
        return shell(verb, word(job.type()), word(job.id()));
    }

    private static String shell(String... words) {
        return ("couchjobs " + String.join(" ", words)).replace(" ", Reason.NO_BREAK);
    }

    /** Returns the claimed classes and the job's class, sorted. The empty name, which stands for no class, is the last. */
    private static String with(Set<String> classes, Job job) {
        return Stream.concat(classes.stream(), Stream.of(job.jobClass().orElse("")))
                .distinct()
                .sorted(Comparator.comparing(String::isEmpty).thenComparing(name -> name))
                .collect(Collectors.joining(","));
    }

    private static String jobs(int count) {
        return count == 1 ? "1 job" : count + " jobs";
    }

    private static String quoted(Set<String> names) {
        return names.stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(", "));
    }

    /** Quotes a word for a shell, if needed. */
    private static String word(String text) {
        return text.matches("[A-Za-z0-9_./:@%+,=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    private String ago(Instant time) {
        return DurationText.of(age(time)) + " ago";
    }

    private Duration age(Instant time) {
        Duration age = Duration.between(time, now);
        return age.isNegative() ? Duration.ZERO : age;
    }
}
