package io.couchjobs.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads a file of jobs one by one, in constant memory. A bad line is returned as a value and does not stop the reading. */
public interface JobReader {
    /** The formats of a file of jobs. */
    enum Format {
        /** A JSON object per line: {@code data}, and optionally {@code id}, {@code scheduledTime}, ... */
        NDJSON {
            @Override
            public JobReader open(InputStream in, Supplier<JobRequest.Builder> template, Times times, IdField id) {
                return new NdjsonReader(TextLines.ofJson(in), template, times, id);
            }

            @Override
            public JobReader openItems(InputStream in, Supplier<JobRequest.Builder> template, Times times) {
                return NdjsonReader.ofItems(TextLines.ofJson(in), template, times);
            }
        },
        /** A header that names the fields of the data, then a record per job. */
        CSV {
            @Override
            public JobReader open(InputStream in, Supplier<JobRequest.Builder> template, Times times, IdField id) {
                return new CsvJobReader(in, template, id);
            }
        },
        /** Any text: each line becomes {@code {"line": "..."}}. */
        LINES {
            @Override
            public JobReader open(InputStream in, Supplier<JobRequest.Builder> template, Times times, IdField id) {
                TextLines lines = new TextLines(in);
                return () -> lines.next()
                        .map(line -> line.problem() != null
                                ? JobLine.bad(line.number(), line.problem())
                                : JobLine.good(
                                        line.number(),
                                        line.text().length(),
                                        template.get()
                                                .data(Map.of("line", line.text()))
                                                .build()));
            }
        };

        /**
         * {@return the likely format of a file, by the ending of its name}
         *
         * @param file the name
         */
        public static Format of(String file) {
            String name = file.toLowerCase(Locale.ROOT);
            return name.endsWith(".csv") ? CSV : name.endsWith(".txt") ? LINES : NDJSON;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /**
         * Starts reading.
         *
         * @param in the file, UTF-8; the caller closes it
         * @param template makes a new request with the settings that apply to every line
         * @param times how a line may write its time
         * @param id the field of the data that is the id; lines of text have none
         * @return the reader
         */
        public abstract JobReader open(InputStream in, Supplier<JobRequest.Builder> template, Times times, IdField id);

        /**
         * Starts reading the items of an array. Items have data only, so a line with further fields is bad.
         *
         * @param in the file, UTF-8; the caller closes it
         * @param template makes a new request of the array's type
         * @param times how a line may write its time
         * @return the reader
         */
        public JobReader openItems(InputStream in, Supplier<JobRequest.Builder> template, Times times) {
            return open(in, template, times, IdField.NONE);
        }
    }

    /**
     * Describes in one line why a text is not JSON.
     *
     * @param notJson the parser's exception
     * @return the problem and the column, without the parser's remarks on where the text came from
     */
    static String describe(JsonProcessingException notJson) {
        String problem = String.valueOf(notJson.getOriginalMessage())
                .lines()
                .findFirst()
                .orElse("")
                .replaceAll(" \\(start marker at .*", "")
                .replaceAll(", from `[^)]*", "");
        return notJson.getLocation() == null
                ? problem
                : problem + " (column " + notJson.getLocation().getColumnNr() + ")";
    }

    /**
     * Reads the next line.
     *
     * @return the job or the problem of the line; empty at the end
     * @throws IOException when the file cannot be read further
     */
    Optional<JobLine<JobRequest>> next() throws IOException;
}
