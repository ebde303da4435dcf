package io.couchjobs.embedded.feed;

/** The text around the rows of a feed. Stateful: each feed needs its own instance. */
abstract class Framing {
    abstract String begin();

    abstract String row(String seq, String json);

    abstract String heartbeat();

    abstract String end(String lastSeq, long pending);

    static Framing of(FeedRequest.Form form) {
        return switch (form) {
            case NORMAL, LONGPOLL -> new Whole();
            case CONTINUOUS -> new Lines();
            case EVENTSOURCE -> new Events();
        };
    }

    private static String last(String lastSeq, long pending) {
        return "\"last_seq\":\"" + lastSeq + "\",\"pending\":" + pending + "}\n";
    }

    /** One JSON object. */
    private static final class Whole extends Framing {
        private String separator = "";

        @Override
        String begin() {
            return "{\"results\":[\n";
        }

        @Override
        String row(String seq, String json) {
            String row = separator + json;
            separator = ",\n";
            return row;
        }

        @Override
        String heartbeat() {
            return "\n";
        }

        @Override
        String end(String lastSeq, long pending) {
            return "\n],\n" + last(lastSeq, pending);
        }
    }

    /** One JSON object per line. */
    private static final class Lines extends Framing {
        @Override
        String begin() {
            return "";
        }

        @Override
        String row(String seq, String json) {
            return json + "\n";
        }

        @Override
        String heartbeat() {
            return "\n";
        }

        @Override
        String end(String lastSeq, long pending) {
            return "{" + last(lastSeq, pending);
        }
    }

    /** Server-sent events. */
    private static final class Events extends Framing {
        @Override
        String begin() {
            return "";
        }

        @Override
        String row(String seq, String json) {
            return "data: " + json + "\nid: " + seq + "\n\n";
        }

        @Override
        String heartbeat() {
            return "event: heartbeat\ndata: \n\n";
        }

        @Override
        String end(String lastSeq, long pending) {
            return "\n";
        }
    }
}
