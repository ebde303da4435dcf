package io.couchjobs.engine.scope;

import io.couchjobs.engine.settings.QueueParts;

/** The objects that the parts of scopes share. Immutable. */
public record Tools(
        QueueParts parts, ScopeStore scopes, ScopeCanceller clearance, EndNotifier endings, Rejections rejections) {}
