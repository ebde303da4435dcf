package io.couchjobs.engine.feed;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a feed: the permanent ones, which are told first, and those that listen for a while. Thread-safe. */
final class Audience {
    private static final Logger log = LoggerFactory.getLogger(Audience.class);

    private final List<FeedListener> always;
    private final List<FeedListener> listeners = new CopyOnWriteArrayList<>();

    Audience(List<FeedListener> always) {
        this.always = List.copyOf(always);
    }

    void add(FeedListener listener) {
        listeners.add(listener);
    }

    void remove(FeedListener listener) {
        listeners.remove(listener);
    }

    /** {@return whether there are listeners besides the permanent ones} */
    boolean listens() {
        return !listeners.isEmpty();
    }

    /** Tells only the permanent listeners. A listener that fails does not keep the others from hearing. */
    void tellAlways(Consumer<FeedListener> news) {
        always.forEach(listener -> tell(listener, news));
    }

    void tell(Consumer<FeedListener> news) {
        tellAlways(news);
        listeners.forEach(listener -> tell(listener, news));
    }

    /**
     * Returns whether the document must be read. Documents other than jobs, logs and the history are rare, and any
     * listener may need them.
     */
    boolean needs(FeedNotice notice) {
        return !notice.isReadOnDemand()
                || Stream.concat(always.stream(), listeners.stream()).anyMatch(listener -> needs(listener, notice));
    }

    /** {@return whether a listener must hear of each change} */
    boolean needsEach() {
        return Stream.concat(always.stream(), listeners.stream()).anyMatch(FeedListener::needsEach);
    }

    /** {@return how late the least patient listener may hear of a change} */
    Duration patience() {
        return Stream.concat(always.stream(), listeners.stream())
                .map(FeedListener::patience)
                .min(Comparator.naturalOrder())
                .orElse(FeedListener.SOON);
    }

    private static boolean needs(FeedListener listener, FeedNotice notice) {
        try {
            return listener.needsDocument(notice);
        } catch (Throwable e) {
            log.error("a listener of the feed does not say what it needs; it gets the document", e);
            return true;
        }
    }

    static void tell(FeedListener listener, Consumer<FeedListener> news) {
        try {
            news.accept(listener);
        } catch (Throwable e) {
            log.error("a listener of the feed failed; it will hear of later changes", e);
        }
    }
}
