package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages that stay open while things happen. */
class LivePagesTest extends BrowserTest {
    @Test
    void what_somebody_types_into_a_filter_or_a_dialog_stays() throws Exception {
        go("jobs");
        clickNamed("Add a job …");
        for (String field : List.of("form.filters input[name=tag]", "dialog input[name=type]")) {
            chrome.await("document.querySelector(arguments[0])", field);
            chrome.run("document.querySelector(arguments[0]).value = 'half ty'", field);
            awaitSeconds(2);
            assertThat(chrome.run("return document.querySelector(arguments[0]).value", field)
                            .asText())
                    .as(field)
                    .isEqualTo("half ty");
        }
    }

    /** Waits until the page was drawn anew so often. */
    private void awaitSeconds(int count) throws IOException, InterruptedException {
        chrome.run("window.seconds = 0; addEventListener('couchjobs-tick',"
                + " (event) => { window.seconds += event.detail.second ? 1 : 0; })");
        chrome.await("window.seconds >= arguments[0]", count);
    }
}
