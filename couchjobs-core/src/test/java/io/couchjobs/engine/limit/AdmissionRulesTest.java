package io.couchjobs.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class AdmissionRulesTest {
    private final AtomicInteger changes = new AtomicInteger();
    private final Admission admission = new Admission(changes::incrementAndGet, new AtomicLong()::get);
    private final AtomicInteger asked = new AtomicInteger();
    private int revisions;

    @Test
    void a_change_is_told_at_once() {
        admission.filter(job -> true);
        admission.classes(Set.of("a"));
        assertThat(changes).hasValue(2);
    }

    @Test
    void both_lists_of_classes_must_allow_a_job_and_an_empty_name_stands_for_none() {
        admission.classes(Set.of("a", ""));
        assertThat(admitsNew("'class':'a'", Optional.empty())).isTrue();
        assertThat(admitsNew("'class':'b'", Optional.empty())).isFalse();
        assertThat(admitsNew("'n':1", Optional.empty())).isTrue();
        assertThat(admitsNew("'class':'a'", Optional.of(Set.of("a", "b")))).isTrue();
        assertThat(admitsNew("'class':'b'", Optional.of(Set.of("a", "b")))).isFalse();
        assertThat(admitsNew("'n':1", Optional.of(Set.of("a", "b")))).isFalse();
    }

    @Test
    void a_filter_is_asked_once_about_a_revision_and_again_when_it_is_set_again() {
        Predicate<Job> filter = job -> asked.incrementAndGet() < 0;
        admission.filter(filter);
        assertThat(admits("'_rev':'1-x'", Optional.empty())).isFalse();
        assertThat(admits("'_rev':'1-x'", Optional.empty())).isFalse();
        assertThat(asked).hasValue(1);
        admits("'_rev':'2-x'", Optional.empty());
        assertThat(asked).hasValue(2);
        admission.filter(filter);
        admits("'_rev':'2-x'", Optional.empty());
        assertThat(asked).hasValue(3);
        assertThat(admission.skipped()).isEqualTo(3);
    }

    private boolean admitsNew(String fields, Optional<Set<String>> allowedByType) {
        return admits(fields + ",'_rev':'" + ++revisions + "-x'", allowedByType);
    }

    private boolean admits(String fields, Optional<Set<String>> allowedByType) {
        return admission.admits(Jobs.job(fields), admission.rules(allowedByType));
    }
}
