/** Jobs as programs see and write them, in the HTTP API and on the command line. Not exported. */
package io.couchjobs.dashboard.view;
