package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;

/** The server under a chaos run, with one node or many. */
interface Server extends AutoCloseable {
    /** {@return the nodes, credentials included, without a database} */
    List<URI> nodes();

    /** {@return what can be done to a node} */
    Set<Fault> possible();

    /** Does that to a node, from 0 on. */
    void begin(Fault fault, int node) throws IOException, InterruptedException;

    /** Undoes it. */
    void end(Fault fault, int node) throws IOException, InterruptedException;

    @Override
    void close();
}
