package io.couchjobs.chaos;

import io.couchjobs.engine.document.DocIds;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.random.RandomGenerator;

/** The kinds of jobs: each kind is a type of its own. */
enum Kind {
    /** Is done in a moment. */
    SHORT(11, 0, 20),
    /** Takes longer than a heartbeat, so that its lease must be renewed. */
    LONG(9, 1_200, 9_000),
    /** Takes as long, and does not stop when it is interrupted. */
    STUBBORN(3, 4_000, 9_000),
    /** Fails once or twice. */
    FLAKY(5, 0, 50),
    /** Fails, however often it is retried. */
    DOOMED(1, 0, 10),
    /** Goes on until it is stopped, at the worker's time limit if not before. */
    ENDLESS(2, 600_000, 600_001),
    /** Is not to be run at once. */
    LATER(3, 0, 20),
    /** Waits for another job. */
    HELD(4, 0, 20),
    /** Is added several times, whatever has become of it. */
    AGAIN(2, 500, 5_000),
    /** Is a chunk of an array, which is made by itself. The times are those of an item. */
    ITEMS(0, 0, 60),
    /** Is made of a document that changes again and again, and runs anew for its newest state. */
    NEWEST(0, 0, 20),
    /** Is made of one revision of such a document. */
    EACH(0, 0, 20);

    private final int share;
    private final int leastMillis;
    private final int mostMillis;

    Kind(int share, int leastMillis, int mostMillis) {
        this.share = share;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    /** {@return the kinds of the next jobs, each as often as is its share} */
    static Deck<Kind> deck(Random random) {
        List<Kind> cards = Arrays.stream(values())
                .flatMap(kind -> Collections.nCopies(kind.share, kind).stream())
                .toList();
        return new Deck<>(cards, random);
    }

    /** {@return the kind of the job with that document id} */
    static Kind of(String docId) {
        return Arrays.stream(values())
                .filter(kind -> kind.isOf(docId))
                .findFirst()
                .orElseThrow();
    }

    /** {@return whether the job with that document id is of this kind} */
    boolean isOf(String docId) {
        return docId.startsWith(DocIds.JOB + type() + ":");
    }

    /** {@return whether a trigger made that job of a change, so that no creator tells of it} */
    static boolean isOfChange(String docId) {
        return NEWEST.isOf(docId) || EACH.isOf(docId);
    }

    String type() {
        return name().toLowerCase(Locale.ROOT);
    }

    Work.Task task(RandomGenerator random) {
        return new Work.Task(random.nextInt(leastMillis, mostMillis), failures(random), this == STUBBORN, null);
    }

    /** {@return how many retries a job has that fails} */
    int retries() {
        return this == ENDLESS ? 1 : 3;
    }

    /** How often a job, or an item, fails before it succeeds. */
    private int failures(RandomGenerator random) {
        return switch (this) {
            case FLAKY -> random.nextInt(1, 3);
            case DOOMED -> Integer.MAX_VALUE;
            case SHORT, LONG, STUBBORN, ENDLESS, LATER, HELD, AGAIN, NEWEST, EACH -> 0;
            case ITEMS -> random.nextInt(100) > 0 ? 0 : random.nextInt(1, 6);
        };
    }
}
