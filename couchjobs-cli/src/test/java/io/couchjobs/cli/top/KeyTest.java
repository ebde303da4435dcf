package io.couchjobs.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyTest {
    @Test
    void letters_tab_and_arrows_of_both_kinds_are_understood_and_nothing_else_is_mistaken() throws IOException {
        assertThat(keys("pPrRq")).containsExactly(Key.PAUSE, Key.PAUSE, Key.RETRY, Key.RETRY, Key.QUIT);
        assertThat(keys("\t\u001b[Z")).containsExactly(Key.SWITCH, Key.SWITCH);
        assertThat(keys("\u001b[A\u001bOAk")).containsExactly(Key.UP, Key.UP, Key.UP);
        assertThat(keys("\u001b[B\u001bOBj")).containsExactly(Key.DOWN, Key.DOWN, Key.DOWN);
        assertThat(keys("\u001b[1;5A")).containsExactly(Key.UP);
        assertThat(keys("x\u001b[15~\u001b[C")).containsExactly(Key.OTHER, Key.OTHER, Key.OTHER);
        assertThat(keys("\r\n?fF")).containsExactly(Key.SHOW, Key.SHOW, Key.HELP, Key.FILTER, Key.FILTER);
        assertThat(keys("\u0003")).containsExactly(Key.QUIT);
    }

    @Test
    void a_terminal_that_went_away_is_a_quit_and_silence_is_none() throws IOException {
        assertThat(Key.read(millis -> -1, 1)).isEqualTo(Key.QUIT);
        assertThat(Key.read(millis -> -2, 1)).isEqualTo(Key.NONE);
    }

    private static List<Key> keys(String pressed) throws IOException {
        int[] next = {0};
        Key.Source source = millis -> next[0] < pressed.length() ? pressed.charAt(next[0]++) : -2;
        List<Key> keys = new ArrayList<>();
        for (Key key = Key.read(source, 1); key != Key.NONE; key = Key.read(source, 1)) {
            keys.add(key);
        }
        return keys;
    }
}
