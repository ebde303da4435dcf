package io.couchjobs.dashboard;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes pictures of all pages of a running dashboard, light, dark and as on a phone, and one for the README: what {@code ./dev
 * screenshots} runs.
 */
final class Screenshots {
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 800;
    private static final int PHONE_WIDTH = 390;
    private static final int PHONE_HEIGHT = 844;
    /** The README's picture ends below the table of types. */
    private static final int FIRST_HEIGHT = 690;

    private static final Duration PATIENCE = Duration.ofSeconds(2 * Traffic.SECONDS);

    private final Chrome chrome;
    private final URI dashboard;

    private Screenshots(Chrome chrome, URI dashboard) {
        this.chrome = chrome;
        this.dashboard = dashboard;
    }

    /**
     * Takes them.
     *
     * @param arguments the dashboard's URL, the folder of the pictures, the file of the README's picture
     * @throws Exception when one could not be taken
     */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        try (Chrome chrome = Chrome.start(WIDTH, HEIGHT)) {
            Screenshots screenshots = new Screenshots(chrome, URI.create(arguments[0]));
            screenshots.awaitFullCharts();
            chrome.prefer("light");
            chrome.screenshot(Path.of(arguments[2]), WIDTH, FIRST_HEIGHT);
            Map<String, URI> pages = screenshots.pages();
            screenshots.takeAll(pages, "light", folder);
            chrome.prefer("dark");
            screenshots.takeAll(pages, "dark", folder);
            chrome.prefer("light");
            chrome.resize(PHONE_WIDTH, PHONE_HEIGHT);
            screenshots.takeAll(pages, "phone", folder);
        }
    }

    /** The history begins when the first page listens. */
    private void awaitFullCharts() throws IOException, InterruptedException {
        go(dashboard);
        Chrome.until(
                "the charts are full",
                PATIENCE,
                () -> chrome.run("return fetch('api/overview').then(r => r.json()).then(o => o.history.length)")
                                .asInt()
                        >= Traffic.SECONDS);
    }

    private Map<String, URI> pages() throws IOException, InterruptedException {
        Map<String, URI> pages = new LinkedHashMap<>();
        pages.put("overview", dashboard);
        for (String page : new String[] {
            "jobs", "failures", "history", "types", "recurring", "triggers", "workers", "problems", "nowhere"
        }) {
            pages.put(page, dashboard.resolve(page));
        }
        pages.put("trigger", dashboard.resolve("trigger?name=parcel-mail"));
        pages.put("job-failed", first("failed"));
        pages.put("job-running", first("running"));
        pages.put("job-waiting", linked("jobs?type=invoice", ".joblink"));
        pages.put("array", dashboard.resolve("array?type=email&id=newsletter"));
        return pages;
    }

    private URI first(String status) throws IOException, InterruptedException {
        return linked("jobs?status=" + status, ".joblink");
    }

    private URI linked(String page, String link) throws IOException, InterruptedException {
        go(dashboard.resolve(page));
        chrome.await("document.querySelector('" + link + "')");
        return dashboard.resolve(chrome.run("return document.querySelector('" + link + "').getAttribute('href')")
                .asText());
    }

    private void takeAll(Map<String, URI> pages, String suffix, Path folder) throws IOException, InterruptedException {
        for (Map.Entry<String, URI> page : pages.entrySet()) {
            go(page.getValue());
            chrome.screenshot(folder.resolve(page.getKey() + "-" + suffix + ".png"));
        }
    }

    private void go(URI page) throws IOException, InterruptedException {
        chrome.go(page);
        chrome.awaitLive();
    }
}
