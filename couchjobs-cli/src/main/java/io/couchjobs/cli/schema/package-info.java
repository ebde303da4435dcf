/** Finds what is wrong with a document, by the JSON Schemas of the document protocol. */
package io.couchjobs.cli.schema;
