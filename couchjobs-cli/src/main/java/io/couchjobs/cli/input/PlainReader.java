package io.couchjobs.cli.input;

import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes a job of each line: {@code {"line": "..."}}. */
final class PlainReader implements JobReader {
    private final TextLines lines;
    private final Supplier<JobRequest.Builder> template;

    PlainReader(TextLines lines, Supplier<JobRequest.Builder> template) {
        this.lines = lines;
        this.template = template;
    }

    @Override
    public Optional<JobLine<JobRequest>> next() throws IOException {
        return lines.next().map(this::job);
    }

    private JobLine<JobRequest> job(TextLines.Line line) {
        if (line.problem() != null) {
            return JobLine.bad(line.number(), line.problem());
        }
        return JobLine.good(
                line.number(),
                line.text().length(),
                template.get().data(Map.of("line", line.text())).build());
    }
}
