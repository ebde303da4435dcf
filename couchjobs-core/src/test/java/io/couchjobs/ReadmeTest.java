package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first program that a newcomer sees, compiled from the README itself. */
@ServerTest
class ReadmeTest {
    @TempDir
    Path folder;

    @Test
    void the_program_of_the_readme_runs_and_has_at_most_15_lines(TestDatabase database) throws Exception {
        String program = program();
        assertThat(program.lines()).hasSizeLessThanOrEqualTo(15);
        assertThat(compiled(program)).isEmpty();

        try (URLClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            Method main = loader.loadClass("Hello").getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[] {withCredentials(database)});
        }

        try (JobQueue queue = TestQueue.open(database)) {
            Job job = queue.list(JobFilter.all(), 2).get(0);
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.result().orElseThrow().asText()).isEqualTo("sent to ada@example.org");
        }
    }

    @Test
    void data_of_another_type_does_not_compile() throws Exception {
        String wrong = program().replace("new Email(\"ada@example.org\", \"Hello\")", "\"ada@example.org\"");

        assertThat(wrong).isNotEqualTo(program());
        assertThat(compiled(wrong)).contains("no suitable method found for add(JobType<Email>,String)");
    }

    @Test
    void a_handler_of_other_data_does_not_compile() throws Exception {
        String wrong = program().replace("email.to()", "email.recipient()");

        assertThat(wrong).isNotEqualTo(program());
        assertThat(compiled(wrong)).contains("cannot find symbol");
    }

    @Test
    void the_coordinates_name_the_version_of_the_project() throws Exception {
        Matcher version = Pattern.compile("<version>(.*?)</version>").matcher(Files.readString(Path.of("../pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(Files.readString(Path.of("../README.md")))
                .contains(
                        "<artifactId>couchjobs-core</artifactId>\n  <version>" + version.group(1) + "</version>",
                        "\"io.couchjobs:couchjobs-core:" + version.group(1) + "\"");
    }

    private static String program() throws IOException {
        Matcher block =
                Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("../README.md")));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    /** {@return what the compiler has to say against it} */
    private String compiled(String program) throws Exception {
        Path source = Files.writeString(folder.resolve("Hello.java"), program);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        List<String> options = List.of("-d", folder.toString(), "-classpath", classPath(), "-Xlint:-try", "-proc:none");
        compiler.getTask(
                        new PrintWriter(problems),
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjects(source))
                .call();
        return problems.toString();
    }

    private static String classPath() {
        return Stream.of(
                        JobQueue.class,
                        com.fasterxml.jackson.databind.JsonNode.class,
                        com.fasterxml.jackson.core.JsonParser.class)
                .map(type -> Path.of(URI.create(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toString()))
                        .toString())
                .collect(Collectors.joining(java.io.File.pathSeparator));
    }

    private static String withCredentials(TestDatabase database) {
        URI url = database.url();
        return database.user()
                .map(user -> url.getScheme() + "://" + user + ":"
                        + database.password().orElse("") + "@" + url.getRawAuthority() + url.getRawPath())
                .orElseGet(url::toString);
    }
}
