package io.couchjobs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class LayersTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("couchjobs-embedded"))
            .importPackages("io.couchjobs");

    @Test
    void the_test_sees_the_whole_library() {
        assertThat(CLASSES.size()).isGreaterThan(100);
        assertThat(CLASSES.contain("io.couchjobs.couch.CouchDatabase")).isTrue();
    }

    @Test
    void layers_point_one_way() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("front")
                .definedBy("io.couchjobs")
                .layer("process")
                .definedBy("io.couchjobs.process")
                .layer("worker")
                .definedBy("io.couchjobs.worker")
                .layer("schedule")
                .definedBy("io.couchjobs.schedule")
                .layer("gc")
                .definedBy("io.couchjobs.gc")
                .layer("scope")
                .definedBy("io.couchjobs.scope")
                .layer("security")
                .definedBy("io.couchjobs.security")
                .layer("store")
                .definedBy("io.couchjobs.store")
                .layer("job")
                .definedBy("io.couchjobs.job")
                .layer("couch")
                .definedBy("io.couchjobs.couch")
                .whereLayer("front")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("process")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("worker")
                .mayOnlyBeAccessedByLayers("front", "process", "scope")
                .whereLayer("scope")
                .mayOnlyBeAccessedByLayers("front")
                .whereLayer("security")
                .mayOnlyBeAccessedByLayers("front")
                .whereLayer("schedule")
                .mayOnlyBeAccessedByLayers("front")
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("front", "worker", "schedule", "scope", "gc", "security")
                .whereLayer("job")
                .mayOnlyBeAccessedByLayers("front", "process", "worker", "schedule", "scope", "gc", "store")
                .whereLayer("couch")
                .mayOnlyBeAccessedByLayers("front", "worker", "schedule", "scope", "gc", "security", "store")
                .whereLayer("gc")
                .mayOnlyBeAccessedByLayers("front", "worker")
                .check(CLASSES);
    }

    @Test
    void packages_have_no_cycles() {
        slices().matching("io.couchjobs.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void no_cycle_inside_a_package_has_more_than_three_classes() {
        assertThat(ClassCycles.of(CLASSES))
                .as("classes of one package, each of which needs all others")
                .allMatch(cycle -> cycle.size() <= 3);
    }

    @Test
    void the_rules_of_jobs_do_no_io_and_read_no_clock() {
        noClasses()
                .that()
                .resideInAPackage("io.couchjobs.job")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.couchjobs.couch", "java.net..", "java.nio.file..", "org.ektorp..", "org.apache..")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    @Test
    void no_package_is_named_after_nothing() {
        noClasses()
                .should()
                .resideInAnyPackage("..internal..", "..util..", "..impl..")
                .check(CLASSES);
    }
}
