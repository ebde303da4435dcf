package io.couchjobs.embedded.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SelectorTest {
    private static final String DOC =
            json("{'type':'email','n':5,'nothing':null,'tags':['a','b'],'lock':{'worker':'w1'},'sizes':[1,9]}");

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static boolean chooses(String selector) {
        return Selector.compile(Json.parse(json(selector))).test(Json.parse(DOC));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'type':'email'}",
                "{'type':'email','n':5}",
                "{'n':{'$gt':4,'$lte':5}}",
                "{'n':{'$ne':4}}",
                "{'n':{'$in':[1,5]}}",
                "{'n':{'$nin':[1]}}",
                "{'n':{'$mod':[2,1]}}",
                "{'$or':[]}",
                "{'n':{'$not':{'$gt':5}}}",
                "{'n':{'$type':'number'}}",
                "{'nothing':{'$type':'null'}}",
                "{'nothing':null}",
                "{'lock.worker':'w1'}",
                "{'lock':{'worker':'w1'}}",
                "{'lock':{'$exists':true}}",
                "{'none':{'$exists':false}}",
                "{'none':{'$not':{'$exists':true}}}",
                "{'type':{'$regex':'^em'}}",
                "{'tags':{'$all':['a']}}",
                "{'tags':{'$size':2}}",
                "{'tags':['a','b']}",
                "{'sizes':{'$elemMatch':{'$gt':8}}}",
                "{'sizes':{'$allMatch':{'$gt':0}}}",
                "{'$or':[{'n':1},{'n':5}]}",
                "{'$and':[{'n':5},{'type':'email'}]}",
                "{'$nor':[{'n':1},{'type':'sms'}]}",
                "{'$not':{'n':1}}"
            })
    void a_document_is_chosen(String selector) {
        assertThat(chooses(selector)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'sms'}",
                "{'type':'email','n':4}",
                "{'n':{'$gt':4,'$lt':5}}",
                "{'none':null}",
                "{'none':{'$ne':1}}",
                "{'none':{'$nin':[1]}}",
                "{'none':{'$not':{'$eq':1}}}",
                "{'$not':{'none':1}}",
                "{'$nor':[{'none':1}]}",
                "{'$nor':[{'n':5},{'type':'sms'}]}",
                "{'n':{'$regex':'5'}}",
                "{'tags':{'$all':['a','c']}}",
                "{'sizes':{'$allMatch':{'$gt':1}}}",
                "{'lock.worker.deeper':1}"
            })
    void a_document_is_passed_over(String selector) {
        assertThat(chooses(selector)).isFalse();
    }

    @Test
    void an_unknown_operator_is_the_clients_error() {
        assertThatThrownBy(() -> chooses("{'n':{'$near':1}}"))
                .isInstanceOf(CouchError.class)
                .hasMessageContaining("$near");
    }
}
