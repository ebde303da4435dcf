package io.couchjobs.embedded;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes requests fail on purpose. Thread-safe. */
public final class Faults {
    Faults() {}

    void release() {}

    @Nullable
    HttpExchange before(HttpExchange exchange) throws IOException {
        return exchange;
    }
}
