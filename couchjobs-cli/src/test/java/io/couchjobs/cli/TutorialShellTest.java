package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Types the commands of the tutorial, and compares what they say with the page; numbers, times and ids aside. */
@Timeout(240)
@ExtendWith(CouchExtension.class)
@Order(1)
class TutorialShellTest {
    /** A terminal of its own for the program, which says one line when it works. */
    private static final String TERMINAL = """
            java() {
                local says=$(mktemp -u)
                mkfifo "$says"
                command java -XX:TieredStopAtLevel=1 "$@" > "$says" 2> mailer.log &
                echo $! >> programs
                head -n 1 < "$says" | grep ' works$' || { cat mailer.log; return 1; }
            }
            """;

    private static final String SLEEP = "Thread.sleep(Duration.ofSeconds(email.seconds()).toMillis());";

    /** A slow e-mail is sent when the tutorial waits for it, and not while it looks at its run. */
    private static final String SLEEP_UNTIL_AWAITED =
            "while (email.seconds() > 0 && !new java.io.File(\"awaited\").exists()) Thread.sleep(20);";

    private static final String START = "java -cp \"$CLASS_PATH\" Mailer.java";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final Map<JobId, Job> seen = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private Guide tutorial;

    @BeforeEach
    void write() throws Exception {
        Page page = Page.of("docs/tutorial.md");
        tutorial = new Guide("docs/tutorial.md");
        String mailer = page.block("java", "class Mailer ");
        assertThat(mailer).contains(SLEEP);
        var unused = Files.writeString(folder.resolve("Mailer.java"), mailer.replace(SLEEP, SLEEP_UNTIL_AWAITED));
        unused = Files.createSymbolicLink(
                folder.resolve("couchjobs"), Path.of("..").toAbsolutePath());
        variables.put(
                "PATH", Path.of(System.getProperty("java.home"), "bin") + File.pathSeparator + System.getenv("PATH"));
        variables.put("CLASS_PATH", System.getProperty("java.class.path"));
    }

    /** One of them was killed by the tutorial. */
    @AfterEach
    void endPrograms() throws Exception {
        Path programs = folder.resolve("programs");
        for (String number : Files.exists(programs) ? Files.readAllLines(programs) : List.<String>of()) {
            ProcessHandle.of(Long.parseLong(number))
                    .filter(program -> program.info().command().orElse("").endsWith("java"))
                    .ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void the_first_seven_steps_say_what_the_page_shows(TestDatabase database) throws Exception {
        variables.put("QUEUE", Bash.withUser(database, database.url()));
        tutorial.instead("http://127.0.0.1:5984/couchjobs", "$QUEUE")
                .instead("java -cp target/couchjobs.jar Mailer.java", START)
                .says("couchjobs \\S+ \\(Java", "couchjobs development (Java")
                .before("enqueue email slow", START + " $QUEUE")
                .instead("11751", "$(couchjobs workers -o json | jq '.[] | select(.jobs != []) | .pid')");
        try (JobQueue queue = TestShell.queue(database);
                Bash bash = Bash.at(database, folder, this::awaitWhatItShows)) {
            queue.operations().init();
            variables.forEach(bash::with);
            bash.done(TERMINAL);
            try (Listening watching = queue.watch(JobFilter.all(), this::see)) {
                tutorial.type(bash, tutorial.page().part("## 1.", "## 8."), script -> script);
                assertThat(watching).isNotNull();
            }
        }
    }

    @Test
    void the_last_two_steps_secure_a_database_and_run_a_job_in_it() throws Exception {
        try (EmbeddedCouch couch =
                        EmbeddedCouch.inMemory().admin("admin", Bash.PASSWORD).start();
                Bash bash = new Bash(folder, Map.of("COUCHJOBS_CONFIG", "/dev/null"), Bash.Hook.NONE)) {
            String host = couch.url().getAuthority();
            variables.put("SHOP_URL", "http://mailer:mail-secret@" + host + "/shop");
            variables.forEach(bash::with);
            bash.done(TERMINAL);
            tutorial.instead("127.0.0.1:5984", host)
                    .says("ok  The Apache Software Foundation,", "note  couchjobs-embedded,")
                    .before("enqueue email 50", START);

            tutorial.type(bash, tutorial.page().part("## 8.", "## Next"), script -> script);
        }
    }

    private synchronized void see(JobChange change) {
        change.job().ifPresent(job -> seen.put(job.id(), job));
        notifyAll();
    }

    private synchronized void await(Predicate<Job> wanted) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (seen.values().stream().noneMatch(wanted)) {
            long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
            assertThat(left).as("what became of jobs: " + seen).isPositive();
            wait(left);
        }
    }

    /** A person types slowly enough. */
    private void awaitWhatItShows(String command) throws Exception {
        if (command.equals("failures")) {
            await(job -> is(job, "43", JobStatus.FAILED));
            await(job -> is(job, "44", JobStatus.STUCK));
        } else if (command.equals("cancel email 44")) {
            await(job -> is(job, "44", JobStatus.STUCK) && job.attempt() == 2);
        } else if (command.contains("--origin schedule:newsletter")) {
            await(job -> job.id().id().startsWith("newsletter@") && job.status() == JobStatus.SUCCESS);
        } else if (command.equals("workers")) {
            await(job -> is(job, "slow", JobStatus.RUNNING));
        } else if (command.equals("inspect email slow")) {
            await(job -> is(job, "slow", JobStatus.RUNNING) && job.attempt() == 2);
        } else if (command.equals("wait email slow")) {
            var unused = Files.createFile(folder.resolve("awaited"));
        }
    }

    private static boolean is(Job job, String id, JobStatus status) {
        return job.id().equals(new JobId("email", id)) && job.status() == status;
    }
}
