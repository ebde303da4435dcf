package io.couchjobs.cli;

import io.couchjobs.admin.QueueSecurity;
import io.couchjobs.couch.config.Secret;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code init} that secure the database and give users their roles. */
final class SecureOptions {
    static final String NEW_PASSWORD = "COUCHJOBS_NEW_PASSWORD";

    @Option(
            names = "--secure",
            description = {
                "Have the database itself refuse what a user's role does not cover (docs/security.md): store the guard, and let "
                        + "the roles couchjobs-producer, couchjobs-worker and couchjobs-admin in."
            })
    boolean secure;

    @Option(
            names = "--create-user",
            paramLabel = "ROLE:NAME",
            description = {
                "Give the user NAME the role producer, worker or admin; a new one is created, with the password that "
                        + "--new-password-file, COUCHJOBS_NEW_PASSWORD or a prompt gives. An existing one keeps theirs. Repeatable."
            })
    List<String> users = new ArrayList<>();

    @Option(
            names = "--new-password-file",
            paramLabel = "FILE",
            description = "A file whose first line is the password of the new user.")
    @Nullable
    Path newPasswordFile;

    @Option(
            names = "--dry-run",
            description = "With --secure or --create-user: say what would be done, and do nothing.")
    boolean dryRun;

    /** Checks the options before anything is done, and returns the users with their roles. */
    Map<String, QueueSecurity.Role> wanted() {
        Map<String, QueueSecurity.Role> wanted = new LinkedHashMap<>();
        for (String user : users) {
            int colon = user.indexOf(':');
            if (colon < 0 || colon == user.length() - 1) {
                throw CommandException.usage("--create-user takes ROLE:NAME, such as worker:ann; not " + user);
            }
            String name = user.substring(colon + 1);
            if (wanted.put(name, role(user.substring(0, colon))) != null) {
                throw CommandException.usage(
                        "--create-user names " + name + " twice: run init once for each role of a user");
            }
        }
        if (dryRun && !secure && users.isEmpty()) {
            throw CommandException.usage("--dry-run needs --secure or --create-user");
        } else if (newPasswordFile != null && users.isEmpty()) {
            throw CommandException.usage("--new-password-file needs --create-user");
        }
        return wanted;
    }

    /**
     * Returns the password of a new user. Refuses one password for several users, so that two people do not share it by accident.
     */
    Secret passwordOf(String name, Shell shell) {
        Optional<String> given =
                Optional.ofNullable(newPasswordFile).map(Settings::firstLine).or(() -> shell.variable(NEW_PASSWORD));
        if (given.isPresent() && users.size() > 1) {
            throw CommandException.usage("one password for several users: create them one by one, or at a prompt");
        }
        String password = given.or(() -> prompt(name, shell))
                .orElseThrow(() -> CommandException.usage("no password for the new user " + name + ": set "
                        + NEW_PASSWORD + " or give --new-password-file (there is no terminal to ask at)"));
        if (password.isEmpty()) {
            throw CommandException.usage("the password of the new user " + name + " is empty");
        }
        return Secret.of(password);
    }

    private static Optional<String> prompt(String name, Shell shell) {
        Optional<String> first = shell.prompt().apply("Password for the new user " + name + ": ");
        if (first.isPresent() && !first.equals(shell.prompt().apply("Once more: "))) {
            throw CommandException.usage("the two passwords differ; nothing was done for user " + name);
        }
        return first;
    }

    private static QueueSecurity.Role role(String name) {
        try {
            return QueueSecurity.Role.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw CommandException.usage("not a role: '" + name + "'; producer, worker or admin");
        }
    }
}
