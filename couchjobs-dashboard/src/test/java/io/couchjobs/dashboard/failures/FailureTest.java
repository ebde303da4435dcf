package io.couchjobs.dashboard.failures;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailureTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            timeout after 3000 ms                                      | timeout after # ms
            timeout after 12.5 s                                       | timeout after # s
            order 1b4e28ba-2fa1-11d2-883f-0016d3cca427 is not there    | order # is not there
            no blob 5f2a9c0e1b                                         | no blob #
            connect to 10.0.0.7:5432 refused                           | connect to # refused
            no such host mail.example.org                              | no such host mail.example.org
            a decade of deadbeef                                       | a decade of deadbeef
            user42 is unknown                                          | user# is unknown
            """)
    void the_part_of_a_message_that_differs_from_job_to_job_is_left_out(String message, String group) {
        assertThat(Failure.normalised(message)).isEqualTo(group);
    }

    /** CRC-32 has one value for both. */
    @Test
    void other_messages_have_other_groups() {
        assertThat(group("plumless")).isNotEqualTo(group("buckeroo"));
    }

    private static String group(String message) {
        return new Failure(new JobId("email", "1"), JobStatus.FAILED, Instant.EPOCH, message).group();
    }

    @Test
    void only_the_first_line_counts_and_no_more_than_200_characters_of_it() {
        assertThat(Failure.normalised("\n  one\ntwo")).isEqualTo("one");
        assertThat(Failure.normalised("")).isEmpty();
        assertThat(Failure.normalised("x".repeat(500))).isEqualTo("x".repeat(200) + "...");
    }
}
