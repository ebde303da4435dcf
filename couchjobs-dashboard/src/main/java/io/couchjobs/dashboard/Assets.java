package io.couchjobs.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Serves the files of the pages from the jar. All pages are the same file; a script shows the page that the URL names.
 * Thread-safe.
 */
final class Assets {
    private static final Pattern FILE = Pattern.compile("/assets/(([a-z]+/)?[a-z.-]+\\.(js|css|svg))");
    private static final Pattern PAGE =
            Pattern.compile("/(|jobs|job|array|failures|history|types|recurring|triggers|trigger|workers|problems)");
    private static final Map<String, String> KINDS = Map.of(
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");

    private final String basePath;

    Assets(String basePath) {
        this.basePath = basePath;
    }

    void serve(Call call) throws IOException {
        var file = FILE.matcher(call.path());
        if (PAGE.matcher(call.path()).matches()) {
            call.answer(200, "text/html; charset=utf-8", page());
        } else if (file.matches()) {
            byte[] content = read(file.group(1)).orElseThrow(() -> Refusal.notFound("such file"));
            call.answer(200, KINDS.getOrDefault(file.group(3), "text/plain"), content);
        } else if (call.header("Accept")
                .filter(types -> types.contains("text/html"))
                .isPresent()) {
            call.answer(404, "text/html; charset=utf-8", page());
        } else {
            throw Refusal.notFound("such page");
        }
    }

    private byte[] page() throws IOException {
        String html =
                new String(read("index.html").orElseThrow(() -> Refusal.notFound("such page")), StandardCharsets.UTF_8);
        return html.replace("{{base}}", basePath + "/").getBytes(StandardCharsets.UTF_8);
    }

    private static Optional<byte[]> read(String name) throws IOException {
        try (InputStream in = Assets.class.getResourceAsStream("web/" + name)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        }
    }
}
