package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.JobLine;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Adds the lines of a file as the items of an array, in constant memory. A bad line stops the add, because each item has its
 * place in the array.
 */
final class ArrayEnqueue {
    private static final int TOLD_EVERY = 1_000;

    private final JobQueue queue;
    private final Couchjobs root;
    private final ProgressLine progress;
    private final OptionalInt ofAChunk;

    /** Creates an instance; {@code ofAChunk} is the number of items in a chunk, empty for the usual number. */
    ArrayEnqueue(JobQueue queue, Couchjobs root, OptionalInt ofAChunk) {
        this.queue = queue;
        this.root = root;
        this.progress = root.progress();
        this.ofAChunk = ofAChunk;
    }

    void run(JobRequest template, JobReader reader) throws IOException {
        Iterable<ObjectNode> items = () -> new Items(reader);
        long added;
        try {
            added = ofAChunk.isPresent()
                    ? queue.arrays().add(template, items, ofAChunk.getAsInt())
                    : queue.arrays().add(template, items);
        } catch (UncheckedIOException trouble) {
            throw trouble.getCause();
        } finally {
            progress.clear();
        }
        JobId id = template.id();
        JobArrays.State state = queue.arrays().get(id).orElseThrow();
        root.output()
                .line(
                        () -> id + ": " + Counted.of(state.items(), "item") + " in "
                                + Counted.of(state.chunks(), "chunk") + ", " + added + " of them added now",
                        () -> json(id, state));
    }

    private static ObjectNode json(JobId id, JobArrays.State state) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("array", id.id())
                .put("items", state.items())
                .put("chunks", state.chunks());
    }

    /** Iterates over the data of the lines. */
    private final class Items implements Iterator<ObjectNode> {
        private final JobReader reader;
        private Optional<JobLine<JobRequest>> next = Optional.empty();
        private long taken;

        Items(JobReader reader) {
            this.reader = reader;
            read();
        }

        private void read() {
            try {
                next = reader.next();
            } catch (IOException unreadable) {
                throw new UncheckedIOException(unreadable);
            }
        }

        @Override
        public boolean hasNext() {
            return next.isPresent();
        }

        @Override
        public ObjectNode next() {
            JobLine<JobRequest> line = next.orElseThrow(NoSuchElementException::new);
            JobRequest request = line.job()
                    .orElseThrow(
                            () -> new CommandException(
                                    ExitCode.FAILED,
                                    "line " + line.number() + ": " + line.problem()
                                            + "; the lines before it may have been added, and the same call adds the others when it is mended"));
            taken++;
            if (taken % TOLD_EVERY == 0) {
                progress.update("couchjobs: " + taken + " items");
            }
            read();
            return request.data();
        }
    }
}
