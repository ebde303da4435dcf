package io.couchjobs.engine.alarm;

import io.couchjobs.admin.Alarms;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.Set;

/** Posts alarms to a URL. */
record Webhook(URI url, String database) implements Target {
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final int TIMEOUT_MS = 10_000;

    Webhook {
        if (url.getScheme() == null || !SCHEMES.contains(url.getScheme()) || url.getHost() == null) {
            throw new IllegalArgumentException("a webhook must be an HTTP or HTTPS URL: " + url);
        }
    }

    @Override
    public void tell(Alarms.Alarm alarm) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
        connection.setInstanceFollowRedirects(false); // a redirect would be followed by GET, without the alarm
        connection.setConnectTimeout(TIMEOUT_MS);
        connection.setReadTimeout(TIMEOUT_MS);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        try {
            try (OutputStream body = connection.getOutputStream()) {
                body.write(AlarmText.json(alarm, database));
            }
            int status = connection.getResponseCode();
            if (status / 100 != 2) {
                throw new IOException("the webhook answered " + status);
            }
        } finally {
            connection.disconnect();
        }
    }
}
