package io.couchjobs.engine.log;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Logs;
import java.util.Locale;

/** Makes the documents of log chunks, and the prefixes of their ids. */
final class LogDocuments {
    private LogDocuments() {}

    /**
     * {@return the prefix of the ids of a job's chunks} The chunks of a job whose id continues with a colon have this
     * prefix, too.
     */
    static String prefix(JobId job) {
        return DocIds.LOG + job.type() + ":" + job.id() + ":";
    }

    /** {@return the prefix of the ids of a claim's chunks} */
    static String prefix(JobId job, long fence) {
        return String.format(Locale.ROOT, "%s%016d:", prefix(job), fence);
    }

    static ObjectNode of(Logs.Chunk chunk) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", chunk.docId());
        document.put("attempt", chunk.lines().get(0).attempt());
        ArrayNode array = document.putArray("lines");
        for (Logs.Chunk.Line line : chunk.lines()) {
            array.addObject().put("at", line.at().toEpochMilli()).put("text", line.text());
        }
        if (chunk.dropped() > 0) {
            document.put("dropped", chunk.dropped());
        }
        return document;
    }
}
