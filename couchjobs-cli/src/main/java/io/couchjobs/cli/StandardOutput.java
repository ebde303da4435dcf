package io.couchjobs.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Standard output, which remembers why a write failed. */
final class StandardOutput extends PrintWriter {
    /** The bits of a Unix mode that tell the kind of a file. */
    private static final int KIND = 0170000;

    private static final int PIPE = 0010000;
    private static final int SOCKET = 0140000;

    private final Stream stream;
    private final Path file;

    /**
     * Creates an output.
     *
     * @param to the stream to write to
     * @param file the same stream as a file; its kind tells whether the stream is a pipe
     */
    StandardOutput(OutputStream to, Path file) {
        this(new Stream(to), file);
    }

    private StandardOutput(Stream stream, Path file) {
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        this.stream = stream;
        this.file = file;
    }

    /** {@return why results were lost; empty when all were written, or when their reader has gone, as {@code head} does} */
    Optional<String> problem() {
        flush();
        return Optional.ofNullable(stream.problem).filter(problem -> !isReaderGone(problem));
    }

    /**
     * Returns whether the reader has gone, which is the only reason why a pipe or socket fails. The message tells this, too, but
     * in the language of the user.
     */
    private boolean isReaderGone(String problem) {
        try {
            int kind = (int) Files.getAttribute(file, "unix:mode") & KIND;
            return kind == PIPE || kind == SOCKET;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notUnix) {
            return problem.contains("pipe");
        }
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
