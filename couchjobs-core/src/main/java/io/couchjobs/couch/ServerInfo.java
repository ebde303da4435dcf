package io.couchjobs.couch;

import java.util.Optional;

/**
 * The server's description of itself.
 *
 * @param version the version it speaks, such as {@code 3.5.0}
 * @param vendor its maker; empty when it does not say
 * @param uuid its own id, when it tells
 */
public record ServerInfo(String version, String vendor, Optional<String> uuid) {}
