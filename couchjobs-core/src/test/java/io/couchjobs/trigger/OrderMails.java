package io.couchjobs.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.JobPhase;
import io.couchjobs.testing.MailQueue;
import io.couchjobs.testing.SourceDatabases;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A queue whose worker runs mails, and a source of orders beside it. */
abstract class OrderMails {
    MailQueue mails;
    JobQueue queue;
    SourceDatabases sources;
    CouchDatabase orders;
    List<ObjectNode> ran;

    @BeforeEach
    void open(TestDatabase database) {
        mails = new MailQueue(database);
        queue = mails.queue();
        sources = mails.sources();
        ran = mails.ran();
        orders = sources.create("orders");
    }

    @AfterEach
    void close() {
        mails.close();
    }

    TriggerBuilder mails() {
        return Trigger.named("mails").source(orders.name()).type("mail");
    }

    void awaitRuns(int count) throws Exception {
        TestQueue.until(
                () -> ran.size() >= count && queue.all("mail").allMatch(job -> job.phase() == JobPhase.FINISHED));
        assertThat(ran).hasSize(count);
    }
}
