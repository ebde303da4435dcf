package io.couchjobs.engine.alarm;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.admin.Alarms;
import java.nio.charset.StandardCharsets;

/** Formats alarms for programs. */
final class AlarmText {
    private AlarmText() {}

    /** Returns an alarm as JSON. Chat programs show the field {@code text}. */
    static byte[] json(Alarms.Alarm alarm, String database) {
        String subject = alarm.subject().isEmpty() ? "" : " " + alarm.subject();
        String text = "couchjobs " + database + ": " + (alarm.raised() ? "" : "over: ") + alarm.rule() + subject + ": "
                + alarm.finding();
        return JsonNodeFactory.instance
                .objectNode()
                .put("alarm", alarm.rule())
                .put("subject", alarm.subject())
                .put("raised", alarm.raised())
                .put("finding", alarm.finding())
                .put("at", alarm.at().toString())
                .put("since", alarm.since().toString())
                .put("database", database)
                .put("text", text)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }
}
