package io.couchjobs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.ProxiedQueue;
import io.couchjobs.testing.Proxy;
import java.util.Map;

/** A queue on a server that takes itself for a cluster, and answers writes as the test says. Other clients see a plain server. */
abstract class QueueOnPretendedCluster extends ProxiedQueue {
    static final String HASH = "e".repeat(32);

    final PretendedCluster cluster = new PretendedCluster();

    @Override
    protected Proxy.Detour detour() {
        return cluster;
    }

    void add(String id) {
        others.add(request(id));
    }

    static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }

    Job job() {
        return others.get("email", "1").orElseThrow();
    }

    static ObjectNode leaf(Job job, String rev, String token) {
        ObjectNode leaf = job.toDocument();
        leaf.put("_rev", rev);
        if (leaf.get("lock") instanceof ObjectNode lock) {
            lock.put("token", token);
        } else {
            leaf.put("mine", token);
        }
        return leaf;
    }
}
