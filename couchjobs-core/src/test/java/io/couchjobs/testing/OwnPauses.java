package io.couchjobs.testing;

import java.time.Duration;

/** The environment of this machine, but its pauses are made by the test. Thread-safe if they are. */
public class OwnPauses extends ForwardingEnvironment {
    private final Pause pause;

    public OwnPauses(Pause pause) {
        this.pause = pause;
    }

    /** Makes a pause. */
    @FunctionalInterface
    public interface Pause {
        void of(Duration duration) throws InterruptedException;
    }

    @Override
    public void pause(Duration duration) throws InterruptedException {
        pause.of(duration);
    }
}
