package io.couchjobs.couch;

/** The names of documents in URLs. */
final class DocumentPath {

    private static final String DESIGN = "_design/";

    private DocumentPath() {}

    static String designName(String designDoc) {
        String name = designDoc.startsWith(DESIGN) ? designDoc.substring(DESIGN.length()) : designDoc;
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a design document needs a name");
        }
        return name;
    }
}
