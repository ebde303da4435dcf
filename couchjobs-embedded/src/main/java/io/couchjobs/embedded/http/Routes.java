package io.couchjobs.embedded.http;

import java.io.IOException;

/** Answers every request to a server. */
@FunctionalInterface
interface Routes {
    void handle(Call call) throws IOException, InterruptedException;
}
