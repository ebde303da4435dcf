package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose requests pass a proxy, and another one on the same database whose requests do not. */
public abstract class ProxiedQueue {
    protected TestDatabase database;
    protected Proxy proxy;
    protected JobQueue queue;
    protected JobQueue others;

    /** {@return how the proxy treats the requests of the queue, from its opening on; as they are, unless a test says otherwise} */
    protected Proxy.Detour detour() {
        return new Proxy.Detour() {};
    }

    @BeforeEach
    protected final void openBoth(TestDatabase own) {
        database = own;
        others = TestQueue.open(own);
        proxy = Proxy.before(own.server());
        proxy.detour(detour());
        queue = TestQueue.open(proxy.door(own));
    }

    @AfterEach
    protected final void closeBoth() {
        proxy.clear();
        queue.close();
        others.close();
        proxy.close();
    }
}
