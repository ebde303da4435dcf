package io.couchjobs.trigger;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A text with placeholders that are replaced by values of a change: {@code {db}}, <code>{_id}</code>, <code>{_rev}</code>,
 * <code>{seq}</code>, <code>{deleted}</code>, <code>{doc}</code>, and <code>{/address/city}</code>, a JSON Pointer into the
 * document. A question mark makes a placeholder optional: <code>{/nickname?}</code>. A doubled brace stands for a literal brace.
 * Immutable and thread-safe.
 */
final class Template {
    private static final List<String> NAMES = List.of("db", "_id", "_rev", "seq", "deleted", "doc");

    private final List<Part> parts;

    private Template(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    /** A piece of a template: literal text or a placeholder. */
    private record Part(String text, Optional<JsonPointer> pointer, boolean isPlace, boolean isOptional) {
        static Part text(String text) {
            return new Part(text, Optional.empty(), false, false);
        }
    }

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException when the template is malformed
     */
    static Template parse(String text) {
        List<Part> parts = new ArrayList<>();
        StringBuilder plain = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            boolean isDouble = at + 1 < text.length() && text.charAt(at + 1) == c;
            if (c == '{' && !isDouble) {
                int end = text.indexOf('}', at);
                if (end < 0) {
                    throw new IllegalArgumentException("template \"" + text + "\" has a { without a }");
                }
                parts.add(Part.text(plain.toString()));
                plain.setLength(0);
                parts.add(place(text, text.substring(at + 1, end)));
                at = end;
            } else if (c == '}' && !isDouble) {
                throw new IllegalArgumentException("template \"" + text + "\" has a } without a {");
            } else {
                plain.append(c);
                at += c == '{' || c == '}' ? 1 : 0;
            }
        }
        parts.add(Part.text(plain.toString()));
        return new Template(parts.stream()
                .filter(part -> part.isPlace || !part.text.isEmpty())
                .toList());
    }

    private static Part place(String template, String inside) {
        boolean isOptional = inside.endsWith("?");
        String name = isOptional ? inside.substring(0, inside.length() - 1) : inside;
        if (name.startsWith("/")) {
            return new Part(name, Optional.of(JsonPointer.compile(name)), true, isOptional);
        } else if (NAMES.contains(name)) {
            return new Part(name, Optional.empty(), true, isOptional);
        }
        throw new IllegalArgumentException("template \"" + template + "\": {" + inside + "} is none of {"
                + String.join("}, {", NAMES) + "} and no JSON Pointer, which begins with a slash");
    }

    /** Returns whether the template has a placeholder of that name. */
    boolean names(String place) {
        return parts.stream().anyMatch(part -> part.isPlace && part.text.equals(place));
    }

    /** Returns whether a placeholder needs the document. */
    boolean needsDocument() {
        return names("doc") || parts.stream().anyMatch(part -> part.pointer.isPresent());
    }

    /** Returns whether a placeholder is the position of the change. */
    boolean needsPosition() {
        return names("seq");
    }

    /**
     * Returns the text with all placeholders replaced. An optional placeholder without a value becomes nothing. Throws
     * IllegalArgumentException when a required value is missing or null, or when a value is an object or array.
     */
    String text(SourceChange change) {
        StringBuilder filled = new StringBuilder();
        for (Part part : parts) {
            filled.append(part.isPlace ? word(part, change) : part.text);
        }
        return filled.toString();
    }

    /** Returns the text as a JSON value; a template that is a single placeholder becomes the JSON value itself. */
    JsonNode value(SourceChange change) {
        return parts.size() == 1 && parts.get(0).isPlace ? found(parts.get(0), change) : TextNode.valueOf(text(change));
    }

    private static String word(Part part, SourceChange change) {
        JsonNode value = found(part, change);
        if (value.isContainerNode()) {
            throw new IllegalArgumentException("{" + part.text + "} of document " + change.id()
                    + " is an object or array, which cannot be a part of a text");
        }
        return value.isNull() ? "" : value.asText();
    }

    private static JsonNode found(Part part, SourceChange change) {
        JsonNode value = part.pointer
                .<JsonNode>map(pointer ->
                        change.read().map(document -> document.at(pointer)).orElse(MissingNode.getInstance()))
                .orElseGet(() -> named(part.text, change));
        if (!value.isMissingNode() && !(value.isNull() && !part.isOptional)) {
            return value;
        } else if (part.isOptional) {
            return JsonNodeFactory.instance.nullNode();
        }
        throw new IllegalArgumentException("document " + change.id() + (change.deleted() ? " is deleted and" : "")
                + " has no " + part.text + ", which the template needs; {" + part.text + "?} would leave it out");
    }

    private static JsonNode named(String name, SourceChange change) {
        return switch (name) {
            case "db" -> TextNode.valueOf(change.database());
            case "_id" -> TextNode.valueOf(change.id());
            case "_rev" -> TextNode.valueOf(change.rev());
            case "seq" -> TextNode.valueOf(change.seq());
            case "deleted" -> BooleanNode.valueOf(change.deleted());
            default -> change.read().<JsonNode>map(ObjectNode::deepCopy).orElse(MissingNode.getInstance());
        };
    }
}
