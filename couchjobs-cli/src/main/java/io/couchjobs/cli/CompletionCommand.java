package io.couchjobs.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code completion SHELL}: prints a completion script for a shell. */
@Command(
        name = "completion",
        description = "Print a completion script for a shell.",
        footer = {
            "  couchjobs completion bash > ~/.local/share/bash-completion/completions/couchjobs",
            "  source <(couchjobs completion zsh)",
            "  couchjobs completion fish > ~/.config/fish/completions/couchjobs.fish"
        })
final class CompletionCommand extends CliCommand {
    /** The shells that have a completion script. */
    enum ShellName {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return EnumNames.lowerCase(this);
        }
    }

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    @SuppressWarnings("NullAway.Init")
    private ShellName shell;

    @Override
    public Integer call() {
        CommandLine root = spec().root().commandLine();
        String script =
                switch (shell) {
                    // picocli's script finds out itself which of the two shells runs it
                    case BASH, ZSH -> AutoComplete.bash("couchjobs", root);
                    case FISH -> FishCompletion.script(root);
                };
        spec().commandLine().getOut().print(script);
        return ExitCode.DONE.number();
    }
}
