package io.couchjobs.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Documents with the id of a job that are at the border of what can be one. */
public final class CornerDocuments {
    private CornerDocuments() {}

    public static List<ObjectNode> all() {
        try {
            return make();
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<ObjectNode> make() throws JsonProcessingException {
        ObjectMapper mapper = new ObjectMapper();
        List<String> ids = new ArrayList<>();
        List<ObjectNode> docs = new ArrayList<>();
        for (String part : new String[] {
            "\u00a0",
            "\u2007",
            "\u202f",
            "\ufeff",
            "\u180e",
            "\u1680",
            "\u2028",
            "\u3000",
            "\u0085",
            " ",
            "a\u2028b",
            "\u200b",
            "\ud83d\ude00".repeat(64),
            "x".repeat(128),
            "x".repeat(129),
            "\ud83d\ude00".repeat(65),
            "__proto__"
        }) {
            ids.add("job:" + part + ":1");
            ids.add("job:t:" + part);
        }
        ids.addAll(List.of("job:", "job::", "job:t:", "job::x", "job:t", "job:t::", "job:t:" + "x".repeat(513)));
        for (String id : ids) {
            docs.add(mapper.createObjectNode().put("_id", id));
        }
        String[] values = {
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1",
            "1.0",
            "1.5",
            "-1",
            "99",
            "100",
            "2147483647",
            "2147483648",
            "8640000000000000",
            "8640000000000001",
            "-8640000000000000",
            "1e3",
            "1e300",
            "1.00000000000000000001",
            "123456789012345678901234567890",
            "5e-324",
            "\"\"",
            "\"x\"",
            "\"waiting\"",
            "\"running\"",
            "\"running\\n\"",
            "\"Waiting\"",
            "[]",
            "{}",
            "[1]",
            "[\"a\"]",
            "[\"waiting\"]",
            "[null]",
            "[[]]",
            "[{}]",
            "{\"token\":\"t\"}",
            "{\"token\":5}",
            "{\"token\":null}",
            "{\"token\":\"t\",\"withdrawn\":null}",
            "{\"token\":\"t\",\"withdrawn\":true}",
            "{\"token\":\"t\",\"withdrawn\":[]}",
            "{\"token\":\"t\",\"withdrawn\":{}}",
            "{\"token\":\"t\",\"withdrawn\":{\"at\":null}}",
            "{\"token\":\"t\",\"withdrawn\":{\"at\":1000000000000000000}}",
            "{\"token\":\"t\",\"withdrawn\":{\"at\":\"x\"}}",
            "{\"toString\":1,\"valueOf\":1}",
            "{\"scheduledTime\":null}",
            "{\"scheduledTime\":1.5}",
            "{\"scheduledTime\":\"1\"}",
            "{\"created\":null}",
            "{\"created\":5}",
            "{\"__proto__\":\"x\"}",
            "{\"__proto__\":null}",
            "{\"token\":\"t\",\"__proto__\":[]}",
            "{\"length\":1}",
            "{\"created\":true}",
            "{\"jobs\":[]}",
            "{\"jobs\":[\"job:a:b\"]}",
            "{\"jobs\":[\"job:a:b\",\"job:a:c:d\"],\"onFailure\":\"run\"}",
            "{\"jobs\":[\"job:a:b\"],\"onFailure\":\"never\"}",
            "{\"jobs\":[\"job:a:b\"],\"onFailure\":null}",
            "{\"jobs\":[\"job:a:b\"],\"onFailure\":7}",
            "{\"jobs\":[\"job:a\"]}",
            "{\"jobs\":[\"a\", 5]}",
            "{\"jobs\":{\"0\":\"job:a:b\",\"length\":1}}"
        };
        String[] fields = {
            "status",
            "scheduledTime",
            "data",
            "lock",
            "fence",
            "errors",
            "resubmit",
            "cancelRequested",
            "group",
            "priority",
            "tags",
            "progress",
            "after",
            "times",
            "__proto__",
            "result",
            "class"
        };
        int n = 0;
        for (String field : fields) {
            for (String value : values) {
                ObjectNode doc = mapper.createObjectNode().put("_id", "job:f:" + n++);
                doc.set(field, mapper.readTree(value));
                docs.add(doc);
            }
        }
        for (String field : new String[] {"data", "result", "mine", "times", "lock", "errors", "__proto__", "tags"}) {
            for (int levels : new int[] {499, 500, 501, 700}) {
                for (String deep : new String[] {
                    Deep.json(levels - 1),
                    "{\"x\":".repeat(levels - 1) + "7" + "}".repeat(levels - 1),
                    "{\"a\":[],\"b\":[1,{\"c\":" + Deep.json(levels - 4) + "}]}"
                }) {
                    ObjectNode doc = mapper.createObjectNode().put("_id", "job:d:" + n++);
                    doc.set(field, mapper.readTree(deep));
                    docs.add(doc);
                }
            }
        }
        for (String status : new String[] {"null", "\"running\"", "\"waiting\"", "\"success\""}) {
            for (String lock : new String[] {
                "null",
                "{\"token\":\"t\"}",
                "{\"token\":\"\"}",
                "{\"token\":\"t\",\"withdrawn\":null}",
                "{\"token\":\"t\",\"withdrawn\":5}",
                "{\"token\":\"t\",\"withdrawn\":{\"at\":1,\"reason\":\"no quorum\"}}",
                "{\"token\":\"t\",\"withdrawn\":{\"at\":8640000000000001}}"
            }) {
                ObjectNode doc = mapper.createObjectNode().put("_id", "job:l:" + n++);
                doc.set("status", mapper.readTree(status));
                doc.set("lock", mapper.readTree(lock));
                docs.add(doc);
            }
        }
        return docs;
    }
}
