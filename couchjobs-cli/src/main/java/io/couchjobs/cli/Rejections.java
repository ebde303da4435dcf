package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.cli.output.ProgressLine;

/**
 * The lines of a file that could not be used. The first ones are printed at once. All are counted, and the JSON result lists
 * them. Not thread-safe.
 */
final class Rejections {
    /** The largest number of lines in the JSON result; otherwise a file full of nonsense would fill the memory. */
    private static final int KEPT = 10_000;

    /** The largest number of lines that are printed: a file of another format has thousands. */
    private static final int TOLD = 20;

    private final Couchjobs root;
    private final ProgressLine progress;
    private final ArrayNode kept = JsonNodeFactory.instance.arrayNode();
    private long count;

    Rejections(Couchjobs root, ProgressLine progress) {
        this.root = root;
        this.progress = progress;
    }

    void add(long line, String problem) {
        count++;
        if (kept.size() < KEPT) {
            kept.addObject().put("line", line).put("error", problem);
        }
        if (count <= TOLD) {
            progress.clear();
            root.shell().err().println("couchjobs: line " + line + ": " + problem);
            root.shell().err().flush();
        }
    }

    /** Prints how many further lines there were. */
    void sayRest() {
        if (count > TOLD) {
            progress.clear();
            root.shell().err().println("couchjobs: and " + (count - TOLD) + " more such lines; -o json lists them");
            root.shell().err().flush();
        }
    }

    long count() {
        return count;
    }

    ArrayNode json() {
        return kept;
    }
}
