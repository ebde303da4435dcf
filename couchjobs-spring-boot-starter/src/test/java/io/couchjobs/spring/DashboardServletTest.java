package io.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.JobQueueBuilder;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.dashboard.Dashboard;
import io.couchjobs.embedded.junit.CouchExtension;
import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** The dashboard as a container's requests see it. */
@Tag("server")
@ExtendWith(CouchExtension.class)
class DashboardServletTest {
    private JobQueue queue;
    private DashboardServlet servlet;

    @BeforeEach
    void open(TestDatabase database) {
        JobQueueBuilder builder = JobQueue.builder(database.url());
        database.user()
                .ifPresent(user -> builder.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        queue = builder.open();
        servlet = new DashboardServlet(Dashboard.of(queue).actions(true));
        servlet.open();
    }

    @AfterEach
    void close() {
        servlet.close();
        queue.close();
    }

    @Test
    void a_request_of_http_2_names_its_host_without_a_header() throws Exception {
        assertThat(status(request("HTTP/2.0", "localhost"))).isEqualTo(200);
        assertThat(status(request("HTTP/2.0", "jobs.example"))).isEqualTo(421);
    }

    @Test
    void a_request_of_an_older_protocol_names_its_host_by_the_header_only() throws Exception {
        assertThat(status(request("HTTP/1.0", "localhost"))).isEqualTo(421);
    }

    @Test
    void a_page_that_came_by_http_2_may_change_something_at_its_own_port_only() throws Exception {
        assertThat(status(change("https", 8443, "https://localhost:8443"))).isEqualTo(400);
        assertThat(status(change("https", 443, "https://localhost"))).isEqualTo(400);
        assertThat(status(change("https", 8443, "https://localhost"))).isEqualTo(403);
    }

    private static MockHttpServletRequest request(String protocol, String host) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/");
        request.setProtocol(protocol);
        request.setServerName(host);
        return request;
    }

    private static MockHttpServletRequest change(String scheme, int port, String origin) {
        MockHttpServletRequest request = request("HTTP/2.0", "localhost");
        request.setMethod("POST");
        request.setRequestURI("/api/action");
        request.setScheme(scheme);
        request.setServerPort(port);
        request.addHeader("Origin", origin);
        request.addHeader("Content-Type", "application/json");
        request.addHeader("X-Couchjobs-Dashboard", "1");
        request.setContent("{}".getBytes(StandardCharsets.UTF_8));
        return request;
    }

    private int status(MockHttpServletRequest request) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        servlet.service(request, response);
        return response.getStatus();
    }
}
