package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.admin.QueueSecurity;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rights that {@code init} set up, or would set up. */
record Securing(boolean dryRun, QueueSecurity.@Nullable Report report, Map<String, Granted> users) {
    /** A role that a user was given, and whether the user existed. */
    record Granted(QueueSecurity.Role role, QueueSecurity.UserOutcome outcome) {}

    /** Sets up the rights; with {@code --dry-run}, only finds out what there is to do. */
    static Securing run(SecureOptions options, QueueSecurity security, Shell shell) {
        Map<String, Granted> users = new LinkedHashMap<>();
        QueueSecurity.Report report = null;
        if (options.secure) {
            report = options.dryRun ? security.preview() : security.secure();
        }
        options.wanted()
                .forEach((name, role) -> users.put(
                        name,
                        new Granted(
                                role,
                                options.dryRun
                                        ? security.grantPreview(role, name)
                                        : security.grant(role, name, () -> options.passwordOf(name, shell)))));
        return new Securing(options.dryRun, report, users);
    }

    /** {@return the report in words, each part beginning with a semicolon; empty when nothing was asked for} */
    String text() {
        StringBuilder text = new StringBuilder();
        if (report != null) {
            text.append(guardText(report));
            report.membersAdded()
                    .forEach(role -> text.append("; role ").append(role).append(may() + "read and write"));
            report.adminsAdded()
                    .forEach(role -> text.append("; role ").append(role).append(may() + "administrate"));
        }
        users.forEach((name, granted) -> text.append("; user ").append(name).append(userText(granted)));
        return text.toString();
    }

    /** Adds the report to what {@code -o json} prints. */
    ObjectNode addTo(ObjectNode json) {
        if (report != null) {
            ObjectNode secured = json.putObject("secured");
            secured.put("guardStored", report.isGuardStored());
            report.membersAdded().forEach(secured.putArray("membersAdded")::add);
            report.adminsAdded().forEach(secured.putArray("adminsAdded")::add);
        }
        if (!users.isEmpty()) {
            ObjectNode byName = json.putObject("users");
            users.forEach((name, granted) -> byName.putObject(name)
                    .put("role", granted.role.inCouchDb())
                    .put("outcome", EnumNames.lowerCase(granted.outcome)));
        }
        return dryRun ? json.put("dryRun", true) : json;
    }

    private String guardText(QueueSecurity.Report done) {
        String would = dryRun ? " would be " : " ";
        return switch (done.guardBefore()) {
            case CURRENT -> "; the guard was there";
            case ABSENT -> "; the guard" + (dryRun ? would : " was ") + "stored";
            case OTHER -> "; the guard of another version" + (dryRun ? would : " was ") + "replaced";
        };
    }

    private String may() {
        return dryRun ? " would be allowed to " : " may now ";
    }

    private String userText(Granted granted) {
        String role = granted.role.inCouchDb();
        return switch (granted.outcome) {
            case CREATED -> (dryRun ? " would be created" : " was created") + " with the role " + role;
            case GRANTED -> (dryRun ? " would get" : " got") + " the role " + role;
            case UNCHANGED -> " has the role " + role;
        };
    }
}
