package io.couchjobs.cli.input;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of UTF-8. Unlike a reader of Java, it reports a line that is not UTF-8 and continues with the next. No line,
 * however long, fills the memory.
 */
final class TextLines {
    private static final int MIB = 1024 * 1024;
    /** The longest line, in bytes. CouchDB accepts no longer document by default. */
    private static final int LONGEST = 8 * MIB;
    /** The longest line of JSON, in bytes. Large data is not part of the document of its job, but it is part of its line. */
    private static final int LONGEST_JSON =
            (int) Math.min(64L * MIB, Runtime.getRuntime().maxMemory() / 8);

    private final InputStream in;
    private final int longest;
    private long number;

    TextLines(InputStream in) {
        this(in, LONGEST);
    }

    /** Creates a reader for lines of JSON, with a job each. */
    static TextLines ofJson(InputStream in) {
        return new TextLines(in, LONGEST_JSON);
    }

    TextLines(InputStream in, int longest) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.longest = longest;
    }

    /** A line without its line break: its text, or what is wrong with it. */
    record Line(long number, String text, @Nullable String problem) {}

    Optional<Line> next() throws IOException {
        int first = in.read();
        if (first < 0) {
            return Optional.empty();
        }
        number++;
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        long length = 0;
        for (int b = first; b >= 0 && b != '\n'; b = in.read()) {
            if (length++ < longest) {
                line.write(b);
            }
        }
        return Optional.of(length > longest ? bad("longer than " + longest + " bytes") : decoded(line.toByteArray()));
    }

    /** Reads the next line that is not blank. */
    Optional<Line> nextWritten() throws IOException {
        Optional<Line> line = next();
        while (line.isPresent()
                && line.get().problem() == null
                && line.get().text().isBlank()) {
            line = next();
        }
        return line;
    }

    private Line decoded(byte[] bytes) {
        int end = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, end))
                    .toString();
            return new Line(number, number == 1 ? withoutMark(text) : text, null);
        } catch (CharacterCodingException malformed) {
            return bad("not valid UTF-8");
        }
    }

    private Line bad(String problem) {
        return new Line(number, "", problem);
    }

    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }
}
