package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.cli.child.Jvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the top of the tree, with a java that only says how it was called. */
class LauncherTest {
    @TempDir
    private Path folder;

    private record Said(int exitCode, String out, String err) {}

    @Test
    void a_java_that_is_too_old_is_named() throws Exception {
        Said said = launch(javaHome("11.0.2"), "--version");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("Java 17 or newer is needed", "11.0.2").hasLineCount(1);
    }

    @Test
    void a_JAVA_HOME_without_java_is_named() throws Exception {
        Said said = launch(folder.resolve("nowhere"), "--version");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.err()).contains("JAVA_HOME names no JDK", "nowhere").hasLineCount(1);
    }

    @Test
    void arguments_arrive_as_they_were_given_through_a_symbolic_link() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), built());

        Said said = launch(link, javaHome("17.0.1"), "enqueue", "a b", "*", "");

        assertThat(said.err()).isEmpty();
        assertThat(said.out()).contains("-jar", "[enqueue]\n[a b]\n[*]\n[]\n").contains("TieredStopAtLevel=1");
    }

    @Test
    void workers_get_the_options_that_the_benchmark_measures_them_with() throws Exception {
        Path script = built();
        Path home = javaHome("17.0.1");

        Said worker = launch(script, home, "work", "email", "--", "cat");
        Said benchmark = launch(script, home, "bench");

        assertThat(worker.out().lines()).containsAll(options(Jvm.WORKER_OPTIONS));
        assertThat(benchmark.out().lines()).doesNotContainAnyElementsOf(options(Jvm.WORKER_OPTIONS));
    }

    @Test
    void many_first_starts_at_once_do_not_break_one_another() throws Exception {
        Path script = built();
        Files.delete(script.resolveSibling("target/couchjobs.jar"));
        Path home = javaHome("17.0.1");
        Process[] processes = new Process[4];
        for (int i = 0; i < processes.length; i++) {
            processes[i] = start(script, home, "--version");
        }

        for (Process process : processes) {
            Said said = await(process);
            assertThat(said.exitCode()).as(said.err()).isZero();
            assertThat(said.out()).contains("[--version]");
        }
        assertThat(script.resolveSibling("target/couchjobs.jar")).hasContent("jar");
        assertThat(script.resolveSibling("target/.launcher-lock")).doesNotExist();
    }

    @Test
    void the_lock_of_a_build_that_was_killed_is_removed_although_its_process_id_is_in_use_again() throws Exception {
        Path script = built();
        Files.delete(script.resolveSibling("target/couchjobs.jar"));
        Path lock = Files.createDirectory(script.resolveSibling("target/.launcher-lock"));
        // The shell keeps its process id when it becomes the launcher.
        Process process = start(
                Path.of("/bin/sh"),
                javaHome("17.0.1"),
                "-c",
                "echo $$ >'" + lock + "/pid'; touch -t 202601010000 '" + lock + "'; exec '" + script + "' --version");

        Said said = await(process);

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(lock).doesNotExist();
    }

    @Test
    void a_lock_without_a_process_id_is_removed_after_some_seconds_in_which_the_launcher_says_that_it_waits()
            throws Exception {
        Path script = built();
        Files.delete(script.resolveSibling("target/couchjobs.jar"));
        Path lock = Files.createDirectory(script.resolveSibling("target/.launcher-lock"));

        Said said = launch(script, javaHome("17.0.1"), "--version");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.err()).isEqualTo("couchjobs: waiting for another process that is building it\n");
        assertThat(lock).doesNotExist();
    }

    @Test
    void the_first_start_builds_and_says_so() throws Exception {
        Said said = launch(
                unbuilt("mkdir -p couchjobs-cli/target/quick; echo jar >couchjobs-cli/target/quick/couchjobs.jar"),
                javaHome("17.0.1"),
                "--version");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out()).contains("[--version]").doesNotContain("noise");
        assertThat(said.err())
                .contains("building it first")
                .containsPattern("built in \\d+ s")
                .doesNotContain("noise");
    }

    @Test
    void a_build_that_fails_shows_why_and_where_all_of_it_is() throws Exception {
        Said said = launch(unbuilt("echo 'no such compiler'; exit 1"), javaHome("17.0.1"), "--version");

        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.out()).isEmpty();
        assertThat(said.err()).contains("no such compiler", "the build failed", "target/launcher-build.log");
        assertThat(folder.resolve("target/.launcher-lock")).doesNotExist();
    }

    /** A tree that is built by these lines of a shell. */
    private Path unbuilt(String build) throws IOException {
        Path script = Files.copy(launcher(), folder.resolve("couchjobs"));
        Path mvnw = Files.writeString(folder.resolve("mvnw"), "#!/bin/sh\necho noise\n" + build + "\n");
        Files.setPosixFilePermissions(mvnw, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    @Test
    void a_distribution_builds_nothing_and_writes_only_to_the_cache() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("dist/bin"));
        Path jar = Files.createDirectories(folder.resolve("dist/lib")).resolve("couchjobs.jar");
        Files.writeString(jar, "jar");
        Path script = Files.copy(launcher(), bin.resolve("couchjobs"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), script);

        Said said = launch(link, javaHome("17.0.1"), "counts");

        assertThat(said.err()).isEmpty();
        assertThat(said.out())
                .contains("[" + jar.toRealPath() + "]\n[counts]\n")
                .contains("[-Dcouchjobs.home=" + folder.toRealPath().resolve("dist") + "]");
        assertThat(folder.resolve("cache/couchjobs/couchjobs-17.0.1.jsa")).exists();
        try (Stream<Path> files = Files.walk(folder.resolve("dist"))) {
            assertThat(files.filter(Files::isRegularFile)).containsExactlyInAnyOrder(jar, script);
        }
    }

    /** A tree in which the build has just been done. */
    private Path built() throws IOException {
        Path script = Files.copy(launcher(), folder.resolve("couchjobs"));
        Files.createDirectories(folder.resolve("couchjobs-cli/target"));
        Files.createDirectories(folder.resolve("target"));
        Files.writeString(folder.resolve("couchjobs-cli/target/couchjobs.jar"), "jar");
        Files.writeString(folder.resolve("target/couchjobs.jar"), "jar");
        return script;
    }

    private Path javaHome(String version) throws IOException {
        Path home = Files.createDirectories(folder.resolve("jdk"));
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nfor a; do echo \"[$a]\"; done\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private Said launch(Path javaHome, String... args) throws Exception {
        return launch(launcher(), javaHome, args);
    }

    private Said launch(Path script, Path javaHome, String... args) throws Exception {
        return await(start(script, javaHome, args));
    }

    private Process start(Path script, Path javaHome, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        return builder.start();
    }

    private static Said await(Process process) throws Exception {
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Said(process.exitValue(), out, err);
    }

    private static List<String> options(List<String> options) {
        return options.stream().map(option -> "[" + option + "]").toList();
    }

    private static Path launcher() {
        return Path.of("../couchjobs").toAbsolutePath().normalize();
    }
}
