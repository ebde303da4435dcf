package io.couchjobs.simulation;

import io.couchjobs.couch.InProcess;
import java.util.List;

/**
 * A request of a process.
 *
 * @param node which is asked
 * @param sent what is written about jobs; nothing by one that only reads
 */
record Exchange(SimulatedProcess process, int node, InProcess.Request request, List<Sent> sent) {
    static Exchange of(SimulatedProcess process, int node, InProcess.Request request) {
        return new Exchange(process, node, request, isRead(request) ? List.of() : Sent.in(request));
    }

    private static boolean isRead(InProcess.Request request) {
        return request.method().equals("GET") || request.uri().getPath().contains("/_design/");
    }

    boolean isWrite() {
        return !isRead(request);
    }

    boolean does(Sent.What what) {
        return sent.stream().anyMatch(one -> one.what() == what);
    }

    boolean isAbout(String text) {
        return request.uri().getPath().contains(text);
    }

    /** Whether the thread of the process that asks has this name. */
    boolean isBy(String thread) {
        return process.stage().playing().toString().endsWith(" " + thread);
    }
}
