package io.couchjobs.engine.index;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathMatching;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.ViewQuery.Update;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobPage;
import io.couchjobs.testing.Jobs;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server whose answer is too large to be read as soon as it has 100 documents. */
class LargeAnswersTest {
    private static final int JOBS = 130;

    @RegisterExtension
    static final WireMockExtension WIRE = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private EmbeddedCouch couch;
    private CouchServer server;
    private JobIndex index;
    private Listing listing;

    @BeforeEach
    void fill() throws Exception {
        couch = EmbeddedCouch.inMemory().start();
        WIRE.stubFor(any(anyUrl())
                .atPriority(9)
                .willReturn(aResponse()
                        .proxiedFrom("http://127.0.0.1:" + couch.url().getPort())));
        server = CouchServer.connect(
                CouchConfig.builder(URI.create(WIRE.baseUrl())).build());
        CouchDatabase database = server.database("jobs");
        database.createIfMissing();
        DesignDocuments designs = new DesignDocuments(database);
        designs.push();
        database.bulkDocs(IntStream.range(0, JOBS)
                .mapToObj(number -> Jobs.json("{'_id':'job:large:" + number + "','data':{}}"))
                .toList());
        index = new JobIndex(designs);
        listing = new Listing(designs, index);
        WIRE.stubFor(post(urlPathMatching(".*/_(view/.*|all_docs)"))
                .withRequestBody(matchingJsonPath("$[?(@.include_docs == true && @.limit >= 100)]"))
                .willReturn(tooLarge()));
        WIRE.stubFor(post(urlPathMatching(".*/_bulk_get"))
                .withRequestBody(matchingJsonPath("$.docs[99]"))
                .willReturn(tooLarge()));
    }

    /** It has a number of more digits than a document may have bytes. */
    private static ResponseDefinitionBuilder tooLarge() {
        return okJson("{\"total_rows\":" + "1".repeat(9 << 20) + "}");
    }

    @AfterEach
    void close() {
        server.close();
        couch.close();
    }

    @Test
    void a_window_is_as_large_as_an_answer_may_be() {
        for (int limit : List.of(100, 300)) {
            JobIndex.Window window =
                    index.pending("large", Optional.empty(), Update.TRUE, limit, UnaryOperator.identity());
            assertThat(window.jobs()).hasSizeBetween(1, 99);
            assertThat(window.complete()).isFalse();
        }
    }

    @Test
    void jobs_for_a_choice_at_random_are_as_many_as_an_answer_may_have() {
        assertThat(index.unscheduled("large", "0", 150)).hasSizeBetween(1, 99);
    }

    @Test
    void a_page_is_short_and_the_next_one_goes_on() {
        JobPage page = listing.page(JobFilter.all(), null, JOBS);
        assertThat(page.jobs()).hasSizeBetween(1, 99);
        Stream<Job> all = Stream.iterate(
                        page,
                        last -> !last.jobs().isEmpty(),
                        last -> last.end() == null
                                ? new JobPage(List.of(), null)
                                : listing.page(JobFilter.all(), last.end(), JOBS))
                .flatMap(each -> each.jobs().stream());
        assertThat(all).extracting(Job::id).doesNotHaveDuplicates().hasSize(JOBS);
    }

    @Test
    void a_list_and_an_export_have_all_jobs() {
        assertThat(listing.list(JobFilter.all(), JOBS)).hasSize(JOBS);
        assertThat(listing.all(JobFilter.all())).hasSize(JOBS);
    }
}
