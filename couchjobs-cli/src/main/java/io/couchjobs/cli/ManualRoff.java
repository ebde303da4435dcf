package io.couchjobs.cli;

import java.util.List;
import java.util.Locale;

/** Writes a page for {@code man}. Stateless. */
final class ManualRoff {
    private ManualRoff() {}

    /** {@return the name of the file, such as {@code couchjobs-cron-add.1}} */
    static String fileName(ManualPage page) {
        return page.name().replace(' ', '-') + ".1";
    }

    static String of(ManualPage page) {
        StringBuilder text = new StringBuilder();
        String title = page.name().replace(' ', '-');
        String first =
                page.description().isEmpty() ? "" : page.description().get(0).replaceFirst("[.:] .*", "");
        text.append(".TH \"").append(title.toUpperCase(Locale.ROOT)).append("\" 1 \"\" couchjobs\n");
        text.append(".SH NAME\n")
                .append(escaped(title))
                .append(" \\- ")
                .append(escaped(first))
                .append('\n');
        text.append(".SH SYNOPSIS\n.nf\n");
        page.synopsis().forEach(line -> text.append(line(line)));
        text.append(".fi\n.SH DESCRIPTION\n").append(line(String.join(" ", page.description())));
        entries("ARGUMENTS", page.parameters(), text);
        entries("OPTIONS", page.options(), text);
        if (!page.commands().isEmpty()) {
            text.append(".SH COMMANDS\n.nf\n");
            page.commands().forEach(name -> text.append(line(name.replace(' ', '-') + "(1)")));
            text.append(".fi\n");
        }
        if (!page.footer().isEmpty()) {
            text.append(".SH NOTES\n.nf\n");
            page.footer().forEach(line -> text.append(line(line)));
            text.append(".fi\n");
        }
        if (!page.name().equals("couchjobs")) {
            text.append(".SH SEE ALSO\ncouchjobs(1), for the options that every command takes\n");
        }
        return text.toString();
    }

    private static void entries(String heading, List<ManualPage.Entry> entries, StringBuilder text) {
        if (!entries.isEmpty()) {
            text.append(".SH ").append(heading).append('\n');
            entries.forEach(entry -> text.append(".TP\n\\fB")
                    .append(escaped(entry.names()))
                    .append("\\fR\n")
                    .append(line(entry.text())));
        }
    }

    /** Escapes a line. A line that begins with a dot or a quote would be a request of roff. */
    private static String line(String text) {
        String escaped = escaped(text);
        return (escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" : "") + escaped + "\n";
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ");
    }
}
