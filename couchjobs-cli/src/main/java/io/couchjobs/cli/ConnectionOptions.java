package io.couchjobs.cli;

import io.couchjobs.couch.config.ClientCertificate;
import io.couchjobs.couch.config.HttpProxy;
import io.couchjobs.couch.config.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The options of the connection to the server: the client certificate and the proxy. */
final class ConnectionOptions {
    static final String KEY_PASSWORD = "COUCHJOBS_CLIENT_KEY_PASSWORD";
    static final String PROXY = "COUCHJOBS_PROXY";
    /** The value that stands for no proxy, in place of a URL. */
    static final String NO_PROXY = "none";

    private static final List<String> THIS_MACHINE = List.of("localhost", "127.0.0.0/8", "::1");
    private static final HttpProxy ANY = HttpProxy.at(URI.create("http://proxy"));

    private final GlobalOptions options;
    private final Shell shell;
    private final Profile profile;
    private @Nullable ClientCertificate certificate;

    ConnectionOptions(GlobalOptions options, Shell shell, Profile profile) {
        this.options = options;
        this.shell = shell;
        this.profile = profile;
    }

    /** Returns the client certificate. Asks for the password of an encrypted key, once, if none is known. */
    Optional<ClientCertificate> clientCertificate() {
        if (certificate == null) {
            certificate = file(options.clientCert, "client-cert")
                    .map(file -> new ClientCertificate(file, file(options.clientKey, "client-key"), Optional.empty()))
                    .map(this::withPassword)
                    .orElse(null);
        }
        return Optional.ofNullable(certificate);
    }

    /** {@return the proxy for these servers: the given one, or that of the usual variables of the environment} */
    Optional<HttpProxy> proxy(List<URI> servers) {
        Optional<String> given = givenProxy();
        if (given.isPresent()) {
            return given.filter(text -> !text.equals(NO_PROXY))
                    .map(text -> proxy("--proxy, " + PROXY, text).except(excepted()));
        }
        List<String> except = new ArrayList<>(excepted());
        except.addAll(THIS_MACHINE);
        HttpProxy needed = ANY.except(except);
        return usualProxy("https".equals(servers.get(0).getScheme()))
                .filter(variable -> servers.stream().anyMatch(url -> needed.isFor(url.getHost(), port(url))))
                .map(variable ->
                        proxy(variable, shell.variable(variable).orElseThrow()).except(except));
    }

    /** {@return the proxy, if one of these servers is reached through it} */
    Optional<HttpProxy> proxyOf(List<URI> servers) {
        return proxy(servers).filter(proxy -> servers.stream().anyMatch(url -> proxy.isFor(url.getHost(), port(url))));
    }

    /** Returns whether the command line may contain a password of the proxy, which everybody on the machine sees. */
    boolean showsPassword() {
        return options.proxy != null && options.proxy.contains("@");
    }

    /** Passes the options on to a child process; secrets are passed in the environment. */
    void pass(List<String> arguments, Map<String, String> environment) {
        clientCertificate().ifPresent(shown -> {
            arguments.addAll(List.of("--client-cert", shown.certificate().toString()));
            shown.key().ifPresent(key -> arguments.addAll(List.of("--client-key", key.toString())));
            shown.password().ifPresent(secret -> environment.put(KEY_PASSWORD, secret.reveal()));
        });
        givenProxy().ifPresent(text -> environment.put(PROXY, text));
    }

    private ClientCertificate withPassword(ClientCertificate shown) {
        if (!shown.isEncrypted()) {
            return shown;
        }
        Path key = shown.key().orElse(shown.certificate());
        return Optional.ofNullable(options.clientKeyPasswordFile)
                .map(Settings::firstLine)
                .or(() -> shell.variable(KEY_PASSWORD))
                .or(() -> profile.file("client-key-password-file").map(Settings::firstLine))
                .or(() -> shell.prompt().apply("Password of " + key + ": "))
                .map(text -> shown.password(Secret.of(text)))
                .orElseThrow(
                        () -> CommandException.usage(
                                "no password for " + key + ": set " + KEY_PASSWORD
                                        + " or give --client-key-password-file (there is no terminal to ask at, or nothing was typed)"));
    }

    private Optional<Path> file(@Nullable Path option, String key) {
        return Optional.ofNullable(option).or(() -> profile.file(key));
    }

    private Optional<String> givenProxy() {
        return Optional.ofNullable(options.proxy)
                .or(() -> shell.variable(PROXY))
                .or(() -> profile.text("proxy"));
    }

    /**
     * Returns the usual variable that names the proxy. Does not read HTTP_PROXY, because the header of a request may set it in a
     * CGI program.
     */
    private Optional<String> usualProxy(boolean https) {
        Stream<String> names = https
                ? Stream.of("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
                : Stream.of("http_proxy", "all_proxy", "ALL_PROXY");
        return names.filter(name -> shell.variable(name).isPresent()).findFirst();
    }

    private List<String> excepted() {
        return shell.variable("no_proxy")
                .or(() -> shell.variable("NO_PROXY"))
                .map(text -> List.of(text.strip().split("[\\s,]+")))
                .orElse(List.of());
    }

    private static HttpProxy proxy(String source, String text) {
        try {
            return HttpProxy.at(new URI(text.contains("://") ? text : "http://" + text));
        } catch (URISyntaxException notAUrl) {
            throw CommandException.usage("not a URL of a proxy (" + source + "); give http://HOST:PORT");
        } catch (IllegalArgumentException unsuitable) {
            throw CommandException.usage(unsuitable.getMessage() + " (" + source + ")");
        }
    }

    private static int port(URI url) {
        if (url.getPort() >= 0) {
            return url.getPort();
        }
        return "https".equals(url.getScheme()) ? 443 : 80;
    }
}
