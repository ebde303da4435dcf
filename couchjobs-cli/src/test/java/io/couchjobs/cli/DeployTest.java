package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files that start couchjobs elsewhere, against the commands, options and variables that there are. */
class DeployTest {
    private static final Path DEPLOY = Path.of("../deploy");
    private static final Path EXAMPLE = Path.of("../examples/kubernetes");
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());

    @Test
    void every_yaml_file_is_well_formed_and_says_something() throws IOException {
        List<Path> files = files(DEPLOY, "yaml");
        files.addAll(files(EXAMPLE, "yaml"));
        files.addAll(files(Path.of("../.github"), "yml"));
        assertThat(files).hasSizeGreaterThan(10);
        for (Path file : files) {
            assertThat(documents(file)).as(file.toString()).isNotEmpty().allMatch(JsonNode::isObject);
        }
    }

    @Test
    void containers_start_commands_that_there_are() throws IOException {
        List<List<String>> commands = new ArrayList<>();
        List<Path> files = files(DEPLOY, "yaml");
        files.addAll(files(EXAMPLE, "yaml"));
        for (Path file : files) {
            for (JsonNode document : documents(file)) {
                Stream.of("command", "args")
                        .flatMap(name -> document.findValues(name).stream())
                        .forEach(words -> commands.add(words(words)));
            }
        }
        assertThat(commands).hasSizeGreaterThan(5).allSatisfy(DeployTest::isUnderstood);
    }

    @Test
    void the_image_starts_commands_that_there_are() throws IOException {
        List<List<String>> commands = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("../Containerfile"))) {
            int start = line.indexOf("CMD [");
            if (start >= 0) {
                commands.add(words(YAML.readTree(line.substring(start + "CMD ".length()))));
            }
        }
        assertThat(commands)
                .hasSize(2)
                .allSatisfy(words ->
                        isUnderstood(words.get(0).equals("couchjobs") ? words.subList(1, words.size()) : words));
    }

    @Test
    void units_start_commands_that_there_are() throws IOException {
        List<String> commands = found("(?m)^ExecStart=/usr/bin/couchjobs (.*)$", "service");
        assertThat(commands).hasSize(3).allSatisfy(command -> isUnderstood(Arrays.asList(command.split(" "))));
    }

    @Test
    void units_that_always_restart_wait_at_least_three_seconds() throws IOException {
        List<Path> files = files(DEPLOY.resolve("systemd"), "service");
        files.addAll(files(Path.of("../docs"), "md"));
        List<String> services = new ArrayList<>();
        for (Path file : files) {
            services.addAll(services(file));
        }
        services.removeIf(service -> !service.contains("\nRestart=always\n"));
        assertThat(services)
                .hasSizeGreaterThan(2)
                .allMatch(service -> service.matches("(?s).*\nRestartSec=([3-9]|[1-9][0-9]+)\n.*"));
    }

    /** The sections [Service]; one ends at the next section, or at the end of its block in a page. */
    private static List<String> services(Path file) throws IOException {
        return Pattern.compile("(?ms)^\\[Service\\]$.*?(?=^\\[|^```|\\z)")
                .matcher(Files.readString(file))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    @Test
    void alerts_advise_commands_that_there_are() throws IOException {
        List<String> commands = found("`couchjobs ([^`]*)`", "yaml");
        assertThat(commands)
                .hasSizeGreaterThan(3)
                .allSatisfy(command -> isUnderstood(Arrays.asList(command.split(" "))));
    }

    @Test
    void variables_of_the_environment_are_those_that_the_commands_read() throws IOException {
        Pattern variable = Pattern.compile("\\bCOUCHJOBS_[A-Z_]+");
        Set<String> read = names(variable, Files.readString(Path.of("../docs/cli.md")));
        Set<String> given = new TreeSet<>();
        for (Path file : files(DEPLOY, "")) {
            given.addAll(names(variable, Files.readString(file)));
        }
        assertThat(given).hasSizeGreaterThan(3).isSubsetOf(read);
    }

    @Test
    void the_scaler_asks_for_statuses_that_there_are() throws IOException {
        List<String> asked = found("valueLocation: counts\\.email\\.(.*)", "yaml");
        assertThat(asked)
                .hasSize(2)
                .isSubsetOf(Stream.of(JobStatus.values()).map(JobStatus::json).toList());
    }

    @Test
    void a_deployment_without_a_probe_waits_before_a_pod_counts_as_available() throws IOException {
        List<Path> files = files(DEPLOY, "yaml");
        files.addAll(files(EXAMPLE, "yaml"));
        List<JsonNode> unprobed = new ArrayList<>();
        for (Path file : files) {
            documents(file).stream()
                    .filter(DeployTest::isDeploymentWithoutProbe)
                    .forEach(unprobed::add);
        }
        assertThat(unprobed).isNotEmpty().allSatisfy(one -> assertThat(
                        one.at("/spec/minReadySeconds").asInt())
                .as(one.at("/metadata/name").asText())
                .isPositive());
    }

    /** A patch of a Deployment has no selector. */
    private static boolean isDeploymentWithoutProbe(JsonNode document) {
        return document.path("kind").asText().equals("Deployment")
                && document.at("/spec").has("selector")
                && document.findValue("readinessProbe") == null;
    }

    private static void isUnderstood(List<String> words) {
        assertThatCode(() -> Cli.commandLine(
                                new Couchjobs(new TestShell().shell(new StringWriter(), new StringWriter())))
                        .parseArgs(words.toArray(String[]::new)))
                .as(String.join(" ", words))
                .doesNotThrowAnyException();
    }

    private static List<String> words(JsonNode words) {
        List<String> all = new ArrayList<>();
        words.forEach(word -> all.add(word.asText()));
        return all;
    }

    private static List<String> found(String pattern, String ending) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files(DEPLOY, ending)) {
            Pattern.compile(pattern).matcher(Files.readString(file)).results().forEach(one -> found.add(one.group(1)));
        }
        return found;
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<JsonNode> documents(Path file) throws IOException {
        try (MappingIterator<JsonNode> all = YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return all.readAll();
        }
    }

    private static List<Path> files(Path folder, String ending) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(
                            path -> Files.isRegularFile(path) && path.toString().endsWith(ending))
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }
}
