package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.RhinoException;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The functions of a design document, compiled into a separate scope. Thread-safe: only one call runs at a time. */
final class Script {
    private static final Logger LOG = LoggerFactory.getLogger(Script.class);
    private static final Sandbox SANDBOX = new Sandbox();
    /** Compiled once, because compiling it takes longer than a short test. Each script runs it in its own scope. */
    private static final org.mozilla.javascript.Script HARNESS =
            SANDBOX.call(context -> context.compileString(harness(), "harness.js", 1, null));

    private static final int MOST_KNOWN = 500;
    /** The sources that compiled most recently. The databases of a process tend to have the same ones. Thread-safe. */
    private static final Set<String> KNOWN =
            Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > MOST_KNOWN;
                }
            }));

    private final String name;
    private final Scriptable scope;
    private final Scriptable harness;

    Script(String name, JsonNode design, List<String> sources) {
        this.name = name;
        this.scope = SANDBOX.call(context -> {
            ScriptableObject global = context.initSafeStandardObjects();
            HARNESS.exec(context, global, global);
            return global;
        });
        this.harness = (Scriptable) scope.get("harness", scope);
        call("design", Json.text(design));
        sources.forEach(this::compile);
    }

    /** Throws a {@link ScriptFailure} unless the text is the source of a function. */
    static void check(String source) {
        if (!KNOWN.contains(source)) {
            new Script("", Json.object(), List.of()).call("add", source);
            KNOWN.add(source);
        }
    }

    private static String harness() {
        try (InputStream in = Objects.requireNonNull(Script.class.getResourceAsStream("harness.js"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(String source) {
        try {
            call("add", source);
        } catch (ScriptFailure e) {
            throw new CouchError(500, "compilation_error", e.getMessage() + " in " + name);
        }
    }

    /** {@return an array with, for each map function, the array of pairs that it emitted} */
    JsonNode map(String doc) {
        JsonNode emitted = Json.parse(call("map", doc));
        logMessages(doc);
        return emitted;
    }

    JsonNode reduce(JsonNode keys, JsonNode values, boolean rereduce) {
        return Json.parse(call("reduce", Json.text(keys), Json.text(values), rereduce));
    }

    JsonNode validate(JsonNode newDoc, JsonNode oldDoc, JsonNode user, JsonNode security) {
        return Json.parse(call("validate", Json.text(newDoc), Json.text(oldDoc), Json.text(user), Json.text(security)));
    }

    boolean filter(JsonNode doc, JsonNode request) {
        return Json.parse(call("filter", Json.text(doc), Json.text(request))).booleanValue();
    }

    private void logMessages(String doc) {
        String messages = call("messages");
        if (messages.length() > 2) {
            String about = doc.substring(0, Math.min(doc.length(), 120));
            LOG.info("{} says {} about the document {}", name, messages, about);
        }
    }

    private synchronized String call(String function, Object... args) {
        try {
            return SANDBOX.call(context -> invoke(context, function, args));
        } catch (RhinoException e) {
            throw new ScriptFailure(String.valueOf(e.getMessage()));
        } catch (Sandbox.OutOfTime | StackOverflowError e) {
            throw new ScriptFailure(String.valueOf(e));
        }
    }

    private String invoke(Context context, String function, Object... args) {
        Function called = (Function) harness.get(function, harness);
        return Context.toString(called.call(context, scope, harness, args));
    }
}
