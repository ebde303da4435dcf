package io.couchjobs.engine.scope;

import io.couchjobs.engine.settings.QueueParts;

/** What the parts of scopes work with. Immutable. */
public record Tools(QueueParts parts, ScopeStore scopes, Clearance clearance, Endings endings, Rejections rejections) {}
