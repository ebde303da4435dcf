package io.couchjobs;

import io.couchjobs.testing.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Counts what goes by, but for the feed, and its look at the database when it has connected. */
final class CountedRequests implements Proxy.Detour {
    private final List<Proxy.Request> requests = new ArrayList<>();

    @Override
    public synchronized boolean goes(Proxy.Request request) {
        if (!request.isFeed() && !isOfDatabase(request)) {
            requests.add(request);
        }
        return true;
    }

    private static boolean isOfDatabase(Proxy.Request request) {
        return request.method().equals("GET") && request.uri().getPath().lastIndexOf('/') == 0;
    }

    /** The activity monitor reads owned jobs and registrations, also just after the queue was opened. */
    static boolean isOfTheMonitor(Proxy.Request request) {
        String path = request.uri().getPath();
        boolean asksForRegistrations =
                path.endsWith("/_all_docs") && request.body().contains("worker:");
        boolean asksForDesignDocuments =
                path.endsWith("/_all_docs") && request.body().contains("_design/");
        return path.contains("/worker:") || path.endsWith("/owned") || asksForRegistrations || asksForDesignDocuments;
    }

    synchronized List<Proxy.Request> all() {
        return List.copyOf(requests);
    }

    synchronized List<Proxy.Request> writes() {
        return requests.stream().filter(Proxy.Request::isBulkWrite).toList();
    }

    synchronized void clear() {
        requests.clear();
    }
}
