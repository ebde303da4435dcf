package io.couchjobs.embedded.store;

import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;

/**
 * The stored maps of one database.
 *
 * @param docs all documents, including deleted ones
 * @param live the winning revisions of documents that are not deleted
 * @param changes document ids in the order of their newest change
 * @param bodies the contents of revisions, by the number in the tree's node
 * @param purged ids of purged documents, by the sequence number of the purge; indexes read them
 * @param meta settings and counters
 */
record Maps(
        MVMap<String, DocRecord> docs,
        MVMap<String, String> live,
        MVMap<Long, String> changes,
        MVMap<Long, byte[]> bodies,
        MVMap<String, byte[]> attachments,
        MVMap<String, byte[]> local,
        MVMap<Long, String> purged,
        MVMap<String, String> meta) {
    static Maps open(MVStore store, String prefix) {
        return new Maps(
                map(store, prefix + "docs", DocIdType.INSTANCE, DocRecordType.INSTANCE),
                map(store, prefix + "live", DocIdType.INSTANCE, StringDataType.INSTANCE),
                map(store, prefix + "changes", LongDataType.INSTANCE, StringDataType.INSTANCE),
                map(store, prefix + "bodies", LongDataType.INSTANCE, ByteArrayDataType.INSTANCE),
                map(store, prefix + "attachments", StringDataType.INSTANCE, ByteArrayDataType.INSTANCE),
                map(store, prefix + "local", DocIdType.INSTANCE, ByteArrayDataType.INSTANCE),
                map(store, prefix + "purged", LongDataType.INSTANCE, StringDataType.INSTANCE),
                map(store, prefix + "meta", StringDataType.INSTANCE, StringDataType.INSTANCE));
    }

    static <K, V> MVMap<K, V> map(MVStore store, String name, DataType<K> keys, DataType<V> values) {
        return store.openMap(name, new MVMap.Builder<K, V>().keyType(keys).valueType(values));
    }
}
