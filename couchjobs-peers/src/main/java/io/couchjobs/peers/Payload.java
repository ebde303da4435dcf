package io.couchjobs.peers;

import java.util.Random;

/** The data of each job: characters that cannot be compressed. */
final class Payload {
    /** The system property with the number of characters, set on the command line of each process. */
    static final String LENGTH = "couchjobs.peers.bytes";

    static final String TEXT = text(Integer.getInteger(LENGTH, 500));

    private Payload() {}

    private static String text(int length) {
        return new Random(42)
                .ints(length, 'a', 'z' + 1)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
