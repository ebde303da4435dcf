package io.couchjobs.embedded.store;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.DataType;

/** Where a database's indexes are kept: beside its documents and committed with them, so both survive a crash or none. */
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

    /** Changes several maps as one; a crash may lose it, which only means that the index is built again from there. */
    public <T> T change(Supplier<T> change) {
        return commits.apply(change);
    }

    /** Removes the maps whose name does not satisfy a condition. */
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
