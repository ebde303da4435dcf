package io.couchjobs.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerDeedsTest {
    @Test
    void a_fault_that_could_not_be_done_is_told_in_the_end() {
        ServerDeeds deeds = new ServerDeeds(new FirmServer());
        try (deeds) {
            deeds.perform(true, new Plan.Step(0, 1, Fault.KILL_SERVER, 0, 0));
            deeds.perform(false, new Plan.Step(0, 1, Fault.KILL_SERVER, 0, 0));
        }
        assertThat(deeds.failures()).hasSize(1).first().asString().contains("KILL_SERVER", "done", "it stands firm");
        Verdict verdict = new Verdict(List.of(), "all well").and(deeds.failures());
        assertThat(verdict.violations()).isEqualTo(deeds.failures());
    }

    /** Nothing can be done to it. */
    private static final class FirmServer implements Server {
        @Override
        public List<URI> nodes() {
            return List.of();
        }

        @Override
        public Set<Fault> possible() {
            return EnumSet.of(Fault.KILL_SERVER);
        }

        @Override
        public void begin(Fault fault, int node) throws IOException {
            throw new IOException("it stands firm");
        }

        @Override
        public void end(Fault fault, int node) {}

        @Override
        public void close() {}
    }
}
