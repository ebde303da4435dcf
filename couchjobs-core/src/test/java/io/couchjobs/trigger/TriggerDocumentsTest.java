package io.couchjobs.trigger;

import static io.couchjobs.testing.SourceDatabases.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a trigger's document may say, and what its templates make of a change. */
class TriggerDocumentsTest {
    private static final String GOOD = "'source':'orders','job':{'type':'mail'}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "source          | `'job':{'type':'mail'}`",
                "source          | `'source':'Orders','job':{'type':'mail'}`",
                "job             | `'source':'orders'`",
                "outbox          | `'source':'orders','outbox':'keep'`",
                "job.type        | `'source':'orders','job':{}`",
                "job.prioritty   | `'source':'orders','job':{'type':'mail','prioritty':1}`",
                "job.priority    | `'source':'orders','job':{'type':'mail','priority':100}`",
                "job.id          | `'source':'orders','job':{'type':'mail','id':'{/a'}`",
                "{name}          | `'source':'orders','job':{'type':'mail','data':{'a':['{name}']}}`",
                "{_rev}          | `'source':'orders','deliver':'every','job':{'type':'mail','id':'{_id}'}`",
                "{_id}           | `'source':'orders','deliver':'every','job':{'type':'mail','id':'{/a}-{_rev}'}`",
                "selecter        | `'source':'orders','selecter':{},'job':{'type':'mail'}`",
                "selector        | `'source':'orders','selector':'x','job':{'type':'mail'}`",
                "prefixes        | `'source':'orders','prefixes':'x','job':{'type':'mail'}`",
                "deliver         | `'source':'orders','deliver':'all','job':{'type':'mail'}`",
                "debounce        | `'source':'orders','debounce':-1,'job':{'type':'mail'}`",
                "delay           | `'source':'orders','delay':1000,'outbox':'mark'`",
                "debounce        | `'source':'orders','debounce':1000,'outbox':'mark'`",
                "batch.size      | `'source':'orders','batch':{'size':0},'job':{'type':'mail'}`",
                "job.id          | `'source':'orders','batch':{},'job':{'type':'mail','id':'{_id}'}`",
                "job.group       | `'source':'orders','batch':{},'job':{'type':'mail','group':'{/a}'}`",
                "cron            | `'source':'orders','cron':'often','job':{'type':'mail'}`",
                "zone            | `'source':'orders','cron':'@daily','zone':'Mars','job':{'type':'mail'}`",
                "writeBack       | `'source':'orders','writeBack':'status','job':{'type':'mail'}`",
                "enabled         | `'source':'orders','enabled':'yes','job':{'type':'mail'}`",
                "from            | `'source':'shop-*','from':'12-abc','job':{'type':'mail'}`",
                "connection      | `'source':'orders','connection':7,'job':{'type':'mail'}`",
            })
    void a_wrong_field_is_named(String named, String fields) {
        assertThatThrownBy(() -> Trigger.parse(json("{'_id':'trigger:t'," + fields + "}")))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining("trigger t makes no jobs")
                .hasMessageContaining(named);
    }

    @Test
    void a_name_that_cannot_be_one_is_refused() {
        assertThatThrownBy(() -> Trigger.named("a b")).hasMessageContaining("\"a b\"");
        assertThatThrownBy(() -> Trigger.named("-a"))
                .hasMessageContaining("begins with a letter or a digit, not \"-a\"");
        assertThatThrownBy(() -> Trigger.parse(json("{'_id':'trigger:a:b'," + GOOD + "}")))
                .hasMessageContaining("a:b");
    }

    @Test
    void a_pattern_stands_for_databases_and_for_no_others() {
        Trigger shops = Trigger.parse(json("{'_id':'trigger:t','source':'shop-*-eu','job':{'type':'mail'}}"));
        assertThat(shops.follows("shop-7-eu")).isTrue();
        assertThat(shops.follows("shop--eu")).isTrue();
        assertThat(shops.follows("shop-7-us")).isFalse();
        assertThat(shops.follows("my-shop-7-eu")).isFalse();
        assertThat(Trigger.named("all").source("*").type("mail").build().follows("_users"))
                .isFalse();
    }

    @Test
    void braces_are_written_twice_to_stand_for_themselves() {
        assertThat(made("{'text':'{{{_id}}}'}")).isEqualTo("{\"text\":\"{o1}\"}");
    }

    @Test
    void a_place_alone_becomes_the_value_and_one_in_a_text_its_words() {
        assertThat(made("{'n':'{/n}','all':'{doc}','text':'n is {/n}, {/none?}.'}"))
                .isEqualTo("{\"n\":7,\"all\":{\"_id\":\"o1\",\"n\":7},\"text\":\"n is 7, .\"}");
    }

    private static String made(String data) {
        Trigger trigger =
                Trigger.parse(json("{'_id':'trigger:t','source':'orders','job':{'type':'mail','data':" + data + "}}"));
        SourceChange change = new SourceChange("orders", "o1", "1-a", "1", false, json("{'_id':'o1','n':7}"));
        return trigger.plan(change, "", Instant.EPOCH).jobs().get(0).data().toString();
    }

    @Test
    void equal_entries_of_equal_documents_are_jobs_of_their_own_in_each_database_of_a_pattern() {
        assertThat(outboxJob("shop-*", "shop-1")).isNotEqualTo(outboxJob("shop-*", "shop-2"));
        assertThat(outboxJob("shop-1", "shop-1"))
                .as("replicas of one database")
                .isEqualTo(outboxJob("shop-2", "shop-2"));
    }

    private static JobId outboxJob(String source, String database) {
        Trigger trigger =
                Trigger.named("t").source(source).outbox(Outbox.Entries.LEAVE).build();
        SourceChange change =
                new SourceChange(database, "o1", "1-a", "1", false, json("{'_id':'o1','couchjobs':[{'type':'mail'}]}"));
        return trigger.plan(change, "", Instant.EPOCH).jobs().get(0).id();
    }

    @Test
    void the_id_of_a_job_fits_however_long_that_of_its_document_is() {
        Trigger trigger = Trigger.parse(json("{'_id':'trigger:t','deliver':'every'," + GOOD + "}"));
        SourceChange one = new SourceChange("orders", "o".repeat(2000) + "1", "1-a", "1", false, null);
        SourceChange other = new SourceChange("orders", "o".repeat(2000) + "2", "1-a", "1", false, null);
        String id = trigger.plan(one, "", Instant.EPOCH).jobs().get(0).id().id();
        assertThat(id).hasSizeLessThanOrEqualTo(512).endsWith("@1-a");
        assertThat(trigger.plan(other, "", Instant.EPOCH).jobs().get(0).id().id())
                .isNotEqualTo(id);
    }
}
