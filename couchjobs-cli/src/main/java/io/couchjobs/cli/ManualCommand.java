package io.couchjobs.cli;

import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code manual}: writes man pages, or the reference as Markdown. */
@Command(
        name = "manual",
        description = "Write man pages, one per command, or the reference as Markdown.",
        footer = {
            "  couchjobs manual --man ~/.local/share/man/man1 && man couchjobs-enqueue",
            "  couchjobs manual --markdown docs/cli.md"
        })
final class ManualCommand extends CliCommand {
    @Option(names = "--man", paramLabel = "DIR", description = "Write couchjobs.1, couchjobs-enqueue.1, ... there.")
    private @Nullable Path man;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Write all commands as one page of Markdown.")
    private @Nullable Path markdown;

    @Override
    public Integer call() {
        if (man == null && markdown == null) {
            throw CommandException.usage("what for? Give --man DIR or --markdown FILE");
        }
        List<ManualPage> pages = ManualPage.of(spec().root().commandLine());
        if (man != null) {
            for (ManualPage page : pages) {
                write(man.resolve(ManualRoff.fileName(page)), ManualRoff.of(page));
            }
        }
        if (markdown != null) {
            write(markdown, ManualMarkdown.of(pages));
        }
        return ExitCode.DONE.number();
    }

    private static void write(Path file, String text) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, "cannot write " + FileProblem.of(file, e));
        }
    }
}
