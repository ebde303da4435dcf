/** Reads and writes jobs for programs, in the HTTP API and on the command line. Not exported. */
package io.couchjobs.dashboard.view;
