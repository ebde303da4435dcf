package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import java.util.Optional;
import org.h2.mvstore.MVMap;

/** The contents of revisions, by number. Writers hold the database's lock; readers need no lock. */
final class Bodies {
    private static final String UNREADABLE = "stored body is not an object";

    private final MVMap<Long, byte[]> map;
    private long last;

    Bodies(MVMap<Long, byte[]> map) {
        this.map = map;
        Long highest = map.lastKey();
        this.last = highest == null ? Node.NO_BODY : highest;
    }

    long add(byte[] body) {
        map.append(++last, body);
        return last;
    }

    Optional<ObjectNode> read(Node node) {
        return Optional.ofNullable(map.get(node.body())).map(bytes -> Json.parseObject(bytes, UNREADABLE));
    }

    /** Removes the contents to which a tree no longer refers. */
    void dropUnused(RevTree before, RevTree after) {
        if (after.nodes().size() > before.nodes().size()) {
            return;
        }
        for (Node node : before.nodes()) {
            boolean used = after.find(node.rev())
                    .filter(now -> now.body() == node.body())
                    .isPresent();
            if (!used && node.body() != Node.NO_BODY) {
                map.remove(node.body());
            }
        }
    }
}
