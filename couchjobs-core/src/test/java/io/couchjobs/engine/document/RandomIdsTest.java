package io.couchjobs.engine.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RandomIdsTest {
    private static final int MANY = 10_000;

    private final RandomIds ids = new RandomIds();

    @Test
    void ids_are_random_uuids_and_each_is_new() {
        List<UUID> made = Stream.generate(ids::next).limit(MANY).toList();
        assertThat(made).doesNotHaveDuplicates();
        assertThat(made).allMatch(id -> id.version() == 4 && id.variant() == 2);
        assertThat(made).allMatch(id -> new JobId("email", id.toString()).isRandom());
    }

    @Test
    void ids_made_one_after_the_other_are_neighbours_but_for_every_256th() {
        List<String> made =
                Stream.generate(() -> ids.next().toString()).limit(MANY).toList();
        List<Integer> newPlaces = IntStream.range(1, MANY)
                .filter(i -> !follows(made.get(i - 1), made.get(i)))
                .boxed()
                .toList();
        assertThat(newPlaces).isNotEmpty().allMatch(place -> place % 256 == 0);
        assertThat(newPlaces).hasSizeGreaterThan(MANY / 256 - 5); // a place may follow by chance
    }

    @Test
    void runs_begin_anywhere_and_what_follows_the_counter_is_random() {
        Set<Long> places = new HashSet<>();
        Set<Long> rest = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            UUID id = ids.next();
            places.add(id.getMostSignificantBits() >>> 24);
            rest.add(id.getLeastSignificantBits());
        }
        assertThat(places).hasSize((MANY + 255) / 256);
        assertThat(rest).hasSize(MANY);
    }

    /** Whether there is room for nothing else of a run between them. */
    private static boolean follows(String before, String id) {
        return before.compareTo(id) < 0 && counted(id) - counted(before) == 1;
    }

    private static long counted(String id) {
        return UUID.fromString(id).getMostSignificantBits() >>> 16;
    }
}
