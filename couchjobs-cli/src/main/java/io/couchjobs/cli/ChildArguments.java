package io.couchjobs.cli;

import io.couchjobs.couch.config.Auth;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments and variables for a child process of this program on the same server. Passwords are among the variables, because
 * process lists show the arguments.
 *
 * @param arguments the arguments of the command line
 * @param environment the variables to add to the environment of the process
 */
record ChildArguments(List<String> arguments, Map<String, String> environment) {
    static ChildArguments of(String command, Couchjobs root, Session session, QueueUrl database) {
        List<String> arguments = new ArrayList<>(List.of(command));
        database.databases().forEach(url -> arguments.addAll(List.of("--url", url.toString())));
        Map<String, String> environment = new HashMap<>(
                Map.of(ConfigFile.VARIABLE, ConfigFile.NONE, ConfigFile.PROFILE, "", "COUCHJOBS_USER", ""));
        if (session.auth() instanceof Auth.Basic basic) {
            arguments.addAll(List.of("--user", basic.user()));
            environment.put(Settings.PASSWORD, basic.password().reveal());
        }
        root.settings().tokenFile().ifPresent(file -> arguments.addAll(List.of("--token-file", file.toString())));
        root.settings().caCertificate().ifPresent(file -> arguments.addAll(List.of("--ca-cert", file.toString())));
        if (session.local() == null) {
            session.settings().way().pass(arguments, environment);
        } else {
            environment.put(ConnectionOptions.PROXY, ConnectionOptions.NO_PROXY);
        }
        if (root.settings().insecure()) {
            arguments.add("--insecure");
        }
        arguments.add(root.options().verbose ? "-v" : "-q");
        return new ChildArguments(List.copyOf(arguments), Map.copyOf(environment));
    }
}
