package io.couchjobs.cli.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes a job of each record: the header names the fields of its data, all values are strings. */
final class CsvJobReader implements JobReader {
    private final Iterator<NamedCsvRecord> records;
    private final Supplier<JobRequest.Builder> template;
    private final IdField id;

    CsvJobReader(InputStream in, Supplier<JobRequest.Builder> template, IdField id) {
        this.records = CsvReader.builder()
                .allowExtraFields(true)
                .allowMissingFields(true)
                .ofNamedCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8))
                .iterator();
        this.template = template;
        this.id = id;
    }

    @Override
    public Optional<JobLine> next() throws IOException {
        try {
            return records.hasNext() ? Optional.of(job(records.next())) : Optional.empty();
        } catch (UncheckedIOException unreadable) {
            throw unreadable.getCause();
        } catch (CsvParseException notCsv) {
            throw new IOException("not CSV: " + notCsv.getMessage(), notCsv);
        }
    }

    private JobLine job(NamedCsvRecord csv) {
        int expected = csv.getHeader().size();
        if (csv.getFieldCount() != expected) {
            return JobLine.bad(
                    csv.getStartingLineNumber(), csv.getFieldCount() + " fields, but the header has " + expected);
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
}
