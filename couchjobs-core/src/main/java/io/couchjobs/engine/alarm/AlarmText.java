package io.couchjobs.engine.alarm;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.admin.Alarms;
import java.nio.charset.StandardCharsets;

/** An alarm as programs read it. */
final class AlarmText {
    private AlarmText() {}

    /** JSON; the field {@code text} is what chat programs show. */
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
