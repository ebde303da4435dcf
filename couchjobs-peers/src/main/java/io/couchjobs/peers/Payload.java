package io.couchjobs.peers;

import java.util.Random;

/** What each job carries: 500 characters that cannot be compressed. */
final class Payload {
    static final String TEXT = text(500);

    private Payload() {}

    private static String text(int length) {
        return new Random(42)
                .ints(length, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
