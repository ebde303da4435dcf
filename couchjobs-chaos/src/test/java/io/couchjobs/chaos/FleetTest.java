package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class FleetTest {
    private static final List<URI> NODES =
            List.of(URI.create("http://one/"), URI.create("http://two/"), URI.create("http://three/"));

    @Test
    void every_second_member_asks_all_nodes() {
        Options options = Options.parse(List.of());
        assertThat(Fleet.seenBy(0, NODES, options)).isEqualTo(NODES);
        assertThat(Fleet.seenBy(1, NODES, options)).containsExactly(NODES.get(0));
        assertThat(Fleet.seenBy(2, NODES, options)).isEqualTo(NODES);
        assertThat(Fleet.seenBy(3, NODES, options)).containsExactly(NODES.get(1));
    }

    @Test
    void a_pinned_member_asks_one_node_and_the_next_one_another() {
        Options options = Options.parse(List.of("--pinned"));
        for (int member = 0; member < 6; member++) {
            assertThat(Fleet.seenBy(member, NODES, options)).containsExactly(NODES.get(member % 3));
        }
    }
}
