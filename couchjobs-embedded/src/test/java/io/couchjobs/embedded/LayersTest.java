package io.couchjobs.embedded;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class LayersTest {
    private static final String ROOT = "io.couchjobs.embedded";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    @Test
    void the_test_sees_the_whole_server() {
        assertThat(CLASSES.size()).isGreaterThan(90);
    }

    @Test
    void layers_point_one_way() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("junit")
                .definedBy(ROOT + ".junit")
                .layer("front")
                .definedBy(ROOT)
                .layer("http")
                .definedBy(ROOT + ".http")
                .layer("cluster")
                .definedBy(ROOT + ".cluster")
                .layer("feed")
                .definedBy(ROOT + ".feed")
                .layer("view")
                .definedBy(ROOT + ".view")
                .layer("store")
                .definedBy(ROOT + ".store")
                .layer("tree")
                .definedBy(ROOT + ".tree")
                .whereLayer("junit")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("front")
                .mayOnlyBeAccessedByLayers("junit")
                .whereLayer("http")
                .mayOnlyBeAccessedByLayers("front")
                .whereLayer("cluster")
                .mayOnlyBeAccessedByLayers("http", "front")
                .whereLayer("feed")
                .mayOnlyBeAccessedByLayers("http")
                .whereLayer("view")
                .mayOnlyBeAccessedByLayers("feed", "http", "cluster")
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("view", "feed", "http", "cluster", "front")
                .whereLayer("tree")
                .mayOnlyBeAccessedByLayers("store", "view", "feed", "http", "cluster")
                .check(CLASSES);
    }

    @Test
    void packages_have_no_cycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }
}
