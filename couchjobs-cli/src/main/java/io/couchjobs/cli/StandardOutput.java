package io.couchjobs.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Standard output, which remembers why it could not be written. */
final class StandardOutput extends PrintWriter {
    private final Stream stream;

    StandardOutput(OutputStream to) {
        this(new Stream(to));
    }

    private StandardOutput(Stream stream) {
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        this.stream = stream;
    }

    /** {@return why results are lost; empty when all arrived, or when their reader has gone as {@code head} does} */
    Optional<String> problem() {
        flush();
        return Optional.ofNullable(stream.problem).filter(problem -> !problem.contains("pipe"));
    }

    private static final class Stream extends FilterOutputStream {
        private volatile @Nullable String problem;

        Stream(OutputStream to) {
            super(to);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException lost) {
                problem = String.valueOf(lost.getMessage());
                throw lost;
            }
        }
    }
}
