package io.couchjobs.couch;

import static com.github.tomakehurst.wiremock.client.WireMock.absent;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.config.CouchConfig;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class GzipTest {

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    @Test
    void large_bodies_are_compressed_once_the_server_has_called_itself_couchdb() {
        ask("CouchDB/3.5.2 (Erlang OTP/27)");

        WIRE.verify(1, postRequestedFor(urlEqualTo("/db/_all_docs")).withHeader("Content-Encoding", absent()));
        WIRE.verify(1, postRequestedFor(urlEqualTo("/db/_all_docs")).withHeader("Content-Encoding", equalTo("gzip")));
    }

    @Test
    void nothing_is_compressed_for_a_server_that_is_something_else() {
        ask("nginx");

        WIRE.verify(2, postRequestedFor(urlEqualTo("/db/_all_docs")).withHeader("Content-Encoding", absent()));
    }

    private static void ask(String serverHeader) {
        WIRE.stubFor(any(anyUrl()).willReturn(okJson("{\"rows\":[]}").withHeader("Server", serverHeader)));
        CouchConfig config =
                CouchConfig.builder(URI.create(WIRE.baseUrl())).gzipAbove(20).build();
        try (CouchServer server = CouchServer.connect(config)) {
            ViewQuery large = ViewQuery.allDocs().key("a".repeat(100));
            assertThat(server.database("db").view(large).rows()).isEmpty();
            assertThat(server.database("db").view(large).rows()).isEmpty();
        }
    }
}
