package io.couchjobs.embedded.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CollationTest {
    /** As a CouchDB 3.5 orders them. */
    private static final List<String> ORDERED = Stream.of(
                    "null",
                    "false",
                    "true",
                    "-3",
                    "-0.5",
                    "0",
                    "1",
                    "1.5",
                    "10",
                    "1e300",
                    "''",
                    "'_'",
                    "'-'",
                    "'~'",
                    "'1'",
                    "'10'",
                    "'a'",
                    "'A'",
                    "'a b'",
                    "'a-b'",
                    "'aa'",
                    "'ab'",
                    "'b'",
                    "'B'",
                    "'e'",
                    "'é'",
                    "'z'",
                    "'Z'",
                    "[]",
                    "[null]",
                    "['a']",
                    "['a',1]",
                    "['a','b']",
                    "['b']",
                    "[['a']]",
                    "{}",
                    "{'a':1}",
                    "{'a':1,'b':2}",
                    "{'a':2}",
                    "{'b':1}")
            .map(text -> text.replace('\'', '"'))
            .toList();

    private static int compare(JsonNode left, JsonNode right) {
        return Arrays.compareUnsigned(Collation.key(left), Collation.key(right));
    }

    @Test
    void values_of_all_types_are_in_couchdbs_order() {
        List<JsonNode> values =
                new ArrayList<>(ORDERED.stream().map(Json::parse).toList());
        Collections.shuffle(values, new Random(7));
        values.sort(CollationTest::compare);
        assertThat(values.stream().map(Json::text))
                .containsExactlyElementsOf(ORDERED.stream()
                        .map(text -> Json.text(Json.parse(text)))
                        .toList());
    }

    @Test
    void numbers_are_equal_however_they_are_written() {
        assertThat(compare(Json.parse("1"), Json.parse("1.0"))).isZero();
        assertThat(compare(Json.parse("0"), Json.parse("-0.0"))).isZero();
    }

    @Test
    void no_key_is_the_beginning_of_another() {
        List<byte[]> keys =
                ORDERED.stream().map(Json::parse).map(Collation::key).toList();
        for (byte[] one : keys) {
            assertThat(keys.stream().filter(other -> other.length > one.length))
                    .noneMatch(other -> Arrays.equals(one, Arrays.copyOf(other, one.length)));
        }
    }
}
