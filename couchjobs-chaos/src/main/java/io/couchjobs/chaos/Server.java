package io.couchjobs.chaos;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;

/** The server of a chaos run, with one or more nodes. */
interface Server extends AutoCloseable {
    /** {@return the URLs of the nodes, with credentials and without a database} */
    List<URI> nodes();

    /** {@return the faults that can be done to a node} */
    Set<Fault> possible();

    /** Does a fault to a node, from 0. */
    void begin(Fault fault, int node) throws IOException, InterruptedException;

    /** Undoes a fault. */
    void end(Fault fault, int node) throws IOException, InterruptedException;

    @Override
    void close();
}
