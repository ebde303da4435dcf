package io.couchjobs.engine.couch;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocket;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks before each new connection whether the files with certificates and keys have changed, and reads them again if so. If
 * the files cannot be used (they may be half written), the previous content stays in use. Each change creates a new TLS
 * context, because the old context could resume a session with the old certificate. Thread-safe.
 */
public final class FreshTls implements TlsSocketStrategy {

    private static final Logger LOG = LoggerFactory.getLogger(FreshTls.class);

    private final List<Path> files;
    private final Supplier<TlsSocketStrategy> reading;
    private volatile TlsSocketStrategy current;
    private List<Stamp> read;

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if the files cannot be used
     */
    FreshTls(List<Path> files, Supplier<TlsSocketStrategy> reading) {
        this.files = files;
        this.reading = reading;
        this.read = stamps(files); // before the files are read, so that a file that changes meanwhile is read again
        this.current = reading.get();
    }

    @Override
    public SSLSocket upgrade(
            Socket socket, String target, int port, @Nullable Object attachment, @Nullable HttpContext context)
            throws IOException {
        readAgainIfChanged();
        return current.upgrade(socket, target, port, attachment, context);
    }

    private synchronized void readAgainIfChanged() {
        List<Stamp> now = stamps(files);
        if (now.equals(read)) {
            return;
        }
        read = now; // even if they cannot be used, so that the warning is logged once
        try {
            current = reading.get();
            LOG.info("the certificates of {} have changed and are used from now on", files);
        } catch (IllegalArgumentException e) {
            LOG.warn("{}; those that were read before are used further, until the files change again", e.getMessage());
        }
    }

    private static List<Stamp> stamps(List<Path> files) {
        return files.stream().map(Stamp::of).toList();
    }

    /** The attributes that distinguish versions of a file. */
    private record Stamp(
            @Nullable FileTime changed, long size, @Nullable Object inode) {
        static Stamp of(Path file) {
            try {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                return new Stamp(now.lastModifiedTime(), now.size(), now.fileKey());
            } catch (IOException e) {
                return new Stamp(null, 0, null);
            }
        }
    }
}
