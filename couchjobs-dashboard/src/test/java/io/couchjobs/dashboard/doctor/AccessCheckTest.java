package io.couchjobs.dashboard.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.Problem;
import io.couchjobs.embedded.EmbeddedCouch;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code doctor} says of several nodes. */
@Timeout(60)
class AccessCheckTest {
    private static final String LOGIN = "http://admin:secret@";

    private String closed;

    @BeforeEach
    void findClosedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = "127.0.0.1:" + socket.getLocalPort() + "/jobs";
        }
    }

    @Test
    void an_open_database_is_seen_on_every_node() {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            Problem found = look("http://" + closed, couch.url() + "jobs");
            assertThat(found.level()).isEqualTo(Problem.Level.NOTE);
            assertThat(found.finding()).isEqualTo("the database can be read without a password");
        }
    }

    @Test
    void a_node_out_of_reach_does_not_count_as_one_that_asks_for_a_password() {
        try (EmbeddedCouch couch = guarded()) {
            Problem found = look(LOGIN + closed, LOGIN + "127.0.0.1:" + couch.port() + "/jobs");
            assertThat(found.level()).isEqualTo(Problem.Level.NOTE);
            assertThat(found.finding()).contains("could not be looked at", closed.replace("/jobs", ""));
        }
    }

    @Test
    void a_node_on_another_machine_is_reached_by_https() {
        try (EmbeddedCouch couch = guarded()) {
            String here = LOGIN + "127.0.0.1:" + couch.port() + "/jobs";
            Problem found = look(here, LOGIN + "couch.invalid:5984/jobs");
            assertThat(found.level()).isEqualTo(Problem.Level.PROBLEM);
            assertThat(found.finding()).isEqualTo("the connection is not encrypted");
            assertThat(found.consequence()).contains("couch.invalid");
            assertThat(look(here).level()).isEqualTo(Problem.Level.OK);
        }
    }

    private static EmbeddedCouch guarded() {
        return EmbeddedCouch.inMemory().admin("admin", "secret").start();
    }

    private static Problem look(String url, String... nodes) {
        try (JobQueue queue = JobQueue.open(url, nodes)) {
            return new AccessCheck().look(queue);
        }
    }
}
