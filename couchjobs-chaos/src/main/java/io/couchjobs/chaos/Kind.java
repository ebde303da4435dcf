package io.couchjobs.chaos;

import io.couchjobs.engine.document.DocIds;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.random.RandomGenerator;

/** The kinds of jobs. Each kind has its own job type. */
enum Kind {
    /** Takes a few milliseconds. */
    SHORT(11, 0, 20),
    /** Takes 1.2 to 9 s, so that its lease must be renewed. */
    LONG(9, 1_200, 9_000),
    /** Takes 4 to 9 s, and does not stop when interrupted. */
    STUBBORN(3, 4_000, 9_000),
    /** Fails once or twice. */
    FLAKY(5, 0, 50),
    /** Fails in every run. */
    DOOMED(1, 0, 10),
    /** Runs until it is stopped, at the latest at the worker's time limit. */
    ENDLESS(2, 600_000, 600_001),
    /** Has a scheduled time in the future. */
    LATER(3, 0, 20),
    /** Waits for another job. */
    HELD(4, 0, 20),
    /** Is added repeatedly, regardless of its status. */
    AGAIN(2, 500, 5_000),
    /** Is a chunk of an array, which is added separately. The times are those of an item. */
    ITEMS(0, 0, 60),
    /** Is made by a trigger from a document that changes repeatedly, and runs again for the newest state. */
    NEWEST(0, 0, 20),
    /** Is made by a trigger from one revision of such a document. */
    EACH(0, 0, 20);

    private final int share;
    private final int leastMillis;
    private final int mostMillis;

    Kind(int share, int leastMillis, int mostMillis) {
        this.share = share;
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    /** {@return a deck with each kind as often as its share} */
    static Deck<Kind> deck(Random random) {
        List<Kind> cards = Arrays.stream(values())
                .flatMap(kind -> Collections.nCopies(kind.share, kind).stream())
                .toList();
        return new Deck<>(cards, random);
    }

    /** {@return the kind of the job with a document id} */
    static Kind of(String docId) {
        return Arrays.stream(values())
                .filter(kind -> kind.isOf(docId))
                .findFirst()
                .orElseThrow();
    }

    /** {@return whether the job with a document id is of this kind} */
    boolean isOf(String docId) {
        return docId.startsWith(DocIds.JOB + type() + ":");
    }

    /** {@return whether a trigger made the job from a repeatedly changed document, so that no creator noted it} */
    static boolean isOfChange(String docId) {
        return NEWEST.isOf(docId) || EACH.isOf(docId);
    }

    String type() {
        return name().toLowerCase(Locale.ROOT);
    }

    Work.Task task(RandomGenerator random) {
        return new Work.Task(random.nextInt(leastMillis, mostMillis), failures(random), this == STUBBORN, null);
    }

    /** {@return the maximum number of retries of a job} */
    int retries() {
        return this == ENDLESS ? 1 : 3;
    }

    /** Returns how often a job or item fails before it succeeds. */
    private int failures(RandomGenerator random) {
        return switch (this) {
            case FLAKY -> random.nextInt(1, 3);
            case DOOMED -> Integer.MAX_VALUE;
            case SHORT, LONG, STUBBORN, ENDLESS, LATER, HELD, AGAIN, NEWEST, EACH -> 0;
            case ITEMS -> random.nextInt(100) > 0 ? 0 : random.nextInt(1, 6);
        };
    }
}
