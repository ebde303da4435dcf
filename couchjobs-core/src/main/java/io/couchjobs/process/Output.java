package io.couchjobs.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The standard output of a program. The beginning is kept; the rest is read and dropped. Thread-safe. */
final class Output {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final int longest;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean truncated;

    Output(int longest) {
        this.longest = longest;
    }

    void readAll(InputStream in) {
        byte[] buffer = new byte[8192];
        try {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                add(buffer, count);
            }
        } catch (IOException closed) {
            // keep the output read so far
        }
    }

    /** Marks the output as truncated. */
    synchronized void cut() {
        truncated = true;
    }

    /** {@return the output as a job's result: the output itself if it is JSON, otherwise an object with the text as "output"} */
    synchronized JsonNode toResult() {
        String text = kept.toString(StandardCharsets.UTF_8);
        if (!truncated && !text.isBlank()) {
            try {
                return MAPPER.readTree(text);
            } catch (JsonProcessingException notJson) {
                return asText(text);
            }
        }
        return asText(text);
    }

    private ObjectNode asText(String text) {
        ObjectNode result = MAPPER.createObjectNode().put("output", text.stripTrailing());
        return truncated ? result.put("truncated", true) : result;
    }

    private synchronized void add(byte[] bytes, int count) {
        int room = Math.min(count, longest - kept.size());
        kept.write(bytes, 0, room);
        truncated |= room < count;
    }
}
