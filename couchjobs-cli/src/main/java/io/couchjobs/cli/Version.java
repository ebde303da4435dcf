package io.couchjobs.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The text of {@code --version}. */
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
