package io.couchjobs.embedded.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CouchExtension.class)
class CouchExtensionTest {
    private static final Set<TestDatabase> SEEN = ConcurrentHashMap.newKeySet();

    private TestDatabase before;

    @BeforeEach
    void keep(TestDatabase database) {
        before = database;
    }

    @RepeatedTest(3)
    void each_test_gets_an_empty_database_of_its_own_and_earlier_ones_are_gone(TestDatabase database) {
        assertThat(SEEN.add(database)).isTrue();
        assertThat(Requests.send(database.server(), "GET", database.name())).contains("\"doc_count\":0");
        String names = Requests.send(database.server(), "GET", "_all_dbs");
        assertThat(SEEN)
                .allSatisfy(seen -> assertThat(names.contains(seen.name())).isEqualTo(seen.equals(database)));
    }

    @Test
    void all_parts_of_a_test_get_the_same_database(TestDatabase database, TestServer server) {
        assertThat(database).isEqualTo(before);
        assertThat(database.server()).isEqualTo(server);
    }

    @Test
    void a_database_address_holds_no_credentials(TestDatabase database) {
        assertThat(database.url().getUserInfo()).isNull();
        assertThat(database.url().getPath()).isEqualTo("/" + database.name());
    }
}
