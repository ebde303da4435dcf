/** Tools for tests of programs with jobs: a queue for each test, a clock to set, assertions, faults. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.test;
