package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.embedded.protocol.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes the answer to a query row by row, one line for each, so that a long answer is not kept in memory. */
final class RowWriter {
    private final OutputStream out;
    private String separator = "\n";

    RowWriter(OutputStream out) {
        this.out = out;
    }

    /** Begins an answer whose total and offset are not known. */
    RowWriter beginUncounted() throws IOException {
        print("{\"total_rows\":null,\"offset\":null,\"rows\":[");
        return this;
    }

    /** Begins an answer. A negative total omits total and offset; a negative offset is written as null. */
    RowWriter begin(long total, long offset, @Nullable String updateSeq) throws IOException {
        print("{");
        if (total >= 0) {
            print("\"total_rows\":" + total + ",\"offset\":" + (offset < 0 ? "null" : offset) + ",");
        }
        if (updateSeq != null) {
            print("\"update_seq\":\"" + updateSeq + "\",");
        }
        print("\"rows\":[");
        return this;
    }

    RowWriter row(JsonNode row) throws IOException {
        print(separator);
        separator = ",\n";
        out.write(Json.bytes(row));
        return this;
    }

    /** Writes a row of a view. Key and value are already encoded as JSON. */
    void row(@Nullable String id, byte[] key, byte[] value, @Nullable JsonNode doc) throws IOException {
        print(separator);
        separator = ",\n";
        print("{");
        if (id != null) {
            print("\"id\":");
            out.write(Json.bytes(TextNode.valueOf(id)));
            print(",");
        }
        print("\"key\":");
        out.write(key);
        print(",\"value\":");
        out.write(value);
        if (doc != null) {
            print(",\"doc\":");
            out.write(Json.bytes(doc));
        }
        print("}");
    }

    void end() throws IOException {
        print("\n]}");
    }

    void print(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
