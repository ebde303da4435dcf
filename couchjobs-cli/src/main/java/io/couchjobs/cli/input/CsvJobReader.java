package io.couchjobs.cli.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.couchjobs.job.JobRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a job from each record of a CSV file. The header names the fields of the data, and all values are strings. */
final class CsvJobReader implements JobReader {
    /** Stands for bytes that are not UTF-8: half of a surrogate pair, which does not occur in valid text. */
    private static final char MALFORMED = '\uDC00';

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final Reader text;
    private final Supplier<JobRequest.Builder> template;
    private final IdField id;
    private @Nullable Iterator<NamedCsvRecord> records;

    CsvJobReader(InputStream in, Supplier<JobRequest.Builder> template, IdField id) {
        this.text = new BufferedReader(new InputStreamReader(
                in,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPLACE)
                        .replaceWith(String.valueOf(MALFORMED))));
        this.template = template;
        this.id = id;
    }

    @Override
    public Optional<JobLine<JobRequest>> next() throws IOException {
        try {
            if (records == null) {
                records = records();
            }
            return records.hasNext() ? Optional.of(job(records.next())) : Optional.empty();
        } catch (UncheckedIOException unreadable) {
            throw unreadable.getCause();
        } catch (CsvParseException notCsv) {
            String why =
                    notCsv.getCause() == null ? "" : ": " + notCsv.getCause().getMessage();
            throw new IOException("not CSV: " + notCsv.getMessage() + why, notCsv);
        }
    }

    private Iterator<NamedCsvRecord> records() throws IOException {
        text.mark(1);
        if (text.read() != BYTE_ORDER_MARK) {
            text.reset();
        }
        return CsvReader.builder()
                .allowExtraFields(true)
                .allowMissingFields(true)
                .ofNamedCsvRecord(text)
                .iterator();
    }

    private JobLine<JobRequest> job(NamedCsvRecord csv) {
        if (Stream.concat(csv.getHeader().stream(), csv.getFields().stream()).anyMatch(CsvJobReader::isMalformed)) {
            return JobLine.bad(csv.getStartingLineNumber(), "not valid UTF-8");
        }
        int expected = csv.getHeader().size();
        if (csv.getFieldCount() != expected) {
            return JobLine.bad(
                    csv.getStartingLineNumber(),
                    csv.getFieldCount() + (csv.getFieldCount() == 1 ? " field" : " fields") + ", but the header has "
                            + expected);
        }
        JobRequest.Builder job = template.get().data(csv.getFieldsAsMap());
        try {
            id.identify(job, csv::findField);
            return JobLine.good(
                    csv.getStartingLineNumber(),
                    csv.getFields().stream().mapToInt(String::length).sum(),
                    job.build());
        } catch (IllegalArgumentException notAnId) {
            return JobLine.bad(csv.getStartingLineNumber(), String.valueOf(notAnId.getMessage()));
        }
    }

    private static boolean isMalformed(String field) {
        return field.codePoints().anyMatch(character -> character == MALFORMED);
    }
}
