package io.couchjobs.cli;

import java.util.List;

/** Writes the reference of the command line as a page of Markdown. Stateless. */
final class ManualMarkdown {
    private static final String HEAD = """
        # Command line

        All commands, as `couchjobs COMMAND --help` shows them. This page is made by
        `couchjobs manual --markdown docs/cli.md`; a test fails when it is not what that makes.
        """;

    private ManualMarkdown() {}

    static String of(List<ManualPage> pages) {
        StringBuilder text = new StringBuilder(HEAD);
        pages.forEach(page -> append(page, text));
        return text.toString();
    }

    private static void append(ManualPage page, StringBuilder text) {
        text.append("\n## ").append(page.name()).append("\n\n```\n");
        page.synopsis().forEach(line -> text.append(line).append('\n'));
        text.append("```\n\n")
                .append(escaped(String.join(" ", page.description())))
                .append('\n');
        append("Argument", page.parameters(), text);
        append("Option", page.options(), text);
        if (!page.commands().isEmpty()) {
            text.append('\n');
            page.commands().forEach(name -> text.append("- [")
                    .append(name)
                    .append("](#")
                    .append(name.replace(' ', '-'))
                    .append(")\n"));
        }
        if (!page.footer().isEmpty()) {
            text.append("\n```\n");
            page.footer().forEach(line -> text.append(line).append('\n'));
            text.append("```\n");
        }
    }

    private static void append(String what, List<ManualPage.Entry> entries, StringBuilder text) {
        if (entries.isEmpty()) {
            return;
        }
        text.append("\n| ").append(what).append(" | |\n|---|---|\n");
        entries.forEach(entry -> text.append("| `")
                .append(entry.names().replace("|", "\\|"))
                .append("` | ")
                .append(escaped(entry.text()))
                .append(" |\n"));
    }

    /** Escapes characters that would end a column, begin a tag or make a list. */
    private static String escaped(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("\n", " ");
    }
}
