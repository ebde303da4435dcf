package io.couchjobs.conformance;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole suite against the {@link ConfiguredServer}. */
@Tag("server")
class ConfiguredServerTest {
    @RegisterExtension
    static final ServerExtension SERVER = new ServerExtension(ConfiguredServer::url);

    @Nested
    class Servers extends ServerContract {}

    @Nested
    class Sessions extends SessionContract {}

    @Nested
    class Databases extends DatabaseContract {}

    @Nested
    class Documents extends DocumentContract {}

    @Nested
    class DocumentIds extends DocumentIdContract {}

    @Nested
    class Refusals extends RefusalContract {}

    @Nested
    class Revisions extends RevisionContract {}

    @Nested
    class Conflicts extends ConflictContract {}

    @Nested
    class Attachments extends AttachmentContract {}
}
