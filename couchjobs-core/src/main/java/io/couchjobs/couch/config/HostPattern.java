package io.couchjobs.couch.config;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One entry of {@code NO_PROXY}. Names are not resolved: names match names, and numeric addresses match numeric addresses. */
record HostPattern(String host, int port) {

    private static final int ANY = -1;
    private static final Pattern PORT = Pattern.compile("(\\[[^\\]]*\\]|[^:]*):(\\d{1,5})");
    private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|[0-9a-f:.]*:[0-9a-f:.]*");
    private static final Pattern NETWORK = Pattern.compile("(.+)/(\\d{1,3})");

    static HostPattern of(String text) {
        String entry = text.strip().toLowerCase(Locale.ROOT);
        Matcher withPort = PORT.matcher(entry);
        return withPort.matches()
                ? new HostPattern(name(withPort.group(1)), Integer.parseInt(withPort.group(2)))
                : new HostPattern(name(entry), ANY);
    }

    boolean matches(String server, int serverPort) {
        return (port == ANY || port == serverPort) && matches(name(server.toLowerCase(Locale.ROOT)));
    }

    private boolean matches(String server) {
        if (host.equals("*")) {
            return true;
        }
        if (host.isEmpty()) {
            return false;
        }
        Matcher network = NETWORK.matcher(host);
        if (network.matches()) {
            return isWithin(server, network.group(1), Integer.parseInt(network.group(2)));
        }
        return server.equals(host)
                || (server.endsWith("." + host) && !isNumeric(server))
                || (isNumeric(server) && isNumeric(host) && isWithin(server, host, Integer.MAX_VALUE));
    }

    private static boolean isWithin(String server, String network, int bits) {
        if (!isNumeric(server) || !isNumeric(network)) {
            return false;
        }
        try {
            byte[] address = InetAddress.getByName(server).getAddress();
            byte[] start = InetAddress.getByName(network).getAddress();
            int rest = Math.max(0, address.length * Byte.SIZE - bits);
            return address.length == start.length
                    && number(address).shiftRight(rest).equals(number(start).shiftRight(rest));
        } catch (UnknownHostException notAnAddress) {
            return false;
        }
    }

    private static BigInteger number(byte[] address) {
        return new BigInteger(1, address);
    }

    private static boolean isNumeric(String host) {
        return NUMERIC.matcher(host).matches();
    }

    /** Strips the brackets of an IPv6 address and a leading {@code .} or {@code *.}. */
    private static String name(String host) {
        if (host.startsWith("[") && host.endsWith("]")) {
            return host.substring(1, host.length() - 1);
        }
        return host.length() > 1 ? host.replaceFirst("^\\*?\\.", "") : host;
    }
}
