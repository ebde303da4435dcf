package io.couchjobs.embedded.http;

import java.io.IOException;

/** Answers calls to one kind of resource of the server. */
@FunctionalInterface
interface Handler {
    void handle(Call call, User user) throws IOException, InterruptedException;
}
