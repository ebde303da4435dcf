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
 * Large data of a job, attached to its document as {@value #NAME}: CouchDB keeps an attachment where it was written
 * first, while the document is rewritten at each transition and read with each window and change. Stateless.
 *
 * <p>Such a document has no {@code data}, but {@code dataDigest}, a hash of the JSON text. The hash allows comparing
 * two revisions without their attachments, and reveals a lost or wrong attachment. (CouchDB's own digest will not do:
 * it is that of the compressed text, where the server is set to compress it.) A document that has {@code data} uses it
 * and ignores the attachment.
 */
public final class AttachedData {
    /** The name of the attachment; jobs must not have others of that name. */
    public static final String NAME = "data.json";
    /** Data of up to so many bytes of JSON is kept in the document by default. */
    public static final int DEFAULT_LIMIT = 32 * 1024;

    /** CouchDB compresses attachments declared as JSON, with so much effort that the job takes twice its time. */
    private static final String CONTENT_TYPE = "application/octet-stream";

    private static final String STUB = "stub";
    private static final String LENGTH = "length";

    private AttachedData() {}

    /**
     * Attaches the data of a job that is to be written, if it is large and was changed.
     *
     * @param next the job as it is to be written
     * @param before the job as it is stored; empty for one that is new
     * @param limit how many bytes of JSON are kept in the document
     * @return the job to be written; the same one when there is nothing to attach
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

    /** The stub of the same data, if it is attached already: then it is not sent again. */
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
     * Puts data into a document, in place of the former data, also attached data.
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
     * Replaces an attachment that was sent whole by its stub. The attachments may be shared, so they are copied first. The
     * stub has all that a server may need: PouchDB finds an attachment by its digest, CouchDB by name and revision.
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
     * Removes what differs between two writes of the same data: the digest identifies the attachment. The attachments may be
     * shared, and are copied first.
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
     * The total size of a job's attachments.
     *
     * @param job the job
     * @return the number of bytes of all its attachments, as its document says
     */
    public static long attachedBytes(Job job) {
        long bytes = 0;
        for (JsonNode attachment : job.document().path(Field.ATTACHMENTS)) {
            bytes += attachment.path(LENGTH).asLong();
        }
        return bytes;
    }

    /**
     * The job with its attached data.
     *
     * @param job the job, whose data is attached
     * @param attachment the attachment's bytes; null when there is none
     * @return the job, which has the data, or the reason why it cannot be read
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
     * Whether the bytes are the attachment of a job.
     *
     * @param job the job, whose data is attached
     * @param attachment the bytes
     * @return true when they match the job's document
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
