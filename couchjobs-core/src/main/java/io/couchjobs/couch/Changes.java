package io.couchjobs.couch;

import io.couchjobs.engine.couch.Call;
import io.couchjobs.engine.couch.Http;
import io.couchjobs.engine.couch.UrlPath;
import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import java.util.Map;

/** Opens the changes feeds of one database. */
final class Changes {

    private final Http http;
    private final UrlPath database;
    private final Duration responseTimeout;
    private final Environment environment;

    Changes(Http http, UrlPath database, Duration responseTimeout, Environment environment) {
        this.http = http;
        this.database = database;
        this.responseTimeout = responseTimeout;
        this.environment = environment;
    }

    ChangesFeed open(ChangesRequest request) {
        UrlPath path = database.segment("_changes");
        for (Map.Entry<String, String> option : request.query().entrySet()) {
            path = path.query(option.getKey(), option.getValue());
        }
        UrlPath feed = path;
        Call call = request.body().map(filter -> Call.ask(feed, filter)).orElseGet(() -> Call.get(feed));
        return OpenFeed.open(http, call, request, longestSilence(request), environment);
    }

    /** The server may search for long before the first row of a feed that only reads past changes. */
    private Duration longestSilence(ChangesRequest request) {
        Duration silence = request.longestSilence();
        boolean shorter = silence.compareTo(responseTimeout) < 0;
        return request.feed() == ChangesRequest.Feed.NORMAL && shorter ? responseTimeout : silence;
    }
}
