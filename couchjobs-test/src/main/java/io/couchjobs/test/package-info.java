/** What tests of programs with jobs need: a queue of their own, a clock to set, assertions, faults. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.test;
