/** The form of documents: the names of their fields, the kinds of their ids, revisions, the size and depth of JSON, and the checked reading of fields. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.document;
