package io.couchjobs.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Cards in random order, shuffled again when all have been dealt. So each card, even a rare one, appears in every round. Not
 * thread-safe.
 */
final class Deck<T> {
    private final List<T> cards;
    private final Random random;
    private final Deque<T> left = new ArrayDeque<>();

    /** Creates a deck. An element that occurs several times in the collection is dealt as often. */
    Deck(Collection<T> cards, Random random) {
        this.cards = List.copyOf(cards);
        this.random = random;
    }

    T next() {
        if (left.isEmpty()) {
            List<T> shuffled = new ArrayList<>(cards);
            Collections.shuffle(shuffled, random);
            left.addAll(shuffled);
        }
        return left.remove();
    }

    boolean isEmpty() {
        return cards.isEmpty();
    }
}
