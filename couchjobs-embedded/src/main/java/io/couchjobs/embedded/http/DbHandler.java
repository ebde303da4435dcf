package io.couchjobs.embedded.http;

import java.io.IOException;

/** Answers calls to one kind of resource of a database. */
@FunctionalInterface
interface DbHandler {
    void handle(Call call, Db db) throws IOException, InterruptedException;
}
