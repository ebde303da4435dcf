package io.couchjobs.scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScopeTest {
    @Test
    void a_scope_and_the_type_of_its_jobs_name_each_other() {
        for (Scope scope : List.of(
                Scope.of("index", 7),
                Scope.of("index", "7"),
                Scope.of("index", "a@b"),
                Scope.of("a b", "@"),
                Scope.of("żółć", "文件/\uD83D\uDE00"),
                Scope.of("a.b-c_d", "x y"))) {
            assertThat(Scope.ofJobType(scope.jobType())).contains(scope);
            assertThat(Scope.ofDocId(scope.docId())).contains(scope);
        }
        assertThat(Scope.of("a", "b@c").jobType())
                .isNotEqualTo(Scope.of("a@b".replace('@', '-'), "c").jobType());
        assertThat(Scope.ofJobType("email")).isEmpty();
        assertThat(Scope.ofJobType("@7")).isEmpty();
        assertThat(Scope.ofJobType("index@")).isEmpty();
    }

    @Test
    void a_name_that_could_not_be_a_job_type_is_no_scope() {
        assertThatThrownBy(() -> Scope.of("a@b", 1))
                .hasMessageContaining("must not contain @")
                .hasMessageContaining("a@b");
        assertThatThrownBy(() -> Scope.of("a:b", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Scope.of("", 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_wrong_partition_is_named_with_its_value() {
        assertThatThrownBy(() -> Scope.of("a", "b:c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("partition must not contain a colon: \"b:c\"");
        assertThatThrownBy(() -> Scope.of("a", "")).hasMessage("partition must not be empty: \"\"");
        assertThatThrownBy(() -> Scope.of("a", "b\u0000")).hasMessageStartingWith("partition contains a control");
        assertThatThrownBy(() -> Scope.of("a", "b".repeat(200))).hasMessageStartingWith("partition is longer than 126");
        assertThatThrownBy(() -> Scope.of("a".repeat(126), 12))
                .hasMessageContaining("type and partition")
                .hasMessageContaining("longer than 127")
                .hasMessageContaining("aaa")
                .hasMessageContaining("@12");
    }

    @Test
    void a_class_may_be_named_twice() {
        assertThat(ScopeConfig.DEFAULTS.classes("a", "a").classes()).containsExactly("a");
    }

    @Test
    void the_queue_limit_follows_the_concurrency_unless_it_is_set() {
        assertThat(ScopeConfig.DEFAULTS.concurrency()).isEqualTo(10);
        assertThat(ScopeConfig.DEFAULTS.queueLimit()).isEqualTo(30);
        assertThat(ScopeConfig.DEFAULTS.concurrency(2).queueLimit()).isEqualTo(6);
        ScopeConfig config = ScopeConfig.DEFAULTS.concurrency(2).queueLimit(0).classes("big", "small");
        assertThat(config.queueLimit()).isZero();
        assertThat(ScopeConfig.of(config.toJson())).isEqualTo(config);
        assertThatThrownBy(() -> config.concurrency(0)).hasMessageContaining("concurrency must be at least 1: 0");
        assertThatThrownBy(() -> config.queueLimit(-1)).hasMessageContaining("queueLimit must be 0 or more: -1");
    }

    @Test
    void an_invalid_value_in_a_configuration_counts_as_not_set() throws Exception {
        ScopeConfig config = ScopeConfig.of(new com.fasterxml.jackson.databind.ObjectMapper()
                .readTree("{\"concurrency\":\"many\",\"queueLimit\":-3,\"classes\":7}"));
        assertThat(config).isEqualTo(new ScopeConfig(Optional.empty(), OptionalInt.empty(), Set.of()));
    }
}
