/** JUnit support: a new database for every test. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.junit;
