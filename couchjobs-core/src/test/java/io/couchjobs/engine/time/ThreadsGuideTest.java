package io.couchjobs.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of docs/threads.md. */
class ThreadsGuideTest {
    private static final Duration PAUSE = Duration.ZERO;
    private final CompletableFuture<String> worked = new CompletableFuture<>();
    private Lane lane;
    private Alarm work;

    private void open(Environment environment) {
        lane = environment.lane("couchjobs-thing", 1);
        work = new Alarm(lane, this::work);
    }

    private void wish() {
        work.within(PAUSE);
    }

    private void work() {
        worked.complete(Thread.currentThread().getName());
    }

    private void close() {
        lane.close();
    }

    @Test
    void the_task_runs_in_its_lane() throws Exception {
        open(Environment.REAL);
        wish();
        assertThat(worked.get(10, TimeUnit.SECONDS)).isEqualTo("couchjobs-thing");
        close();
    }

    @Test
    void the_guide_quotes_this_class() throws Exception {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/threads.md")));
        assertThat(block.find()).isTrue();
        List<String> lines = block.group(1)
                .lines()
                .map(line -> line.replaceFirst(" *//.*", ""))
                .toList();
        assertThat(Files.readString(Path.of("src/test/java/io/couchjobs/engine/time/ThreadsGuideTest.java")))
                .contains(lines);
        assertThat(block.find()).isFalse();
    }
}
