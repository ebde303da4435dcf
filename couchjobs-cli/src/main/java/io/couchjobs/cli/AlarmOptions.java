package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.Alarms;
import io.couchjobs.cli.input.Durations;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of alarms: the rules, and who is told. */
final class AlarmOptions {
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,2}(?:\\.\\d{1,3})?)%?");

    @Option(
            names = "--alarm",
            description =
                    "Tell when something is wrong, and when it is over. The next five options are the rules; if none of them"
                            + " is given, all five apply.")
    private boolean isOn;

    @Option(
            names = "--oldest-due",
            paramLabel = "D",
            description = "A job of a type that is not paused has been due for longer; default 10m.")
    private @Nullable Duration oldestDue;

    @Option(
            names = "--failure-rate",
            paramLabel = "PERCENT",
            description =
                    "More than this share of the runs of a type failed in the last ten minutes, of at least 20 runs; default 20%%.")
    private @Nullable String failureRate;

    @Option(names = "--silent-workers", description = "A registered worker gives no sign of life.")
    private boolean silentWorkers;

    @Option(
            names = "--growth",
            paramLabel = "N",
            description = "The waiting jobs of a type grew by more than N in ten minutes; default 1000.")
    private @Nullable Long growth;

    @Option(
            names = "--conflicts",
            paramLabel = "N",
            description = "More than this many documents have conflicts; default 10.")
    private @Nullable Integer conflicts;

    @Option(names = "--every", paramLabel = "D", description = "How long to rest between two looks; default 30s.")
    private @Nullable Duration every;

    @Option(
            names = "--looks",
            paramLabel = "N",
            description =
                    "Raise an alarm after this many looks in a row that find it; end it after as many that do not. Default 3.")
    private @Nullable Integer looks;

    @Option(names = "--webhook", paramLabel = "URL", description = "Post alarms to this URL, as JSON.")
    private @Nullable URI webhook;

    @Option(
            names = "--command",
            paramLabel = "PROGRAM",
            description =
                    "Run this program for each alarm, with the alarm as JSON on its standard input; no shell. Its environment has"
                            + " COUCHJOBS_ALARM (the rule), COUCHJOBS_SUBJECT and COUCHJOBS_RAISED (false when the alarm is over)."
                            + " It is killed after 30 s. With any exit code but 0 it has told nobody, and runs again after the next look.")
    private @Nullable String program;

    boolean areOn() {
        return isOn;
    }

    void check() {
        if (!isOn && isAnyGiven()) {
            throw CommandException.usage("options of alarms need --alarm");
        }
        rate();
    }

    private boolean isAnyGiven() {
        return silentWorkers
                || Stream.of(oldestDue, failureRate, growth, conflicts, every, looks, webhook, program)
                        .anyMatch(Objects::nonNull);
    }

    /** Creates the alarms, but does not start them. */
    Alarms of(JobQueue queue) {
        Alarms alarms = queue.operations().alarms();
        Optional.ofNullable(oldestDue).ifPresent(alarms::oldestDue);
        if (failureRate != null) {
            alarms.failureRate(rate());
        }
        if (silentWorkers) {
            alarms.silentWorkers();
        }
        Optional.ofNullable(growth).ifPresent(alarms::growth);
        Optional.ofNullable(conflicts).ifPresent(alarms::conflicts);
        Optional.ofNullable(every).ifPresent(alarms::every);
        Optional.ofNullable(looks).ifPresent(alarms::looks);
        Optional.ofNullable(webhook).ifPresent(alarms::webhook);
        Optional.ofNullable(program).map(List::of).ifPresent(alarms::command);
        return alarms;
    }

    private double rate() {
        if (failureRate == null) {
            return 0;
        }
        Matcher percent = PERCENT.matcher(failureRate);
        if (!percent.matches()) {
            throw CommandException.usage("--failure-rate must be a percentage below 100, such as 20%: " + failureRate);
        }
        return Double.parseDouble(percent.group(1)) / 100;
    }

    /** Returns the alarm as JSON for programs. */
    static ObjectNode json(Alarms.Alarm alarm) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("alarm", alarm.rule())
                .put("subject", alarm.subject())
                .put("raised", alarm.raised())
                .put("finding", alarm.finding())
                .put("at", alarm.at().toString())
                .put("since", alarm.since().toString());
    }

    /** Returns the alarm as a line for people. */
    static String text(Alarms.Alarm alarm) {
        String subject = alarm.subject().isEmpty() ? "" : " " + alarm.subject();
        String over = alarm.raised()
                ? "ALARM"
                : "over after " + Durations.format(Duration.between(alarm.since(), alarm.at()));
        return alarm.at() + "  " + over + "  " + alarm.rule() + subject + ": " + alarm.finding();
    }
}
