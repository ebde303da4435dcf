package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.config.CouchException;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What people read when the server refuses a request. */
class ServerProblemTest {
    private final GlobalOptions options = new GlobalOptions();

    @Test
    void a_token_that_the_server_refuses_is_named_and_no_password_asked_for() {
        options.tokenFile = Path.of("my.token");
        assertThat(explain(failure("GET", "/couchjobs", 401, "unauthorized", "Authentication required.")))
                .isEqualTo("CouchDB at http://127.0.0.1:5984 does not accept the token in my.token (--token-file)");
        assertThat(explain(failure("HEAD", "/couchjobs", 401, "", "")))
                .endsWith("does not accept the token in my.token (--token-file)");
        assertThat(explain(failure("GET", "/couchjobs", 400, "bad_request", "Malformed token")))
                .endsWith("does not accept the token in my.token (--token-file): Malformed token");
        assertThat(explain(failure("PUT", "/couchjobs", 401, "unauthorized", "You are not a server admin.")))
                .contains("may not create the database couchjobs");
    }

    @Test
    void rights_that_a_cluster_does_not_store_need_an_administrator() {
        CouchException problem = failure("PUT", "/couchjobs/_security", 500, "error", "no_majority");
        assertThat(explain(problem)).contains("needs an administrator (--user ADMIN)");
        assertThat(ExitCode.of(problem)).isEqualTo(ExitCode.NOT_AUTHORISED);
        assertThat(ExitCode.of(failure("PUT", "/couchjobs/job:a:1", 500, "error", "no_majority")))
                .isEqualTo(ExitCode.FAILED);
    }

    @Test
    void an_unforeseen_error_is_told_without_the_path_of_the_request() {
        assertThat(Problems.explain(failure("PUT", "/couchjobs/_local/x", 500, "error", "out of memory")))
                .isEqualTo("error: out of memory");
    }

    private String explain(CouchException problem) {
        Shell shell = new TestShell().shell(new StringWriter(), new StringWriter());
        return new ServerProblem(Settings.of(options, shell)).explain(problem).orElseThrow();
    }

    private static CouchException failure(String method, String path, int status, String error, String reason) {
        return CouchException.of(new CouchException.Failure(
                status, error, reason, new CouchException.Failure.Request(method, path, null, null), false));
    }
}
