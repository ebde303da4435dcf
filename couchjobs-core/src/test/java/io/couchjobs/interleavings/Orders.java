package io.couchjobs.interleavings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All orders, one after the other: each game repeats the choices of the last one up to the last that can be made otherwise.
 * Not thread-safe.
 */
final class Orders implements Chooser {
    private final List<Choice> choices = new ArrayList<>();
    private int next;

    @Override
    public int choose(List<String> waiting) {
        if (next == choices.size()) {
            choices.add(new Choice(List.copyOf(waiting), 0));
        }
        Choice choice = choices.get(next++);
        assertThat(waiting).as("the same choices lead to the same requests").isEqualTo(choice.waiting);
        return choice.chosen;
    }

    /** Goes over to the next order; false when there is none. */
    boolean advance() {
        next = 0;
        while (!choices.isEmpty()) {
            Choice last = choices.remove(choices.size() - 1);
            if (last.chosen + 1 < last.waiting.size()) {
                choices.add(new Choice(last.waiting, last.chosen + 1));
                return true;
            }
        }
        return false;
    }

    /** How many orders there are at least, if each player goes on to ask as often as in the last game. */
    double estimate() {
        Map<String, Integer> asked = new HashMap<>();
        double orders = 1;
        for (int i = 0; i < choices.size(); i++) {
            Choice choice = choices.get(i);
            String player = choice.waiting.get(choice.chosen).split(" ")[0];
            orders = orders * (i + 1) / asked.merge(player, 1, Integer::sum);
        }
        return orders;
    }

    private record Choice(List<String> waiting, int chosen) {}
}
