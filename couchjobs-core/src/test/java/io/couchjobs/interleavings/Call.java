package io.couchjobs.interleavings;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One call of a player and what came of it. */
final class Call {
    final String player;
    final Verb verb;
    /** The token of the claim that an owner's call was made with. */
    final @Nullable String token;
    /** The time that was asked for. */
    final @Nullable Instant time;

    /** What was returned, or the exception that is an answer of the verb. */
    volatile @Nullable Object answer;

    Call(String player, Verb verb, @Nullable String token, @Nullable Instant time) {
        this.player = player;
        this.verb = verb;
        this.token = token;
        this.time = time;
    }

    boolean isAnswered(Class<?> kind) {
        return kind.isInstance(answer);
    }

    @Override
    public String toString() {
        return player + " " + verb + (answer == null ? "" : " -> " + answer);
    }
}
