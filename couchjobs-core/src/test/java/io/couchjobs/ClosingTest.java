package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.Machines;
import io.couchjobs.couch.StubbornThreads;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Site;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A queue is closed as a whole. */
class ClosingTest {
    @Test
    void all_parts_are_closed_and_the_first_trouble_is_told_with_the_others() {
        List<String> closed = new ArrayList<>();
        IllegalStateException one = new IllegalStateException("one");
        Error other = new Error("other");
        assertThatThrownBy(() -> Closing.all(
                        () -> closed.add("a"),
                        () -> {
                            throw one;
                        },
                        () -> closed.add("b"),
                        () -> {
                            throw other;
                        },
                        () -> closed.add("c")))
                .isSameAs(one)
                .hasSuppressedException(other);
        assertThat(closed).containsExactly("a", "b", "c");
    }

    @Test
    void a_queue_is_closed_though_its_first_part_fails() {
        StubbornThreads machine = new StubbornThreads("couchjobs-adder");
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().port(0).start()) {
            JobQueue queue = new JobQueue(
                    Machines.connect(CouchConfig.builder(couch.url()).build(), machine)
                            .database("queue"),
                    JobQueue.builder(couch.url().resolve("/queue")).renewLeases(false),
                    Site.UNNAMED);
            queue.operations().init();
            assertThatThrownBy(queue::close).hasMessage("cannot be shut down");
            assertThatThrownBy(() -> queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }
}
