package io.couchjobs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.couchjobs.testing.ClassCycles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rooms of the library, and which of them may need which. */
class LayersTest {
    private static final int MOST_TYPES_OF_A_PACKAGE = 45;
    private static final int MOST_CLASSES_OF_A_CYCLE = 3;
    private static final int MOST_TYPES_OF_THE_API = 110;
    private static final int LINES_OF_A_LONG_FILE = 350;
    private static final int MOST_LINES_OF_A_FILE = 450;
    private static final int MOST_LONG_FILES = 3;

    /** From top to bottom: a package needs only packages of lower rows. */
    private static final List<List<String>> ROWS = List.of(
            List.of("io.couchjobs"),
            List.of("io.couchjobs.engine"),
            List.of(
                    "io.couchjobs.engine.scope",
                    "io.couchjobs.engine.trigger",
                    "io.couchjobs.process",
                    "io.couchjobs.engine.alarm"),
            List.of("io.couchjobs.engine.worker"),
            List.of(
                    "io.couchjobs.engine.schedule",
                    "io.couchjobs.engine.gc",
                    "io.couchjobs.scope",
                    "io.couchjobs.trigger"),
            List.of("io.couchjobs.engine.history"),
            List.of("io.couchjobs.worker", "io.couchjobs.schedule", "io.couchjobs.admin"),
            List.of("io.couchjobs.engine.claim"),
            List.of("io.couchjobs.engine.due"),
            List.of("io.couchjobs.engine.due.share", "io.couchjobs.engine.limit"),
            List.of(
                    "io.couchjobs.engine.create",
                    "io.couchjobs.engine.watch",
                    "io.couchjobs.engine.log",
                    "io.couchjobs.engine.conflict"),
            List.of("io.couchjobs.engine.settings", "io.couchjobs.engine.registry"),
            List.of("io.couchjobs.engine.feed"),
            List.of("io.couchjobs.engine.index"),
            List.of("io.couchjobs.engine.store"),
            List.of("io.couchjobs.engine.lifecycle"),
            List.of("io.couchjobs.type"),
            List.of("io.couchjobs.job"),
            List.of("io.couchjobs.couch", "io.couchjobs.engine.document"),
            List.of("io.couchjobs.engine.couch"),
            List.of("io.couchjobs.couch.config"),
            List.of("io.couchjobs.engine.time"));

