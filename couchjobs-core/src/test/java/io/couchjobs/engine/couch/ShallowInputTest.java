package io.couchjobs.engine.couch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShallowInputTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[1,[2,[3,[4]],5],6] | [1,[2,[],5],6]",
                "{'a':{'b':{'c':{'d':1}}},'e':2} | {'a':{'b':{}},'e':2}",
                "{'a':{'b':['}]\\\\','\\'[[','x']}, 'c':'[[['} | {'a':{'b':[]}, 'c':'[[['}",
                "['[',['\\'[',['[\\\\']]] [[[[]]]] | ['[',['\\'[',[]]] [[[]]]",
                "['\\\\',[[['\\\\\\'']]],'\\\\'] | ['\\\\',[[]],'\\\\']",
                "'[[[[' 7 {} | '[[[[' 7 {}",
                "]]][1] | ]]][1]"
            })
    void every_value_nested_deeper_than_three_levels_is_left_out(String json, String shallow) throws IOException {
        String quoted = json.replace('\'', '"');
        assertThat(read(quoted, 3)).isEqualTo(shallow.replace('\'', '"'));
    }

    @Test
    void it_does_not_matter_how_the_bytes_come() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 300; i++) {
            StringBuilder json = new StringBuilder();
            for (int j = 0; j < 60; j++) {
                json.append("[]{}\"\\x\u00e9,".charAt(random.nextInt(9)));
            }
            InputStream pieces = new ByteArrayInputStream(json.toString().getBytes(StandardCharsets.UTF_8)) {
                @Override
                public int read(byte[] buffer, int offset, int length) {
                    return super.read(buffer, offset, Math.min(length, 1 + random.nextInt(3)));
                }
            };
            String inPieces = new String(new ShallowInput(pieces, 2).readAllBytes(), StandardCharsets.UTF_8);
            assertThat(inPieces).as("seed %s: %s", seed, json).isEqualTo(read(json.toString(), 2));
        }
    }

    @Test
    void millions_of_levels_become_a_tree_of_the_first() throws IOException {
        int levels = 4_000_000;
        String json = "{\"deep\":" + "[".repeat(levels) + "]".repeat(levels) + ",\"beside\":7}";
        InputStream in = new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8));
        JsonNode tree = Json.MAPPER.readTree(Json.parser(in));
        assertThat(tree.path("beside").asInt()).isEqualTo(7);
        assertThat(tree.toString()).isEqualTo(read(json, Json.DEEPEST_READ));
        assertThat(tree.deepCopy().equals(tree)).isTrue();
    }

    private static String read(String json, int deepest) throws IOException {
        InputStream in = new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8));
        StringBuilder text = new StringBuilder();
        try (InputStream shallow = new ShallowInput(in, deepest)) {
            byte[] all = shallow.readAllBytes();
            text.append(new String(all, StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}
