package io.couchjobs.couch.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostPatternTest {

    @ParameterizedTest
    @CsvSource({
        "*, couch.example.org, true",
        "example.org, example.org, true",
        "example.org, couch.EXAMPLE.org, true",
        ".example.org, couch.example.org, true",
        "*.Example.org, couch.example.org, true",
        "' example.org ', couch.example.org, true",
        "example.org, notexample.org, false",
        "example.org, example.org.evil, false",
        "example.org:5984, example.org, true",
        "example.org:6984, example.org, false",
        "'', example.org, false",
        "., example.org, false",
        "10.1.2.3, 10.1.2.3, true",
        "2.3, 10.1.2.3, false",
        "10.0.0.0/8, 10.1.2.3, true",
        "10.0.0.0/8, 11.1.2.3, false",
        "10.0.0.0/8, ten.example.org, false",
        "example.org/8, example.org, false",
        "::1, [::1], true",
        "[::1]:5984, [::1], true",
        "0:0:0:0:0:0:0:1, [::1], true",
        "fd00::/8, [fd12::7], true",
        "fd00::/8, 10.1.2.3, false",
        "10.0.0.0/999, 10.0.0.0, true"
    })
    void a_server_is_excepted_from_the_proxy_by_name_number_or_network(String pattern, String host, boolean excepted) {
        HttpProxy proxy = HttpProxy.at(URI.create("http://proxy")).except(List.of("other", pattern));

        assertThat(proxy.isFor(host, 5984)).isEqualTo(!excepted);
    }
}