    /** Calls that would escape the simulation. */
    private static final Set<String> ONLY_IN_THE_ENVIRONMENT = Set.of(
            "java.lang.System.nanoTime",
            "java.lang.System.currentTimeMillis",
            "java.time.Instant.now",
            "java.lang.Thread.<init>",
            "java.lang.Thread.sleep",
            "java.util.Timer.<init>",
            "java.util.concurrent.TimeUnit.sleep",
            "java.util.concurrent.TimeUnit.timedWait",
            "java.util.concurrent.ThreadLocalRandom.current",
            "java.util.concurrent.ThreadPoolExecutor.<init>",
            "java.util.concurrent.ScheduledThreadPoolExecutor.<init>",
            "java.util.concurrent.Executors.newCachedThreadPool",
            "java.util.concurrent.Executors.newFixedThreadPool",
            "java.util.concurrent.Executors.newSingleThreadExecutor",
            "java.util.concurrent.Executors.newScheduledThreadPool",
            "java.util.concurrent.Executors.newSingleThreadScheduledExecutor");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("couchjobs-embedded"))
            .importPackages("io.couchjobs");

    @Test
    void the_test_sees_the_whole_library() {
        assertThat(CLASSES.size()).isGreaterThan(100);
        assertThat(CLASSES.contain("io.couchjobs.couch.CouchDatabase")).isTrue();
        assertThat(CLASSES).extracting(JavaClass::getPackageName).allMatch(name -> row(name) >= 0);
    }

    @Test
    void packages_need_only_those_below() {
        List<String> upwards = new ArrayList<>();
        for (JavaClass each : CLASSES) {
            for (Dependency need : each.getDirectDependenciesFromSelf()) {
                String from = each.getPackageName();
                String to = need.getTargetClass().getBaseComponentType().getPackageName();
                if (!from.equals(to) && row(to) >= 0 && row(to) <= row(from)) {
                    upwards.add(need.getDescription());
                }
            }
        }
        assertThat(upwards).isEmpty();
    }

    @Test
    void no_cycle_inside_a_package_has_more_than_three_classes() {
        assertThat(ClassCycles.of(CLASSES))
                .as("classes of one package, each of which needs all others")
                .allMatch(cycle -> cycle.size() <= MOST_CLASSES_OF_A_CYCLE);
    }

    @Test
    void no_package_has_too_many_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(each -> each.isTopLevelClass() && !each.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types)
                .allSatisfy((name, count) ->
                        assertThat(count).as("types of %s", name).isLessThanOrEqualTo(MOST_TYPES_OF_A_PACKAGE));
    }

    @Test
    void few_files_are_long() throws IOException {
        Map<Path, Integer> lines = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                lines.put(file, Files.readAllLines(file).size());
            }
        }
        assertThat(lines).hasSizeGreaterThan(100);
        lines.values().removeIf(count -> count <= LINES_OF_A_LONG_FILE);
        assertThat(lines.values()).allMatch(count -> count <= MOST_LINES_OF_A_FILE);
        assertThat(lines).hasSizeLessThanOrEqualTo(MOST_LONG_FILES);
    }

    @Test
    void the_api_has_few_types() {
        assertThat(CLASSES)
                .filteredOn(each -> each.isTopLevelClass()
                        && each.getModifiers().contains(JavaModifier.PUBLIC)
                        && !each.getPackageName().startsWith("io.couchjobs.engine"))
                .hasSizeBetween(50, MOST_TYPES_OF_THE_API);
    }

    @Test
    void only_design_documents_are_stored_by_ektorp() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.couchjobs.engine.index")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.ektorp..")
                .check(CLASSES);
    }

    @Test
    void the_rules_of_jobs_do_no_io_and_read_no_clock() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.couchjobs.job",
                        "io.couchjobs.type",
                        "io.couchjobs.engine.lifecycle",
                        "io.couchjobs.engine.document")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.couchjobs.engine.couch", "java.net..", "java.nio.file..", "org.ektorp..", "org.apache..")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    @Test
    void no_text_has_the_digits_of_the_machines_language() {
        noClasses()
                .should()
                .callMethod(String.class, "format", String.class, Object[].class)
                .orShould()
                .callMethod(String.class, "formatted", Object[].class)
                .check(CLASSES);
    }

    @Test
    void only_the_environment_makes_threads_and_reads_clocks() {
        List<String> calls = CLASSES.stream()
                .filter(each -> !each.getPackageName().equals("io.couchjobs.engine.time"))
                .flatMap(each -> each.getCodeUnitCallsFromSelf().stream())
                .filter(call -> ONLY_IN_THE_ENVIRONMENT.contains(
                        call.getTargetOwner().getName() + "." + call.getTarget().getName()))
                .map(JavaAccess::getDescription)
                .toList();
        assertThat(calls).isEmpty();
    }

    /**
     * Before Java 24 a virtual thread that waits for a monitor keeps its carrier, and there are no more than 256 carriers. In Slots only
     * the thread of a worker waits.
     */
    @Test
    void no_run_waits_for_a_monitor() {
        noClasses()
                .that()
                .doNotHaveSimpleName("Slots")
                .should()
                .callMethod(Object.class, "wait")
                .orShould()
                .callMethod(Object.class, "wait", long.class)
                .check(CLASSES);
    }

    @Test
    void no_package_is_named_after_nothing() {
        noClasses()
                .should()
                .resideInAnyPackage("..internal..", "..util..", "..impl..")
                .check(CLASSES);
    }

    private static int row(String packageName) {
        for (int i = 0; i < ROWS.size(); i++) {
            if (ROWS.get(i).contains(packageName)) {
                return i;
            }
        }
        return -1;
    }
}
