package io.couchjobs.scope;

import io.couchjobs.engine.settings.QueueParts;

/** What the parts of scopes work with. Immutable. */
record Tools(QueueParts parts, ScopeStore scopes, Clearance clearance, Endings endings, Rejections rejections) {}
