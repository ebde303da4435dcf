package io.couchjobs.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.Page.Block;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A page whose blocks are typed in order, with what has to be there before them, and what is to be seen after them. */
final class Guide {
    /** Commands with this in them are not typed, for this reason. */
    static final Map<String, String> LEFT_OUT = Map.ofEntries(
            Map.entry("./mvnw ", "builds, or measures for minutes on a CouchDB"),
            Map.entry(".ci/", "takes minutes; CI does it"),
            Map.entry("COUCHJOBS_NODE_", "names commands that stop the nodes of a cluster"),
            Map.entry("plain-java", "builds; TutorialTest compiles and runs what is built there"),
            Map.entry("/opt/shop", "writes outside of the test's folder"),
            Map.entry("docker ", "there need not be a container engine"),
            Map.entry("helm ", "there need not be a cluster"),
            Map.entry("kubectl ", "there need not be a cluster"),
            Map.entry("systemctl ", "there need not be a systemd, nor the right to change it"),
            Map.entry("/_replicate ", "the embedded server does not replicate; BackupTest runs it on others"),
            Map.entry("couchjobs demo", "starts processes; DemoCommandTest has it"),
            Map.entry("couchjobs bench", "measures for minutes; BenchCommandTest has it"));

    private final Page page;
    private final Map<String, String> before = new LinkedHashMap<>();
    private final Map<String, String> after = new LinkedHashMap<>();
    private final Map<String, String> instead = new LinkedHashMap<>();
    private final Map<String, String> says = new LinkedHashMap<>();

    Guide(String name) {
        page = Page.of(name);
    }

    Page page() {
        return page;
    }

    /** A script that is run before the block that has a text in it. */
    Guide before(String text, String script) {
        before.put(page.block(text).script(), script);
        return this;
    }

    /** A script that is run after it, and must end well. What the block said is in the variable {@code SAID}. */
    Guide after(String text, String script) {
        after.put(page.block(text).script(), script);
        return this;
    }

    /** What the reader puts in place of something that differs on each machine. */
    Guide instead(String of, String is) {
        assertThat(page.text()).contains(of);
        instead.put(of, is);
        return this;
    }

    /** What is said here in place of something that the page shows, and that a pattern finds. */
    Guide says(String of, String is) {
        assertThat(page.text()).containsPattern(of);
        says.put(of, is);
        return this;
    }

    /** Types the blocks of a part of the page, and finds that all ends well and that they say what the page shows. */
    void type(Bash bash, Page part, UnaryOperator<String> hosts) throws Exception {
        for (Block block : part.blocks()) {
            String script = typed(block);
            if (!script.isEmpty()) {
                bash.done(hosts.apply(before.getOrDefault(block.script(), "")));
                String said = bash.run(hosts.apply(typedHere(script)));
                block.assertSaid(said, this::saidHere);
                bash.with("SAID", said).done(hosts.apply(after.getOrDefault(block.script(), "")));
            }
        }
    }

    /** The commands of a block that are typed, or nothing. */
    static String typed(Block block) {
        return isTyped(block.script())
                ? block.script()
                : block.commands().stream().filter(Guide::isTyped).collect(joining("\n"));
    }

    private static boolean isTyped(String text) {
        return LEFT_OUT.keySet().stream().noneMatch(text::contains);
    }

    private String typedHere(String script) {
        String here = script;
        for (var one : instead.entrySet()) {
            here = here.replace(one.getKey(), one.getValue());
        }
        return here;
    }

    private String saidHere(String line) {
        String here = line;
        for (var one : says.entrySet()) {
            here = here.replaceAll(one.getKey(), one.getValue());
        }
        return here;
    }

    @Override
    public String toString() {
        return page.name();
    }
}
