package io.couchjobs.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"couchjobs " + number() + " (Java " + Runtime.version() + ")"};
    }

    private static String number() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("development");
    }
}
