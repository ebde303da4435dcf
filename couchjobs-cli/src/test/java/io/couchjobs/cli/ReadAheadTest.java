package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.input.JobLine;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadAheadTest {
    private static final int BATCH = 500;

    @Test
    void it_reads_no_line_that_has_no_room() throws Exception {
        Numbers endless = new Numbers(Long.MAX_VALUE);
        ReadAhead<Long> ahead = ReadAhead.of(endless, job -> true);
        endless.awaitReaderIs(Thread.State.WAITING);
        assertThat(endless.read).hasValue(BATCH);
        assertThat(ahead.next().lines()).hasSize(BATCH);
    }

    @Test
    void lines_that_are_not_wanted_are_counted_and_take_no_room() throws Exception {
        Numbers file = new Numbers(10L * BATCH);
        ReadAhead<Long> ahead = ReadAhead.of(file, number -> number % 100 == 0);
        file.awaitReaderIs(Thread.State.TERMINATED);
        ReadAhead.Batch<Long> all = ahead.next();
        assertThat(all.lines()).hasSize(50);
        assertThat(all.leftOut()).isEqualTo(4_950);
        assertThat(all.last()).isEqualTo(5_000);
        assertThat(ahead.next().isEmpty()).isTrue();
    }

    @Test
    void a_stop_after_the_last_line_has_been_read_cuts_nothing_short() throws Exception {
        Numbers file = new Numbers(3);
        ReadAhead<Long> ahead = ReadAhead.of(file, job -> true);
        file.awaitReaderIs(Thread.State.TERMINATED);
        ahead.stop();
        assertThat(ahead.next().lines()).hasSize(3);
        assertThat(ahead.next().isEmpty()).isTrue();
        assertThat(ahead.isCutShort()).isFalse();
    }

    @Test
    void a_stop_while_lines_are_left_cuts_them_short() throws Exception {
        Numbers endless = new Numbers(Long.MAX_VALUE);
        ReadAhead<Long> ahead = ReadAhead.of(endless, job -> true);
        endless.awaitReaderIs(Thread.State.WAITING);
        ahead.stop();
        assertThat(ahead.next().lines()).hasSize(BATCH);
        assertThat(ahead.next().isEmpty()).isTrue();
        assertThat(ahead.isCutShort()).isTrue();
    }

    /** A file whose lines have their numbers as jobs. */
    private static final class Numbers implements ReadAhead.Lines<Long> {
        private final long count;
        private volatile Thread reader;
        private final AtomicLong read = new AtomicLong();

        Numbers(long count) {
            this.count = count;
        }

        @Override
        public Optional<JobLine<Long>> next() {
            reader = Thread.currentThread();
            if (read.get() == count) {
                return Optional.empty();
            }
            long number = read.incrementAndGet();
            return Optional.of(new JobLine<>(number, 1, number, null));
        }

        void awaitReaderIs(Thread.State state) {
            while (reader == null || reader.getState() != state) {
                Thread.onSpinWait();
            }
        }
    }
}
