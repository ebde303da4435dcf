package io.couchjobs.cli.fleet;

import io.couchjobs.cli.child.Jvm;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A kind of worker process. Each appends a line of JSON to one file when a run begins and when it ends. */
enum Kind {
    /** The present command line. */
    JAVA,
    /** The command line of an earlier version, whose jar the system property {@code couchjobs.previous} names. */
    PREVIOUS,
    PYTHON,
    JAVASCRIPT;

    static final String TYPE = "fleet";
    private static final Path CLIENTS = Path.of("../clients").toAbsolutePath().normalize();
    private static final int MOST_RUNS = 4;
    /** How long a run takes. */
    private static final String MILLIS = "20";

    /** Its result names the run. The job's end is written after the line that tells it. */
    private static final String PROGRAM =
            "say() { printf '{\"event\":\"%s\",\"id\":\"%s\",\"fence\":%s,\"at\":%s}\\n' $1 $COUCHJOBS_ID"
                    + " $COUCHJOBS_FENCE $(date +%s%3N) >> \"$EVENTS\"; }; say start; sleep 0.02; say end;"
                    + " echo \"{\\\"fence\\\": $COUCHJOBS_FENCE}\"";

    boolean canRun() {
        return switch (this) {
            case JAVA -> true;
            case PREVIOUS -> !previous().isEmpty();
            case PYTHON -> answers("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))");
            case JAVASCRIPT -> answers("node", "-e", "process.exit(+(process.versions.node.split('.')[0] < 18))");
        };
    }

    static String previous() {
        return System.getProperty("couchjobs.previous", "");
    }

    ProcessBuilder worker(TestDatabase database, String id, Path events) {
        ProcessBuilder worker =
                switch (this) {
                    case JAVA -> Jvm.worker(List.of("-Xmx128m"), work(id));
                    case PREVIOUS -> previous(work(id));
                    case PYTHON -> client("python3", "python/examples/worker", database, id, "--events", events);
                    case JAVASCRIPT -> client("node", "javascript/examples/worker.js", database, id, "--out", events);
                };
        worker.environment().put("EVENTS", events.toString());
        configure(worker, database);
        return worker;
    }

    private static ProcessBuilder client(
            String program, String script, TestDatabase database, String id, String output, Path events) {
        return new ProcessBuilder(
                program,
                CLIENTS.resolve(script).toString(),
                withCredentials(database).toString(),
                TYPE,
                "--id",
                id,
                "--concurrency",
                Integer.toString(MOST_RUNS),
                "--sleep",
                MILLIS,
                output,
                events.toString());
    }

    private static List<String> work(String id) {
        return List.of(
                "work", TYPE, "--id", id, "--concurrency", Integer.toString(MOST_RUNS), "--", "sh", "-c", PROGRAM);
    }

    static ProcessBuilder previous(List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(Jvm.java(), "-Xmx128m", "-jar", previous()));
        command.addAll(arguments);
        return new ProcessBuilder(command);
    }

    static void configure(ProcessBuilder process, TestDatabase database) {
        process.environment().put("COUCHJOBS_CONFIG", "/dev/null");
        process.environment().put("COUCHJOBS_URL", database.url().toString());
        database.user().ifPresent(user -> process.environment().put("COUCHJOBS_USER", user));
        database.password().ifPresent(password -> process.environment().put("COUCHJOBS_PASSWORD", password));
        process.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.appendTo(new File("target/fleet.log")));
    }

    static URI withCredentials(TestDatabase database) {
        String url = database.url().toString();
        return URI.create(database.user()
                .map(user -> url.replaceFirst(
                        "://", "://" + user + ":" + database.password().orElse("") + "@"))
                .orElse(url));
    }

    private static boolean answers(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException notThere) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
