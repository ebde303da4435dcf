package io.couchjobs.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.testing.Jobs;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobTest {
    @Test
    void a_document_with_nothing_but_data_is_a_waiting_job_due_at_once() {
        Job job = Jobs.job("'data':{'x':1}");
        assertThat(job.status()).isEqualTo(JobStatus.WAITING);
        assertThat(job.scheduledTime()).isEqualTo(Instant.EPOCH);
        assertThat(job.priority()).isEqualTo(50);
        assertThat(job.group()).isEmpty();
        assertThat(job.lock()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1970-01-01T00:00:00Z",
        "-5, 1969-12-31T23:59:59.995Z",
        "4000000000, 2096-10-02T07:06:40Z",
        "4000000000.0, 2096-10-02T07:06:40Z",
        "100000000, 1973-03-03T09:46:40Z",
        "99999999999, 5138-11-16T09:46:39Z",
        "100000000000, 1973-03-03T09:46:40Z",
        "4000000000000, 2096-10-02T07:06:40Z"
    })
    void a_scheduled_time_below_a_hundred_billion_is_one_in_seconds(String stored, Instant time) {
        assertThat(Jobs.job("'scheduledTime':" + stored).scheduledTime()).isEqualTo(time);
        assertThat(Jobs.job("'resubmit':{'scheduledTime':" + stored + "}").resubmittedTime())
                .isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1000, 99_999_999})
    void a_scheduled_time_before_march_1973_is_at_once(long stored) {
        assertThat(Jobs.job("'scheduledTime':" + stored).scheduledTime()).isEqualTo(Instant.EPOCH);
        assertThat(Jobs.request(Instant.ofEpochMilli(stored)).scheduledTime()).isEqualTo(Instant.EPOCH);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'status':null,'scheduledTime':null",
                "'scheduledTime':1.0,'data':{}",
                "'tags':[],'errors':[],'times':{}",
                "'status':'running','lock':{'token':'t'}",
                "'unknown':[1,{'a':null}]"
            })
    void null_and_unknown_fields_do_no_harm(String fields) {
        assertThat(Jobs.job(fields).id()).isEqualTo(new JobId("email", "42"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "status | 'status':7",
                "status | 'status':'done'",
                "data | 'data':'x'",
                "data | 'data':null",
                "data | 'data':[1]",
                "scheduledTime | 'scheduledTime':'now'",
                "scheduledTime | 'scheduledTime':1.5",
                "scheduledTime | 'scheduledTime':1e300",
                "lock | 'lock':'me'",
                "lock | 'status':'waiting','lock':{'token':'t'}",
                "lock | 'status':'running'",
                "attempt | 'attempt':-1",
                "attempt | 'attempt':'1'",
                "errors | 'errors':{}",
                "errors | 'errors':[1]",
                "resubmit | 'resubmit':true",
                "cancelRequested | 'cancelRequested':'yes'",
                "group | 'group':1",
                "priority | 'priority':100",
                "tags | 'tags':'a'",
                "tags | 'tags':[1]",
                "progress | 'progress':50",
                "times | 'times':{'created':'now'}"
            })
    void a_document_that_cannot_be_a_job_is_refused_by_the_name_of_the_field(String field, String fields) {
        assertThatThrownBy(() -> Jobs.job(fields))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining("job:email:42")
                .hasMessageContaining(field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"job:email", "job::1", "job:email:", "mail:1", "job: :1", "job:a\u0001b:1"})
    void other_documents_are_not_jobs(String docId) {
        assertThat(JobId.fromDocId(docId)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "../x", "?q=1&r", "a:b:c", "%2F", "日本", "<script>", "'; rm -rf /"})
    void ids_may_look_like_anything(String id) {
        JobId job = new JobId("email", id);
        assertThat(JobId.fromDocId(job.docId())).contains(job);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a:b", "a\nb", "\ud800"})
    void a_bad_type_is_named(String type) {
        assertThatThrownBy(() -> new JobId(type, "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type");
    }

    @Test
    void numbers_are_compared_by_value() {
        Job written = Transitions.claim(Jobs.job("'data':{'x':1.0}"), "t", "w", true, Jobs.NOW)
                .write()
                .orElseThrow();
        Job read = Job.parse(Jobs.json(written.toDocument().toString()));
        assertThat(read.saysTheSameAs(written)).isTrue();
    }

    @Test
    void no_jobs_belong_together_by_an_empty_correlation_id() {
        assertThat(Jobs.job("'correlationId':''").correlationId()).isEmpty();
        assertThat(Jobs.job("'correlationId':'c'").correlationId()).contains("c");
    }
}
