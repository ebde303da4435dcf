/** Test support for applications that use couchjobs: a queue for each test, a settable clock, assertions and faults. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.test;
