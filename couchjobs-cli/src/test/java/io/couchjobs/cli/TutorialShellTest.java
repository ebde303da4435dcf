package io.couchjobs.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Types the commands of the tutorial's steps 2 to 5, and compares what they say with the page; numbers, times and ids aside. */
@Timeout(120)
@ExtendWith(CouchExtension.class)
class TutorialShellTest {
    private static final Pattern STEP = Pattern.compile("```sh\n(.*?)```(?:\n\n```text\n(.*?)```)?", Pattern.DOTALL);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final CompletableFuture<JobId> newsletter = new CompletableFuture<>();

    @Test
    void the_commands_of_the_tutorial_say_what_the_page_shows(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        shell.done("init");
        String page = Files.readString(Path.of("../docs/tutorial.md"));
        try (JobQueue queue = TestShell.queue(database)) {
            play(shell, queue, section(page, "## 2."));
            try (Worker worker = mailer(queue)) {
                assertThat(worker.id()).isNotEmpty();
                play(shell, queue, section(page, "## 3."));
                play(shell, queue, section(page, "## 4."));
                play(shell, queue, section(page, "## 5."));
            }
        }
    }

    private void play(TestShell shell, JobQueue queue, String section) throws Exception {
        List<MatchResult> steps = STEP.matcher(section).results().toList();
        assertThat(steps).isNotEmpty();
        for (MatchResult step : steps) {
            StringBuilder said = new StringBuilder();
            for (String line : step.group(1).lines().toList()) {
                if (line.startsWith("java ")) {
                    continue; // mailer() stands for it
                }
                awaitWhatItShows(queue, line);
                TestShell.Said answer = shell.run(words(line));
                assertThat(answer.exitCode()).as(line + "\n" + answer.err()).isZero();
                said.append(answer.out()).append(answer.err());
            }
            step.group(2).lines().filter(line -> !line.endsWith(" works")).forEach(line -> assertThat(
                            shape(said.toString()))
                    .as(step.group(1) + said)
                    .contains(shape(line)));
        }
    }

    /** A person types slowly enough. */
    private void awaitWhatItShows(JobQueue queue, String line) throws Exception {
        if (line.startsWith("couchjobs failures") && !line.contains("retry")) {
            await(queue, new JobId("email", "43"), JobStatus.FAILED);
            await(queue, new JobId("email", "44"), JobStatus.STUCK);
        } else if (line.contains("--origin schedule:newsletter")) {
            await(queue, newsletter.get(PATIENCE.toSeconds(), TimeUnit.SECONDS), JobStatus.SUCCESS);
        }
    }

    private static void await(JobQueue queue, JobId id, JobStatus status) throws Exception {
        assertThat(queue.await(id, Set.of(status), PATIENCE)).isPresent();
    }

    /** As the class Mailer of the tutorial. */
    private Worker mailer(JobQueue queue) {
        return queue.worker()
                .handler("email", (data, context) -> {
                    if (context.job()
                            .origin()
                            .filter("schedule:newsletter"::equals)
                            .isPresent()) {
                        newsletter.complete(context.id());
                    }
                    String to = data.path("to").asText();
                    if (!to.contains("@")) {
                        throw new PermanentJobException("not an address: " + to);
                    }
                    if (to.endsWith("@down.example.org")) {
                        throw new IllegalStateException("no answer from down.example.org");
                    }
                    return "sent to " + to;
                })
                .start();
    }

    private static String section(String page, String heading) {
        String from = page.substring(page.indexOf("\n" + heading) + 1);
        return from.substring(0, from.indexOf("\n## "));
    }

    /** The arguments of a command, taken apart by a shell. */
    private static String[] words(String line) throws Exception {
        Process bash = new ProcessBuilder("bash", "-c", "couchjobs() { printf '%s\\0' \"$@\"; }; " + line).start();
        String words = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(line).isZero();
        return words.split("\0");
    }

    /** Words, of which those with a digit are all alike. */
    private static String shape(String text) {
        return Stream.of(text.strip().split("\\s+"))
                .map(word -> word.matches(".*\\d.*") ? "#" : word)
                .collect(joining(" "));
    }
}
