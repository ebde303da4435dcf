package io.couchjobs.embedded.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Stands before every request. */
@FunctionalInterface
public interface Interceptor {
    /** {@return the exchange to serve, perhaps another than the one given; null when there is nothing left to do} */
    @Nullable
    HttpExchange before(HttpExchange exchange) throws IOException;
}
