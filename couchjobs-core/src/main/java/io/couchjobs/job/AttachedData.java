package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.JsonLength;
import io.couchjobs.engine.document.Rev;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handles large data of a job, which is attached to the job's document as {@value #NAME}. CouchDB writes an attachment only once,
 * but rewrites the document at each transition and reads it with each window and change. Stateless.
 *
 * <p>Such a document has a {@code dataDigest}, a hash of the JSON text, instead of {@code data}. The hash allows two revisions to
 * be compared without their attachments, and reveals a lost or wrong attachment. CouchDB's own digest is unsuitable, because it is
 * computed from the compressed text if the server compresses attachments. If a document has {@code data}, the attachment is
 * ignored.
 */
public final class AttachedData {
    /** The name of the attachment; jobs must not use this name for other attachments. */
    public static final String NAME = "data.json";
    /** The default size, in bytes of JSON, up to which data is stored in the document. */
    public static final int DEFAULT_LIMIT = 32 * 1024;

    /** Not JSON: CouchDB compresses attachments that are declared as JSON, which doubles the time of a job. */
    private static final String CONTENT_TYPE = "application/octet-stream";

    private static final String STUB = "stub";
    private static final String LENGTH = "length";

    private AttachedData() {}

    /**
     * Attaches the data of a job before a write, if the data is large and was changed.
     *
     * @param next the job to be written
     * @param before the stored job; empty for a new job
     * @param limit the size, in bytes of JSON, up to which data stays in the document
     * @return the job to be written; the same object when there is nothing to attach
     */
    public static Job attach(Job next, Optional<Job> before, int limit) {
        ObjectNode data = next.inlineData();
        if (data == null
                || JsonLength.mostBytes(data) <= limit
                || before.filter(next::hasSameDataAs).isPresent()) {
            return next;
        }
        byte[] json = JobData.bytes(data);
        if (json.length <= limit) {
            return next;
        }
        String digest = sha256(json);
        ObjectNode document = next.toDocument();
        document.remove(Field.DATA);
        document.put(Field.DATA_DIGEST, digest);
        document.withObject("/" + Field.ATTACHMENTS)
                .set(NAME, before.flatMap(stored -> stub(stored, digest)).orElseGet(() -> whole(json)));
        return Job.trusted(next.id(), document).withAttached(data);
    }

    /** Returns the stub of the attachment if the same data is attached already, so that it is not sent again. */
    private static Optional<JsonNode> stub(Job stored, String digest) {
        JsonNode document = stored.document();
        JsonNode stub = document.path(Field.ATTACHMENTS).path(NAME);
        boolean isSame = document.path(Field.DATA_DIGEST).asText().equals(digest);
        return isSame && stub.isObject() ? Optional.of(stub) : Optional.empty();
    }

    private static JsonNode whole(byte[] json) {
        return JobData.object()
                .put("content_type", CONTENT_TYPE)
                .put("data", Base64.getEncoder().encodeToString(json));
    }

    /**
     * Stores data in a document and removes the former data, including attached data.
     *
     * @param document the document, which is changed
     * @param data the data
     */
    public static void putInline(ObjectNode document, ObjectNode data) {
        document.set(Field.DATA, data);
        document.remove(Field.DATA_DIGEST);
        if (document.get(Field.ATTACHMENTS) instanceof ObjectNode attachments && attachments.remove(NAME) != null) {
            removeIfEmpty(document, attachments);
        }
    }

    private static void removeIfEmpty(ObjectNode document, ObjectNode attachments) {
        if (attachments.isEmpty()) {
            document.remove(Field.ATTACHMENTS);
        }
    }

    static boolean isIn(ObjectNode document) {
        return document.hasNonNull(Field.DATA_DIGEST)
                && !document.path(Field.DATA).isObject();
    }

    /**
     * Replaces an attachment that was sent in full by its stub. Copies the attachments first, because they may be shared. The stub
     * has everything a server may need: PouchDB finds an attachment by its digest, CouchDB by name and revision.
     */
    static void stored(ObjectNode document, String rev) {
        if (!isIn(document)
                || !(document.path(Field.ATTACHMENTS).get(NAME) instanceof ObjectNode attachment)
                || attachment.path(STUB).asBoolean()) {
            return;
        }
        byte[] json = Base64.getDecoder().decode(attachment.path("data").asText());
        ObjectNode attachments = document.path(Field.ATTACHMENTS).deepCopy();
        document.set(Field.ATTACHMENTS, attachments);
        ObjectNode stub = attachments.withObject("/" + NAME);
        stub.remove("data");
        stub.put("revpos", Rev.generation(rev))
                .put("digest", "md5-" + hash("MD5", json))
                .put(LENGTH, json.length)
                .put(STUB, true);
    }

    /**
     * Removes the differences between two writes of the same data. The digest identifies the attachment. Copies the attachments
     * first, because they may be shared.
     */
    static ObjectNode comparable(ObjectNode document) {
        if (isIn(document)
                && document.get(Field.ATTACHMENTS) instanceof ObjectNode attachments
                && attachments.has(NAME)) {
            document.set(Field.ATTACHMENTS, attachments.deepCopy().put(NAME, true));
        }
        return document;
    }

    /**
     * Returns the total size of a job's attachments.
     *
     * @param job the job
     * @return the number of bytes of all attachments, according to the document
     */
    public static long attachedBytes(Job job) {
        long bytes = 0;
        for (JsonNode attachment : job.document().path(Field.ATTACHMENTS)) {
            bytes += attachment.path(LENGTH).asLong();
        }
        return bytes;
    }

    /**
     * Returns the job with its attached data.
     *
     * @param job a job with attached data
     * @param attachment the bytes of the attachment; null when there is none
     * @return the job with its data, or with the reason why the data cannot be read
     */
    public static Job read(Job job, byte @Nullable [] attachment) {
        if (attachment == null) {
            return job.withUnreadable("attachment " + NAME + " of its document is missing, or was replaced since");
        }
        if (!isOf(job, attachment)) {
            return job.withUnreadable("attachment " + NAME + " (" + attachment.length
                    + " bytes) is not what the document's dataDigest tells of");
        }
        try {
            return job.withAttached(JobData.parse(attachment));
        } catch (IOException | InvalidJobDataException notData) {
            return job.withUnreadable("attachment " + NAME + " is no JSON object: " + notData.getMessage());
        }
    }

    /**
     * Returns whether the bytes are the attachment of a job.
     *
     * @param job a job with attached data
     * @param attachment the bytes
     * @return whether the bytes match the digest in the job's document
     */
    public static boolean isOf(Job job, byte[] attachment) {
        return sha256(attachment).equals(job.document().path(Field.DATA_DIGEST).asText());
    }

    private static String sha256(byte[] json) {
        return "sha-256=" + hash("SHA-256", json);
    }

    private static String hash(String algorithm, byte[] bytes) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has it", e);
        }
    }
}
