package io.couchjobs.engine.document;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoredTextTest {
    private static final String SMILE = "\ud83d\ude00";

    @Test
    void a_text_that_can_be_stored_stays_as_it_is() {
        assertThat(StoredText.of("Grüße " + SMILE)).isEqualTo("Grüße " + SMILE);
        assertThat(StoredText.of("ab" + SMILE, 4)).isEqualTo("ab" + SMILE);
    }

    @Test
    void half_of_a_pair_is_replaced() {
        assertThat(StoredText.of("a\ud83d b\ude00")).isEqualTo("a? b?");
    }

    @Test
    void a_long_text_is_cut_before_a_pair_and_not_within_it() {
        assertThat(StoredText.of("abc" + SMILE, 4)).isEqualTo("abc...");
        assertThat(StoredText.of("abcdef", 4)).isEqualTo("abcd...");
    }
}
