package io.couchjobs.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Splits a program's standard error into lines, and overlong lines into pieces. */
final class LogLines {
    private static final int LONGEST = 8 * 1024;

    private final Consumer<String> log;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LogLines(Consumer<String> log) {
        this.log = log;
    }

    void readAll(InputStream stream) {
        try (InputStream in = new BufferedInputStream(stream)) {
            for (int b = in.read(); b >= 0; b = in.read()) {
                add(b);
            }
        } catch (IOException closed) {
            // keep the output read so far
        }
        if (line.size() > 0) {
            emit();
        }
    }

    private void add(int b) {
        if (b == '\n') {
            emit();
            return;
        }
        line.write(b);
        if (line.size() == LONGEST) {
            emit();
        }
    }

    private void emit() {
        log.accept(line.toString(StandardCharsets.UTF_8).stripTrailing());
        line.reset();
    }
}
