package io.couchjobs.scope;

import io.couchjobs.store.Acceptor;

/** What the parts of scopes work with. Immutable. */
record Tools(Acceptor.Parts parts, ScopeStore scopes, Clearance clearance, Endings endings, Rejections rejections) {}
