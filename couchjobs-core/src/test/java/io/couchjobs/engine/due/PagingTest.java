package io.couchjobs.engine.due;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.testing.Jobs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When workers begin to read a line by shares, and ahead. */
class PagingTest {
    private static final long SECOND = 1_000_000_000;
    private static final JobIndex.Window MORE = new JobIndex.Window(
            JobDocument.job(Jobs.json("{'_id':'job:email:1','data':{}}")).stream()
                    .toList(),
            false,
            Optional.empty());
    private static final JobIndex.Window LAST = new JobIndex.Window(List.of(), true, Optional.empty());

    private final Paging paging = new Paging();

    @Test
    void a_worker_with_few_places_reads_small_windows_while_it_is_alone() {
        paging.read(MORE, Optional.empty(), 0, 4, 1);
        paging.read(MORE, Optional.empty(), SECOND, 4, 1);
        assertThat(paging.isGrown(4)).isFalse();
        assertThat(paging.size(4)).isEqualTo(WindowReader.FIRST);
    }

    @Test
    void several_workers_that_use_up_a_window_within_two_seconds_share_the_line_however_few_places_they_have() {
        paging.read(MORE, Optional.empty(), 0, 4, 2);
        assertThat(paging.isGrown(4)).isFalse();
        paging.read(MORE, Optional.empty(), SECOND, 4, 2);
        assertThat(paging.isGrown(4)).isTrue();
        assertThat(paging.size(4)).as("nobody needs larger ones").isEqualTo(WindowReader.FIRST);
    }

    @Test
    void they_do_not_when_they_are_slow_or_the_line_is_short() {
        paging.read(MORE, Optional.empty(), 0, 4, 2);
        paging.read(MORE, Optional.empty(), 2 * SECOND, 4, 2);
        paging.read(LAST, Optional.empty(), 3 * SECOND, 4, 2);
        assertThat(paging.isGrown(4)).isFalse();
    }

    @Test
    void a_worker_that_takes_many_jobs_at_once_reads_larger_windows() {
        paging.read(MORE, Optional.empty(), 0, 100, 1);
        paging.read(MORE, Optional.empty(), SECOND, 100, 1);
        assertThat(paging.size(100)).isEqualTo(400);
        assertThat(paging.isGrown(100)).isTrue();
    }
}
