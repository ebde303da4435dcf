package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Nesting;
import io.couchjobs.job.Job;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.testing.CornerDocuments;
import io.couchjobs.testing.Schemas;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The third twin of what can be a job, beside the code and the map functions. */
class JobSchemaTest {
    @Test
    void the_schema_and_the_code_agree_on_what_is_a_job() {
        List<ObjectNode> documents = CornerDocuments.all().stream()
                .filter(document -> Nesting.deepField(document).isEmpty())
                .filter(document ->
                        !countsCharactersOtherwise(document.path("_id").asText()))
                .toList();
        assertThat(documents).hasSizeGreaterThan(500);
        assertThat(documents.stream().filter(JobSchemaTest::isJob)).hasSizeBetween(100, documents.size() - 100);

        assertThat(documents)
                .allSatisfy(document -> assertThat(Schemas.problems(document).isEmpty())
                        .as(document.toString())
                        .isEqualTo(isJob(document)));
    }

    /** A pattern counts code points, an id is measured in UTF-16 code units. */
    private static boolean countsCharactersOtherwise(String id) {
        return id.codePointCount(0, id.length()) != id.length();
    }

    private static boolean isJob(ObjectNode document) {
        try {
            Job.parse(document);
            return true;
        } catch (MalformedDocumentException notAJob) {
            return false;
        }
    }
}
