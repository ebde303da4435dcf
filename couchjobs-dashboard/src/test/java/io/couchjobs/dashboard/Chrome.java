package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A headless Chromium, driven as the W3C's WebDriver says, through the chromedriver that is on the PATH. Written out because the
 * client libraries are some thirty jars, which every build would load though few have a browser.
 */
final class Chrome implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
    private static final String NOTE_TOASTS =
            "window.toasted = []; const noted = new WeakSet(); new MutationObserver(() => document.querySelectorAll('.toast')"
                    + ".forEach(toast => noted.has(toast) || (noted.add(toast), toasted.push(toast.innerText))))"
                    + ".observe(document, {childList: true, subtree: true})";
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** What a person without a mouse uses. */
    enum Key {
        TAB("Tab", 9, ""),
        ENTER("Enter", 13, "\r"),
        ESCAPE("Escape", 27, "");

        private final String word;
        private final int code;
        private final String text;

        Key(String word, int code, String text) {
            this.word = word;
            this.code = code;
            this.text = text;
        }

        private Map<String, Object> event(String type) {
            return Map.of("type", type, "key", word, "code", word, "windowsVirtualKeyCode", code, "text", text);
        }
    }

    private String session = "";

    private Chrome() {}

    /** {@return where the driver is, if this machine has one} */
    static Optional<Path> driver() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "chromedriver"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Chrome start(int width, int height) throws IOException, InterruptedException {
        Chrome chrome = new Chrome();
        try {
            chrome.open(width, height);
            return chrome;
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            chrome.close();
            throw e;
        }
    }

    /** One driver for all browsers: two that start at the same time may choose the same port, and then one of them ends. */
    private static final class Driver {
        private static final String URL = "http://127.0.0.1:" + startedOnPort();

        private static int startedOnPort() {
            List<String> said = new ArrayList<>();
            try {
                Process driver = new ProcessBuilder(driver().orElseThrow().toString(), "--port=0")
                        .redirectErrorStream(true)
                        .start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> end(driver)));
                BufferedReader output = driver.inputReader();
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    said.add(line);
                    Matcher started = STARTED.matcher(line);
                    if (started.find()) {
                        letGo(output);
                        return Integer.parseInt(started.group(1));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            throw new IllegalStateException("chromedriver ended: " + String.join("; ", said));
        }

        /** A driver whose output nobody reads stops at some time. */
        private static void letGo(BufferedReader output) {
            Thread reader = new Thread(() -> output.lines().forEach(line -> {}), "chromedriver");
            reader.setDaemon(true);
            reader.start();
        }

        private static void end(Process driver) {
            driver.descendants().forEach(ProcessHandle::destroy);
            driver.destroy();
        }
    }

    private void open(int width, int height) throws IOException, InterruptedException {
        ObjectNode wanted = JSON.createObjectNode();
        ObjectNode match = wanted.putObject("capabilities").putObject("alwaysMatch");
        match.putObject("goog:loggingPrefs").put("browser", "ALL");
        ArrayNode arguments = match.putObject("goog:chromeOptions").putArray("args");
        for (String argument : new String[] {
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"
        }) {
            arguments.add(argument);
        }
        session =
                "/session/" + ask("POST", "/session", wanted).path("sessionId").asText();
        resize(width, height);
        devTools("Page.addScriptToEvaluateOnNewDocument", Map.of("source", NOTE_TOASTS));
    }

    /** A window has a least width; a device need not. */
    void resize(int width, int height) throws IOException, InterruptedException {
        devTools(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    }

    /** Opens another tab, in front of the others, and goes on there; returns the one it leaves. */
    String openTab() throws IOException, InterruptedException {
        String left = ask("GET", session + "/window", null).asText();
        ObjectNode how = JSON.createObjectNode().put("type", "tab");
        switchTo(ask("POST", session + "/window/new", how).path("handle").asText());
        return left;
    }

    /** Closes all tabs but one, and goes on there. */
    void closeTabsBut(String kept) throws IOException, InterruptedException {
        for (JsonNode tab : ask("GET", session + "/window/handles", null)) {
            if (!tab.asText().equals(kept)) {
                switchTo(tab.asText());
                ask("DELETE", session + "/window", null);
            }
        }
        switchTo(kept);
    }

    private void switchTo(String tab) throws IOException, InterruptedException {
        ask("POST", session + "/window", JSON.createObjectNode().put("handle", tab));
    }

    void go(URI target) throws IOException, InterruptedException {
        ask("POST", session + "/url", JSON.createObjectNode().put("url", target.toString()));
    }

    /** Runs a function's body in the page and returns what it returns, waiting for a promise. */
    JsonNode run(String script, Object... arguments) throws IOException, InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("script", script);
        body.set("args", JSON.valueToTree(arguments));
        return ask("POST", session + "/execute/sync", body);
    }

    /** Waits until an expression is true in the page. */
    void await(String expression, Object... arguments) throws IOException, InterruptedException {
        until(expression, () -> run("return !!(" + expression + ")", arguments).asBoolean());
    }

    /** Waits until a page of the dashboard has loaded and is live. */
    void awaitLive() throws IOException, InterruptedException {
        await(
                "document.querySelector('.live.is-live') && document.querySelector('main h1')"
                        + " && !document.body.innerText.includes('Looking …') && !document.body.innerText.includes('Checking …')");
    }

    /** Waits until the page says something. */
    void awaitText(String text) throws IOException, InterruptedException {
        await("document.body.innerText.includes(arguments[0])", text);
    }

    /** Waits for a message that goes away by itself; it may be gone already. Each message is found only once. */
    void awaitToast(String text) throws IOException, InterruptedException {
        String which = "window.toasted.findIndex(said => said.includes(arguments[0]))";
        await("(i => i >= 0 && window.toasted.splice(i, 1))(" + which + ")", text);
    }

    /** Clicks as a person does: on what is there to be seen. */
    void click(String selector) throws IOException, InterruptedException {
        await("document.querySelector(arguments[0])", selector);
        ObjectNode how = JSON.createObjectNode().put("using", "css selector").put("value", selector);
        JsonNode element = ask("POST", session + "/element", how);
        ask("POST", session + "/element/" + element.elements().next().asText() + "/click", JSON.createObjectNode());
    }

    /** Presses a key, wherever the focus is. */
    void press(Key key) throws IOException, InterruptedException {
        devTools("Input.dispatchKeyEvent", key.event("keyDown"));
        devTools("Input.dispatchKeyEvent", key.event("keyUp"));
    }

    void prefer(String scheme) throws IOException, InterruptedException {
        devTools(
                "Emulation.setEmulatedMedia",
                Map.of("features", new Object[] {Map.of("name", "prefers-color-scheme", "value", scheme)}));
    }

    /** {@return what the browser complained of since it was asked last} */
    String complaints() throws IOException, InterruptedException {
        StringBuilder complaints = new StringBuilder();
        for (JsonNode entry :
                ask("POST", session + "/se/log", JSON.createObjectNode().put("type", "browser"))) {
            complaints.append(entry.path("message").asText()).append('\n');
        }
        return complaints.toString();
    }

    /** Takes the whole page. */
    void screenshot(Path file) throws IOException, InterruptedException {
        screenshot(file, Map.of());
    }

    /** Takes the upper part of the page. */
    void screenshot(Path file, int width, int height) throws IOException, InterruptedException {
        screenshot(file, Map.of("clip", Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1)));
    }

    private void screenshot(Path file, Map<String, ?> part) throws IOException, InterruptedException {
        Map<String, Object> parameters = new HashMap<>(part);
        parameters.put("captureBeyondViewport", true);
        JsonNode shot = devTools("Page.captureScreenshot", parameters);
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode(shot.path("data").asText()));
    }

    private JsonNode devTools(String command, Map<String, ?> parameters) throws IOException, InterruptedException {
        ObjectNode body = JSON.createObjectNode().put("cmd", command);
        body.set("params", JSON.valueToTree(parameters));
        return ask("POST", session + "/goog/cdp/execute", body);
    }

    private JsonNode ask(String method, String path, JsonNode body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(Driver.URL + path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json");
        HttpRequest.BodyPublisher sent = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
        HttpResponse<String> answer =
                HTTP.send(request.method(method, sent).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(path + ": " + answer.body());
        }
        return JSON.readTree(answer.body()).path("value");
    }

    /** Something that a browser may have come to. */
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    private static void until(String what, Condition condition) throws IOException, InterruptedException {
        until(what, PATIENCE, condition);
    }

    static void until(String what, Duration patience, Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("did not come to be: " + what);
            }
            java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
        }
    }

    @Override
    public void close() {
        try {
            if (!session.isEmpty()) {
                ask("DELETE", session, null);
            }
        } catch (IOException | RuntimeException gone) {
            // The driver ends it with itself.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
