package io.couchjobs.cli;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.cli.input.InputJson;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.job.UnreadableDataException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A condition on the data of jobs: the value at a JSON Pointer (RFC 6901).
 *
 * @param path the pointer
 * @param value the value that has to be there, as text
 */
record Where(JsonPointer path, String value) {
    /**
     * {@return whether the job's data has the value at the pointer, as JSON or as text; false when the data is lost} The data
     * must have been read.
     */
    boolean holds(Job job) {
        try {
            JsonNode found = job.data().at(path);
            return !found.isMissingNode()
                    && (JobView.isSame(found, TextNode.valueOf(value)) || JobView.isSame(found, json()));
        } catch (UnreadableDataException lost) {
            return false;
        }
    }

    /** {@return the value as JSON, or as text when it is not JSON; a missing node for an empty value} */
    private JsonNode json() {
        try {
            return InputJson.MAPPER.readTree(value);
        } catch (JsonProcessingException noJson) {
            return TextNode.valueOf(value);
        }
    }

    /** Reads {@code /pointer=value}. */
    static final class Converter implements ITypeConverter<Where> {
        @Override
        public Where convert(String text) {
            int equals = text.indexOf('=');
            if (!text.startsWith("/") || equals < 0) {
                throw new TypeConversionException("not /PATH=VALUE, such as /customer/id=42: '" + text + "'");
            }
            return new Where(JsonPointer.compile(text.substring(0, equals)), text.substring(equals + 1));
        }
    }
}
