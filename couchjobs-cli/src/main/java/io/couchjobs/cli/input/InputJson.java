package io.couchjobs.cli.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The JSON that users give: one value without anything behind it, with numbers as long as a queue takes them. Stateless. */
public final class InputJson {
    private static final int LONGEST_NUMBER = 8 << 20;

    /** Reads it. */
    public static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNumberLength(LONGEST_NUMBER)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private InputJson() {}
}
