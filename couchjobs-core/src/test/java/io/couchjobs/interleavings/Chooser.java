package io.couchjobs.interleavings;

import java.util.List;

/** Says whose request passes next. */
@FunctionalInterface
interface Chooser {
    /** Chooses one of those who wait, given who they are and what they ask, in the order of the players. */
    int choose(List<String> waiting);
}
