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

/** Standard output, which remembers why it could not be written. */
final class StandardOutput extends PrintWriter {
    /** The bits of a Unix mode that tell what kind of file it is. */
    private static final int KIND = 0170000;

    private static final int PIPE = 0010000;
    private static final int SOCKET = 0140000;

    private final Stream stream;
    private final Path file;

    /**
     * An output.
     *
     * @param to where it goes
     * @param file the same as a file
     */
    StandardOutput(OutputStream to, Path file) {
        this(new Stream(to), file);
    }

    private StandardOutput(Stream stream, Path file) {
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
        this.stream = stream;
        this.file = file;
    }

    /** {@return why results are lost; empty when all arrived, or when their reader has gone as {@code head} does} */
    Optional<String> problem() {
        flush();
        return Optional.ofNullable(stream.problem).filter(problem -> !isReaderGone(problem));
    }

    /** A pipe fails only when its reader has gone. The message tells it, too, but in the language of the user. */
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
