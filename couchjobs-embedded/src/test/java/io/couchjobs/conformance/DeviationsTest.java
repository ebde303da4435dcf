package io.couchjobs.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The list of deviations itself. */
class DeviationsTest {

    @Test
    void the_list_of_the_real_couchdb_is_empty() {
        assertThat(Deviations.KNOWN.get(Deviations.COUCHDB)).isEmpty();
    }

    @Test
    void every_listed_test_exists() {
        Deviations.KNOWN.values().stream()
                .flatMap(list -> list.keySet().stream())
                .forEach(test -> assertThat(exists(test)).as(test).isTrue());
    }

    @Test
    void every_contract_is_run_against_both_kinds_of_servers() {
        assertThat(contracts(ConfiguredServerTest.class))
                .hasSizeGreaterThan(20)
                .isEqualTo(contracts(CouchContainerTest.class));
    }

    private static boolean exists(String test) {
        String[] names = test.split("[.\\[]", 3);
        return Arrays.stream(ConfiguredServerTest.class.getDeclaredClasses())
                .map(Class::getSuperclass)
                .filter(contract -> contract.getSimpleName().equals(names[0]))
                .flatMap(contract -> Arrays.stream(contract.getDeclaredMethods()))
                .anyMatch(method -> method.getName().equals(names[1]));
    }

    private static List<String> contracts(Class<?> suite) {
        return Arrays.stream(suite.getDeclaredClasses())
                .filter(nested -> nested.isAnnotationPresent(Nested.class))
                .map(nested -> nested.getSuperclass().getSimpleName())
                .sorted()
                .toList();
    }
}
