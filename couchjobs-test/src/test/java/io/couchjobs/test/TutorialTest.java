package io.couchjobs.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the tutorial and its test, compiled from the page. */
class TutorialTest {
    private static final Pattern CLASS = Pattern.compile("```java\n(.*?\nclass (\\w+) .*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @BeforeEach
    void compile() throws Exception {
        List<Path> sources = new ArrayList<>();
        for (var found : CLASS.matcher(Files.readString(Path.of("../docs/tutorial.md")))
                .results()
                .toList()) {
            sources.add(Files.writeString(folder.resolve(found.group(2) + ".java"), found.group(1)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        List<String> options = List.of(
                "-d",
                folder.toString(),
                "-classpath",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-parameters");
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            compiler.getTask(
                            new PrintWriter(problems),
                            null,
                            null,
                            options,
                            null,
                            files.getJavaFileObjectsFromPaths(sources))
                    .call();
        }
        assertThat(problems.toString()).isEmpty();
        assertThat(sources).hasSize(2);
    }

    @Test
    void the_worker_of_the_tutorial_sends_what_was_added_and_stops_when_it_is_interrupted() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                URLClassLoader loader = loader();
                JobQueue queue = JobQueue.open(couch.url() + "shop")) {
            Method main = loader.loadClass("Mailer").getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            FutureTask<Object> run =
                    new FutureTask<>(() -> main.invoke(null, (Object) new String[] {couch.url() + "shop"}));
            Thread program = new Thread(run);
            program.start();
            JobId id = queue.add("email", Map.of("to", "ada@example.org", "subject", "Hello"))
                    .id();

            Job job = queue.awaitFinished(id, Duration.ofMinutes(1)).orElseThrow();
            program.interrupt();

            assertThatThrownBy(run::get).hasRootCauseInstanceOf(InterruptedException.class);
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.result().orElseThrow().asText()).isEqualTo("sent to ada@example.org");
        }
    }

    @Test
    void the_test_of_the_tutorial_passes() throws Exception {
        try (URLClassLoader loader = loader()) {
            Class<?> test = loader.loadClass("MailerTest");
            Constructor<?> constructor = test.getDeclaredConstructor();
            constructor.setAccessible(true);
            int passed = 0;
            for (Method method : test.getDeclaredMethods()) {
                method.setAccessible(true);
                try (TestQueue jobs = TestQueue.start()) {
                    method.invoke(constructor.newInstance(), jobs);
                    passed++;
                }
            }
            assertThat(passed).isEqualTo(2);
        }
    }

    private URLClassLoader loader() throws Exception {
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
    }
}
