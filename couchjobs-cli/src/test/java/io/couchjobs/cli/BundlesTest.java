package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The headers that OSGi reads name the packages that module-info exports. Only a release writes these headers into the jars. */
class BundlesTest {
    private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
    private static final String MODULE_INFO = "src/main/java/module-info.java";
    private static final Pattern MODULE_EXPORT = Pattern.compile("(?m)^ *exports ([\\w.]+);");
    private static final Pattern BUNDLE_EXPORTS = Pattern.compile("<osgi\\.exports>([^<]*)</osgi\\.exports>");

    @Test
    void a_bundle_exports_the_packages_that_its_module_exports() throws IOException {
        List<Path> modules = modules();
        assertThat(modules).hasSizeGreaterThanOrEqualTo(5);
        for (Path module : modules) {
            assertThat(exportsOfBundle(module))
                    .as(HOME.relativize(module).toString())
                    .containsExactlyInAnyOrderElementsOf(exportsOfModule(module));
        }
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(HOME)) {
            return folders.filter(folder -> Files.exists(folder.resolve(MODULE_INFO)))
                    .toList();
        }
    }

    private static List<String> exportsOfModule(Path module) throws IOException {
        return MODULE_EXPORT
                .matcher(Files.readString(module.resolve(MODULE_INFO)))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static List<String> exportsOfBundle(Path module) throws IOException {
        return BUNDLE_EXPORTS
                .matcher(Files.readString(module.resolve("pom.xml")))
                .results()
                .flatMap(found -> Stream.of(found.group(1).split(",")))
                .toList();
    }
}
