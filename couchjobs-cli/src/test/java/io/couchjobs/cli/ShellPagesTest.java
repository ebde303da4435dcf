package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.Page.Block;
import io.couchjobs.embedded.EmbeddedCouch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Types what the pages show in a shell, block by block. Each host that a page names is an embedded server of its own. */
@Timeout(120)
@Order(1)
class ShellPagesTest {
    /** Pages with tests of their own. */
    private static final Map<String, String> ELSEWHERE = Map.of(
            "README.md", "ReadmeShellTest",
            "docs/recipes.md", "ReadmeShellTest",
            "docs/coming-from.md", "ComingFromTest",
            "docs/protocol.md", "ProtocolPageTest",
            "docs/tutorial.md", "TutorialShellTest");

    @ParameterizedTest
    @MethodSource("guides")
    void the_shell_commands_on_a_page_can_be_typed(Guide guide, @TempDir Path folder) throws Exception {
        try (Hosts hosts = new Hosts();
                Bash bash = new Bash(folder, hosts.variables(), Bash.Hook.NONE)) {
            bash.done("couchjobs init");
            guide.type(bash, guide.page(), hosts::in);
        }
    }

    @Test
    void every_block_of_every_page_is_typed_or_left_out_for_a_reason() throws IOException {
        Set<String> pages = new TreeSet<>();
        Set<String> leftOut = new TreeSet<>();
        for (String name : names()) {
            for (Block block : Page.of(name).blocks()) {
                Guide.LEFT_OUT.keySet().stream()
                        .filter(block.script()::contains)
                        .forEach(leftOut::add);
                if (!Guide.typed(block).isEmpty()) {
                    pages.add(name);
                }
            }
        }
        assertThat(leftOut).containsExactlyInAnyOrderElementsOf(Guide.LEFT_OUT.keySet());
        assertThat(pages)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(ELSEWHERE.keySet().stream(), guides().map(Guide::toString))
                                .toList());
    }

    static Stream<Guide> guides() {
        return Stream.of(
                new Guide("docs/arrays.md").before("campaign-7", """
                                printf 'name,to\\nAda,ada@example.org\\n' > people.csv
                                printf '#!/bin/sh\\ncat\\n' > send-mail
                                chmod +x send-mail
                                """).after("campaign-7", """
                                couchjobs wait mail campaign-7:000001 --timeout 1m
                                couchjobs inspect mail --array campaign-7
                                """),
                new Guide("docs/batches.md")
                        .before("ship", "couchjobs enqueue pay 42")
                        .after("ship", "couchjobs explain ship $SAID | grep held"),
                new Guide("docs/dashboard.md").after("dashboard", "curl $(echo \"$SAID\" | head -n 1)"),
                new Guide("docs/embedded.md").after("--cors", """
                                curl -D - -H 'Origin: http://localhost:3000' $(echo "$SAID" | head -n 1) |
                                    grep -i '^Access-Control-Allow-Origin: http://localhost:3000'
                                """),
                new Guide("docs/http-api.md")
                        .instead("0.0.0.0:8080", "127.0.0.1:0")
                        .instead("http://127.0.0.1:8080/", "${DASHBOARD}")
                        .before("--auth-token-file", "echo sesame > tokens; echo look > monitors")
                        .after("--auth-token-file", "DASHBOARD=$(echo \"$SAID\" | head -n 1)")
                        .after("JSON=", """
                                couchjobs inspect email 42 -o json | jq -e '.status == "waiting"'
                                couchjobs types | grep '^email .*paused'
                                """),
                new Guide("docs/observing.md").before("--alarm", """
                                printf '#!/bin/sh\\ncat\\n' | tee send-mail > page-me
                                chmod +x send-mail page-me
                                """).after("mark", "couchjobs history | grep v1.4"),
                new Guide("docs/operations.md")
                        .before("explain", "couchjobs enqueue email 42")
                        .before("jq '.status", """
                                curl $DB/job:email:42 | jq '.status = 7' | curl -X PUT -d @- $DB/job:email:42
                                couchjobs explain email 42 | grep ^malformed
                                """)
                        .after("jq '.status", "couchjobs inspect email 42 -o json | jq -e '.status == \"waiting\"'")
                        .instead("1f0c33a9d2b4", "$FAILED")
                        .instead("9e4a4f2d70c1", "$STUCK")
                        .before("failures cancel", """
                                couchjobs enqueue call 43 --max-retries 0
                                couchjobs work call,email --until-empty -- false
                                FAILED=$(couchjobs failures --type call -o json | jq -r '.[0].group')
                                STUCK=$(couchjobs failures --type email -o json | jq -r '.[0].group')
                                """)
                        .after(
                                "--failure-retention",
                                "couchjobs types -o json | jq -e '.[] | select(.type == \"email\").failureRetention.time == 90*24*3600*1000'")
                        .before(
                                "://old",
                                "couchjobs init --url http://old:5984/jobs; couchjobs enqueue email 44 --url http://old:5984/jobs")
                        .instead("http://one:5984/shop", "$ONE")
                        .instead("http://two:5984/shop", "$TWO")
                        .instead("http://three:5984/shop", "$THREE")
                        .before("://one", """
                                printf '#!/bin/sh\\ncat\\n' > send
                                chmod +x send
                                set -- $(couchjobs serve --simulate-cluster 3 2> /dev/null)
                                ONE=$1 TWO=$2 THREE=$3
                                """)
                        .after("://old", "couchjobs inspect email 44 --url http://new:5984/jobs"),
                new Guide("docs/outbox.md")
                        .before("trigger add", "curl -X PUT $SERVER/orders")
                        .after("trigger add", "couchjobs trigger list | grep order-outbox"),
                new Guide("docs/recurring.md")
                        .after("cron run", "couchjobs list --origin schedule:sales-report | grep '^report '"),
                new Guide("docs/runbook.md")
                        .before("explain", "couchjobs enqueue email 42")
                        .instead("lists-ca903d4d", "$LISTS")
                        .before("_view_cleanup", "LISTS=$(couchjobs design list | grep -o -m 1 'lists-[0-9a-f]*')")
                        .after("_view_cleanup", """
                                couchjobs design list | grep $LISTS
                                couchjobs counts | grep 'email *1 '
                                """)
                        .before("doctor", "curl -X DELETE $DB")
                        .before("import", "curl -X DELETE $DB")
                        .after("import", "couchjobs inspect email 42 -o json | jq -e '.status == \"waiting\"'"),
                new Guide("docs/scopes.md").after("scope set", "couchjobs scope list | grep '^index *3'"),
                new Guide("docs/security.md")
                        .instead("/run/secrets/mailer", "mailer-password")
                        .before("--secure", "echo mailer-secret > mailer-password")
                        .after("--secure", """
                                COUCHJOBS_USER=shop couchjobs enqueue email 1
                                export COUCHJOBS_USER=mailer COUCHJOBS_PASSWORD=mailer-secret
                                couchjobs work email --until-empty -- cat
                                couchjobs wait email 1
                                """),
                new Guide("docs/sites.md")
                        .before("_replicator", "curl -X PUT http://admin:secret@munich.example.org:5984/_replicator"),
                new Guide("docs/triggers.md")
                        .before("trigger test", """
                                curl -X PUT $SERVER/orders
                                curl -X PUT -d '{"status":"paid"}' $SERVER/orders/o1
                                """)
                        .before("add search", "curl -X PUT $SERVER/articles")
                        .before("add thumbs", "curl -X PUT $SERVER/pictures"));
    }

    private static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("../docs"))) {
            return Stream.concat(Stream.of("README.md"), files.map(file -> "docs/" + file.getFileName()))
                    .filter(name -> name.endsWith(".md"))
                    .toList();
        }
    }

    /** A server for each host, with the administrator whom the pages show. */
    private static final class Hosts implements AutoCloseable {
        private static final String ADMIN = "admin";
        private static final Pattern HOST = Pattern.compile("(http://(?:admin:secret@)?)([a-z.]+):5984");

        private final Map<String, EmbeddedCouch> servers = new HashMap<>();

        Map<String, String> variables() {
            String server = "http://" + ADMIN + ":" + Bash.PASSWORD + "@" + at("this");
            return Map.of(
                    "COUCHJOBS_CONFIG",
                    "/dev/null",
                    "COUCHJOBS_URL",
                    "http://" + at("this") + "/shop",
                    "COUCHJOBS_USER",
                    ADMIN,
                    "COUCHJOBS_PASSWORD",
                    Bash.PASSWORD,
                    "SERVER",
                    server,
                    "DB",
                    server + "/shop");
        }

        String in(String script) {
            return HOST.matcher(script).replaceAll(found -> found.group(1) + at(found.group(2)));
        }

        private String at(String host) {
            return servers.computeIfAbsent(host, unused -> EmbeddedCouch.inMemory()
                            .admin(ADMIN, Bash.PASSWORD)
                            .start())
                    .url()
                    .getAuthority();
        }

        @Override
        public void close() {
            servers.values().forEach(EmbeddedCouch::close);
        }
    }
}
