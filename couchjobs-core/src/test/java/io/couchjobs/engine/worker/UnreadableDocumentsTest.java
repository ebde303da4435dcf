package io.couchjobs.engine.worker;

import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.After;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Stores;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A job that a node could not read at this moment is not one that is not there: whoever asks must ask again. */
class UnreadableDocumentsTest {
    private static final List<JobId> IDS = List.of(new JobId("email", "1"));
    private static final After AFTER = new After(Set.copyOf(IDS), After.OnFailure.CANCEL);

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private final CouchServer server =
            CouchServer.connect(CouchConfig.builder(URI.create(WIRE.baseUrl())).build());
    private final JobStore store = Stores.of(server.database("jobs"));

    @AfterEach
    void close() {
        store.close();
        server.close();
    }

    @Test
    void a_job_that_cannot_be_read_now_is_not_taken_for_one_that_is_not_there() {
        says("timeout");
        assertThatThrownBy(() -> store.readAll(IDS))
                .isInstanceOf(CouchJobsException.class)
                .hasMessageContaining("job:email:1")
                .hasMessageContaining("timeout");
        DependencyStates states = DependencyStates.read(store, IDS);
        assertThat(states.isOver(IDS.get(0))).isFalse();
        assertThat(states.isUncertain(AFTER)).as("it is read again").isTrue();
    }

    @Test
    void a_job_that_was_never_there_is_none() {
        says("not_found");
        assertThat(store.readAll(IDS)).isEmpty();
        DependencyStates states = DependencyStates.read(store, IDS);
        assertThat(states.isOver(IDS.get(0))).isFalse();
        assertThat(states.isUncertain(AFTER)).isFalse();
    }

    private static void says(String error) {
        WIRE.stubFor(any(anyUrl())
                .willReturn(okJson("{\"total_rows\":1,\"offset\":0,\"rows\":[{\"key\":\"job:email:1\",\"error\":\""
                        + error + "\"}]}")));
        WIRE.stubFor(post(urlPathEqualTo("/jobs/_bulk_get"))
                .willReturn(okJson("{\"results\":[{\"id\":\"job:email:1\",\"docs\":[{\"error\":{\"error\":\"" + error
                        + "\"}}]}]}")));
    }
}
