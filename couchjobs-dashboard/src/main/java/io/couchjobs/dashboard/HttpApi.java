package io.couchjobs.dashboard;

import io.couchjobs.JobQueue;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The HTTP API for programs, which {@code openapi.yaml} describes. Thread-safe. */
final class HttpApi {
    /** The path above all resources. A change that breaks clients needs a new path. */
    static final String BASE = "/api/v1/";

    private static final String DOCUMENT = "openapi.yaml";

    private static final Set<String> LIST =
            Stream.concat(Filters.NAMES.stream(), Stream.of("limit", "after")).collect(Collectors.toUnmodifiableSet());

    private final List<Endpoint> endpoints = new ArrayList<>();

    /** Answers a request; the arguments are the parts of its path in place of {@code {...}}. */
    @FunctionalInterface
    private interface Resource {
        void serve(Call call, List<String> arguments) throws IOException;
    }

    /** One method of one path; the parameters are those of its query string. */
    private record Endpoint(String method, List<String> path, Set<String> parameters, Resource resource) {
        boolean matches(List<String> segments) {
            boolean matches = segments.size() == path.size();
            for (int i = 0; matches && i < path.size(); i++) {
                matches = isArgument(path.get(i)) || path.get(i).equals(segments.get(i));
            }
            return matches;
        }

        List<String> arguments(List<String> segments) {
            List<String> arguments = new ArrayList<>();
            for (int i = 0; i < path.size(); i++) {
                if (isArgument(path.get(i))) {
                    arguments.add(segments.get(i));
                }
            }
            return arguments;
        }

        private static boolean isArgument(String segment) {
            return segment.startsWith("{");
        }
    }

    HttpApi(JobQueue queue, Jobs jobs, Problems problems) {
        JobResource job = new JobResource(queue, jobs);
        QueueResource whole = new QueueResource(queue, problems);
        add("GET", DOCUMENT, Set.of(), HttpApi::document);
        add("GET", "health", Set.of(), whole::health);
        add("GET", "counts", Set.of("by", "limit"), whole::counts);
        add("GET", "jobs", LIST, job::list);
        add("POST", "jobs", Set.of("replace"), job::add);
        add("GET", "jobs/{type}/{id}", Set.of(), job::get);
        add("POST", "jobs/{type}/{id}/cancel", Set.of(), job::cancel);
        add("POST", "jobs/{type}/{id}/retry", Set.of(), job::retry);
        add("GET", "types/{type}", Set.of(), whole::type);
        add("POST", "types/{type}/pause", Set.of(), (call, name) -> whole.pause(call, name, true));
        add("POST", "types/{type}/resume", Set.of(), (call, name) -> whole.pause(call, name, false));
    }

    private void add(String method, String path, Set<String> parameters, Resource resource) {
        endpoints.add(new Endpoint(method, List.of(path.split("/")), parameters, resource));
    }

    void serve(Call call) throws IOException {
        List<String> segments = call.segmentsAfter(BASE);
        Map<String, Endpoint> methods = new TreeMap<>();
        endpoints.stream()
                .filter(endpoint -> endpoint.matches(segments))
                .forEach(endpoint -> methods.put(endpoint.method(), endpoint));
        if (methods.isEmpty()) {
            throw Refusal.notFound("such resource: " + call.path());
        }
        Endpoint endpoint = methods.get(call.isRead() ? "GET" : "POST");
        if (endpoint == null) {
            String allowed = String.join(", ", methods.keySet());
            call.setHeader("Allow", allowed);
            throw new Refusal(405, call.path() + " knows " + allowed + " only");
        }
        Set<String> unknown = new TreeSet<>(call.params());
        unknown.removeAll(endpoint.parameters());
        if (!unknown.isEmpty()) {
            throw new Refusal(400, "unknown parameter: " + String.join(", ", unknown));
        }
        Set<String> empty = new TreeSet<>(call.params());
        empty.removeIf(name -> call.param(name).isPresent());
        if (!empty.isEmpty()) {
            throw new Refusal(400, "empty parameter: " + String.join(", ", empty));
        }
        endpoint.resource().serve(call, endpoint.arguments(segments));
    }

    private static void document(Call call, List<String> none) throws IOException {
        try (InputStream in = HttpApi.class.getResourceAsStream(DOCUMENT)) {
            call.answer(200, "application/yaml", in.readAllBytes());
        }
    }

    /**
     * {@return the endpoints, such as {@code GET /api/v1/counts [by, limit]}, for the test that compares them with the document}
     */
    Set<String> served() {
        Set<String> served = new TreeSet<>();
        endpoints.forEach(endpoint -> served.add(endpoint.method() + " " + BASE + String.join("/", endpoint.path())
                + " " + new TreeSet<>(endpoint.parameters())));
        return served;
    }
}
