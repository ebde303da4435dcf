/**
 * What couchjobs relies on in a CouchDB, as tests in plain HTTP that run unchanged against any server.
 *
 * <p>Each {@code ...Contract} class is one subject; {@link io.couchjobs.conformance.ConfiguredServerTest} runs them all
 * against the embedded server or the one named by {@code COUCHJOBS_TEST_URL}, and {@link
 * io.couchjobs.conformance.CouchContainerTest} against CouchDB in a container. What the real CouchDB answers is what is
 * expected; where another server differs, {@link io.couchjobs.conformance.Deviations} says so by name.
 */
package io.couchjobs.conformance;
