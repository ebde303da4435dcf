package io.couchjobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the config file that apply: those of the profile, and otherwise those at the top of the file.
 *
 * @param file the file, for messages and for paths that are relative to its folder
 * @param own the profile's table
 * @param top the file's top table
 */
record Profile(Path file, JsonNode own, JsonNode top) {
    static final Set<String> TEXTS = Set.of(
            "url",
            "user",
            "password-file",
            "token-file",
            "ca-cert",
            "client-cert",
            "client-key",
            "client-key-password-file",
            "proxy",
            "output",
            "color");
    static final Set<String> FLAGS = Set.of("insecure");

    static Profile none() {
        return new Profile(Path.of(""), MissingNode.getInstance(), MissingNode.getInstance());
    }

    Optional<String> text(String key) {
        JsonNode value = own.has(key) ? own.get(key) : top.path(key);
        return value.isMissingNode() ? Optional.empty() : Optional.of(value.asText());
    }

    boolean flag(String key) {
        return (own.has(key) ? own.get(key) : top.path(key)).asBoolean(false);
    }

    /** {@return the path of a file; a relative path starts at the folder of the config file} */
    Optional<Path> file(String key) {
        return text(key).map(name -> file(key, name));
    }

    private Path file(String key, String name) {
        try {
            return file.resolveSibling(name);
        } catch (InvalidPathException unsuitable) {
            throw CommandException.usage(file + ": " + key + " is not the name of a file: '" + name + "'");
        }
    }
}
