package io.couchjobs.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import io.couchjobs.cli.output.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The config file: settings at its top, and named profiles as tables {@code [profiles.NAME]}. A misspelt key is an error. So is a
 * password, which belongs in a file of its own.
 */
final class ConfigFile {
    static final String VARIABLE = "COUCHJOBS_CONFIG";
    /** The value of the variable for no config file. */
    static final String NONE = "none";

    static final String PROFILE = "COUCHJOBS_PROFILE";

    private static final String PROFILES = "profiles";

    private final Shell shell;

    ConfigFile(Shell shell) {
        this.shell = shell;
    }

    Profile profile(@Nullable String asked) {
        Optional<String> name = Optional.ofNullable(asked).or(() -> shell.variable(PROFILE));
        Optional<String> explicit = shell.variable(VARIABLE);
        if (explicit.filter(NONE::equals).isPresent()) {
            return withoutFile(name);
        }
        Path file = explicit.map(Path::of).orElseGet(this::usualPlace);
        if (explicit.isEmpty() && name.isEmpty() && !Files.exists(file)) {
            return Profile.none();
        }
        JsonNode top = read(file);
        JsonNode own = name.isPresent() ? table(file, top, name.get()) : MissingNode.getInstance();
        check(file, top, PROFILES);
        check(file, own, "");
        return new Profile(file, own, top);
    }

    private static Profile withoutFile(Optional<String> name) {
        name.ifPresent(wanted -> {
            throw CommandException.usage("no profile '" + wanted + "': " + VARIABLE + " is " + NONE);
        });
        return Profile.none();
    }

    private Path usualPlace() {
        return shell.variable("XDG_CONFIG_HOME")
                .map(Path::of)
                .orElseGet(() -> Path.of(shell.variable("HOME").orElse(""), ".config"))
                .resolve("couchjobs")
                .resolve("config.toml");
    }

    private static JsonNode read(Path file) {
        try {
            return new TomlMapper().readTree(Files.readString(file));
        } catch (JsonProcessingException notToml) {
            throw CommandException.usage(
                    file + ":" + notToml.getLocation().getLineNr() + ": not TOML: " + notToml.getOriginalMessage());
        } catch (IOException unreadable) {
            throw CommandException.usage("cannot read the config file " + FileProblem.of(file, unreadable));
        }
    }

    private static JsonNode table(Path file, JsonNode top, String name) {
        JsonNode table = top.path(PROFILES).path(name);
        if (!table.isObject()) {
            throw CommandException.usage("no profile '" + name + "' in " + file);
        }
        return table;
    }

    private static void check(Path file, JsonNode table, String alsoAllowed) {
        for (Map.Entry<String, JsonNode> entry : table.properties()) {
            String key = entry.getKey();
            boolean text = Profile.TEXTS.contains(key) && entry.getValue().isTextual();
            boolean flag = Profile.FLAGS.contains(key) && entry.getValue().isBoolean();
            if (key.equals("password")) {
                throw CommandException.usage(
                        file + ": put the password into a file of its own: password-file = \"...\"");
            }
            if (!text && !flag && !key.equals(alsoAllowed)) {
                throw CommandException.usage(file + ": unknown setting or wrong kind of value: " + key);
            }
        }
    }
}
