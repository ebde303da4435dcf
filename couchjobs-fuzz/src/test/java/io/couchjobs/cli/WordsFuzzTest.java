package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.Times;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.schedule.Timing;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.TypeConversionException;

/** Words of the command line, its config file, and cron expressions: each is understood, or refused in words that show no password. */
class WordsFuzzTest {
    private static final Instant NOW = Instant.ofEpochMilli(1_700_000_000_000L);
    private static final Times TIMES = new Times(() -> NOW, ZoneId.of("Europe/Berlin"));
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final List<ZoneId> ZONES = List.of(
            ZoneId.of("UTC"),
            ZoneId.of("Europe/Berlin"),
            ZoneId.of("Australia/Lord_Howe"),
            ZoneId.of("America/Sao_Paulo"));
    private static final String CANARY = "geheim7";

    @FuzzTest
    @DictionaryFile(resourcePath = "/words.dict")
    void a_word_is_understood_or_refused(FuzzedDataProvider data) throws IOException {
        switch (data.consumeInt(0, 3)) {
            case 0 -> checkTime(data.consumeRemainingAsString());
            case 1 -> checkUrl(data);
            case 2 -> checkConfig(data.consumeRemainingAsBytes());
            default -> checkCron(data);
        }
    }

    private static void checkTime(String text) {
        try {
            assertThat(Durations.parse(text).isNegative()).isFalse();
            assertThat(Durations.format(Durations.parse(text))).isNotBlank();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining("not a duration");
        }
        try {
            assertThat(TIMES.parse(text)).isNotNull();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining("not a time");
        }
        try {
            new RateConverter().convert(text);
        } catch (TypeConversionException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
        try {
            new FairScheme().convert(text);
        } catch (TypeConversionException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    private static void checkUrl(FuzzedDataProvider data) {
        String before =
                data.pickValue(List.of("http://u:", "https://u:", "HTTP://u:", " http://u:", "http:/u:", "//u:"));
        String password = data.consumeString(8) + CANARY + data.consumeString(8);
        String text = before
                + password
                + data.pickValue(List.of("@", "@h", "@h:5984/db", "@h/a b"))
                + data.consumeRemainingAsString().replace(CANARY, "learnt by the fuzzer");
        try {
            QueueUrl url = QueueUrl.parse(List.of(text));
            assertThat(url.databases().toString()).doesNotContain(CANARY);
            assertThat(url.servers().toString()).doesNotContain(CANARY);
            assertThat(url.toString()).doesNotContain(CANARY);
        } catch (CommandException refused) {
            assertThat(Problems.explain(refused)).doesNotContain(CANARY);
        }
        library(text);
    }

    private static void library(String text) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException programmersOwn) {
            return;
        }
        try {
            CouchConfig config = CouchConfig.builder(url).build();
            assertThat(config.toString() + config.url() + config.auth()).doesNotContain(CANARY);
        } catch (IllegalArgumentException refused) {
            assertThat(refused.toString()).doesNotContain(CANARY);
        }
    }

    private static void checkConfig(byte[] toml) throws IOException {
        Path file = Files.createTempFile("fuzz", ".toml");
        try {
            Files.write(file, toml);
            readAll(Map.of("COUCHJOBS_CONFIG", file.toString()));
            readAll(Map.of("COUCHJOBS_CONFIG", file.toString(), "COUCHJOBS_PROFILE", "p"));
        } finally {
            Files.delete(file);
        }
    }

    private static void readAll(Map<String, String> environment) {
        Settings settings;
        try {
            settings = new Couchjobs(shell(environment)).settings();
        } catch (CommandException refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return;
        }
        List<Runnable> reads = List.of(
                settings::output,
                settings::colour,
                settings::insecure,
                settings::caCertificate,
                settings::tokenFile,
                () -> settings.auth(settings.url()),
                () -> settings.way().clientCertificate(),
                () -> settings.way().proxy(settings.url().servers()));
        for (Runnable read : reads) {
            try {
                read.run();
            } catch (CommandException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            }
        }
    }

    private static void checkCron(FuzzedDataProvider data) {
        ZoneId zone = data.pickValue(ZONES);
        Instant now = Instant.ofEpochSecond(data.consumeLong(0, 4_000_000_000L));
        String text = data.consumeRemainingAsString();
        long began = System.nanoTime();
        try {
            Timing.Cron timing = Timing.Cron.of(text, zone);
            Instant after = now;
            for (Instant tick : timing.next(now, 4)) {
                assertThat(tick).isAfter(after);
                after = tick;
            }
            assertThat(Timing.Cron.of(timing.expression(), zone)).isEqualTo(timing);
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageContaining("cron expression");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PATIENCE);
    }

    private static Shell shell(Map<String, String> environment) {
        InputStream nothing = new ByteArrayInputStream(new byte[0]);
        PrintWriter nowhere = new PrintWriter(new StringWriter());
        return new Shell(
                nothing,
                nowhere,
                nowhere,
                environment,
                Path.of(""),
                Shell.Terminals.NONE,
                question -> Optional.empty());
    }
}
