/** The form of documents: the names of their fields, the kinds of their ids, revisions, and the size and depth of JSON. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.document;
