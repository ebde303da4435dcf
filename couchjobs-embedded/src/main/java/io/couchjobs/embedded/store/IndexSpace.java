package io.couchjobs.embedded.store;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.DataType;

/** The storage of a database's indexes. They are committed together with the documents, so a crash does not separate them. */
public final class IndexSpace {
    private final MVStore store;
    private final Commits commits;
    private final String prefix;

    IndexSpace(MVStore store, Commits commits, String prefix) {
        this.store = store;
        this.commits = commits;
        this.prefix = prefix;
    }

    public <K, V> MVMap<K, V> map(String name, DataType<K> keys, DataType<V> values) {
        return Maps.map(store, prefix + name, keys, values);
    }

    /** Changes several maps atomically. A crash may lose the change; the index is then rebuilt from the last committed state. */
    public <T> T change(Supplier<T> change) {
        return commits.apply(change);
    }

    /** Removes the maps whose names do not satisfy a condition. */
    public void retain(Predicate<String> wanted) {
        Set<String> names = store.getMapNames();
        List<String> unwanted = names.stream()
                .filter(name -> name.startsWith(prefix) && !wanted.test(name.substring(prefix.length())))
                .toList();
        commits.apply(() -> {
            unwanted.forEach(store::removeMap);
            return unwanted;
        });
    }
}
