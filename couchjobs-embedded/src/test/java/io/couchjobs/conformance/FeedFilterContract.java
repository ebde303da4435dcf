package io.couchjobs.conformance;

import static io.couchjobs.conformance.Json.json;
import static io.couchjobs.conformance.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The feed of changes, only for some documents. */
abstract class FeedFilterContract {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {}                                          | a b c d e
            {type: 'email'}                             | a b
            {type: 'email', n: 2}                       | b
            {type: {'$eq': 'fax'}}                      | c
            {n: {'$gt': 1}}                             | b c
            {n: {'$gte': 1, '$lt': 3}}                  | a b
            {n: {'$lte': 2}}                            | a b
            {n: {'$ne': 1}}                             | b c
            {type: {'$in': ['fax', 'none']}}            | c
            {type: {'$nin': ['fax']}}                   | a b
            {type: {'$exists': false}}                  | d e
            {n: {'$type': 'number'}}                    | a b c
            {'$or': [{n: 1}, {type: 'fax'}]}            | a c
            {'$and': [{type: 'email'}, {n: 1}]}         | a
            {'$not': {type: 'email'}}                   | c
            {'$nor': [{type: 'email'}, {n: 4}]}         | c
            {'lock.owner': 'w1'}                        | d
            {lock: {owner: 'w1'}}                       | d
            {lock: {'$exists': true}}                   | d
            {tags: {'$all': ['x']}}                     | e
            {tags: {'$elemMatch': {'$eq': 'y'}}}        | e
            {tags: {'$size': 2}}                        | e
            {n: {'$mod': [2, 0]}}                       | b
            {type: {'$regex': '^em'}}                   | a b
            {_id: {'$gt': 'c'}}                         | d e
            {_id: {'$in': ['a', 'e']}}                  | a e""")
    void a_selector_chooses_documents_by_their_fields(String selector, String expected, Db db) {
        five(db);

        assertThat(chosen(db, selector)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', nullValues = "none", textBlock = """
            {_id: {'$gte': 'job:', '$lt': 'job;'}}              | job:1
            {_id: {'$not': {'$lt': 'job;'}}}                    | job;
            {'$and': [{_id: {'$lt': 'job;'}}]}                  | JOB job:1
            {_id: {'$gt': null, '$lt': 'a'}}                    | JOB
            {name: {'$gte': 'job:', '$lt': 'job;'}}             | none
            {name: {'$gte': 'job;', '$lt': 'job:'}}             | job;
            {'of._id': {'$gte': 'job:', '$lt': 'job;'}}         | none
            {of: {_id: {'$gte': 'job:', '$lt': 'job;'}}}        | none""")
    void a_selector_orders_ids_by_their_bytes_and_other_fields_as_views_do(
            String selector, @Nullable String expected, Db db) {
        for (String id : List.of("JOB", "job:1", "job;")) {
            db.save("{_id: '%1$s', name: '%1$s', of: {_id: '%1$s'}}".formatted(id));
        }

        Reply reply = select(db, selector, "").expect(200);

        assertThat(reply.ids().stream().sorted().toList())
                .isEqualTo(expected == null ? List.of() : List.of(expected.split(" ", -1)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', nullValues = "none", textBlock = """
            {tags: {'$in': ['x']}}                       | one two
            {tags: {'$nin': ['x']}}                      | empty nested
            {tags: {'$not': {'$in': ['x']}}}             | empty nested
            {tags: {'$in': []}}                          | none
            {tags: {'$nin': []}}                         | empty nested one two
            {tags: {'$in': [['x']]}}                     | nested
            {tags: {'$in': [['x', 'y']]}}                | none
            {tags: {'$elemMatch': {'$in': ['y']}}}       | two
            {tags: {'$elemMatch': {}}}                   | nested
            {tags: {'$all': []}}                         | none
            {tags: {'$not': {'$all': []}}}               | empty nested one two
            {tags: {'$all': [['x', 'y']]}}               | two
            {tags: {'$all': [['x']]}}                    | nested one
            {tags: {'$all': [1]}}                        | none""")
    void a_selector_tests_the_elements_of_a_list(String selector, @Nullable String expected, Db db) {
        db.post("/_bulk_docs", """
                {docs: [{_id: 'empty', tags: []}, {_id: 'one', tags: ['x']}, {_id: 'two', tags: ['x', 'y']},
                        {_id: 'nested', tags: [['x'], {}, 1.0]}, {_id: 'without'}]}""").expect(201);

        assertThat(chosen(db, selector)).isEqualTo(expected == null ? "" : expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', nullValues = "none", textBlock = """
            {'items.0.sku': 's1'}                        | list
            {items: {'1': {sku: 's2'}}}                  | list
            {'items.2.sku': {'$exists': false}}          | null object text
            {'items.x': {'$exists': false}}              | null object text
            {'lock.owner': {'$exists': false}}           | list
            {lock: {owner: {'$exists': false}}}          | list
            {'lock.owner': {'$not': {'$exists': true}}}  | list
            {'lock.owner.x': {'$exists': false}}         | list
            {'lock.owner': {'$ne': 'w2'}}                | object""")
    void a_path_leads_through_lists_and_what_it_cannot_enter_is_not_missing(
            String selector, @Nullable String expected, Db db) {
        db.post("/_bulk_docs", """
                {docs: [{_id: 'object', lock: {owner: 'w1'}}, {_id: 'text', lock: 'w1'}, {_id: 'null', lock: null},
                        {_id: 'list', items: [{sku: 's1'}, {sku: 's2'}]}]}""").expect(201);

        assertThat(chosen(db, selector)).isEqualTo(expected == null ? "" : expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', nullValues = "none", textBlock = """
            {type: {'$beginsWith': 'em'}}                       | a b
            {type: {'$not': {'$beginsWith': 'em'}}}             | c
            {n: {'$beginsWith': '1'}}                           | none
            {lock: {'$keyMapMatch': {'$eq': 'owner'}}}          | d
            {lock: {'$keyMapMatch': {'$beginsWith': 'x'}}}      | none
            {tags: {'$keyMapMatch': {'$eq': 'x'}}}              | none
            {tags: {'$not': {'$keyMapMatch': {'$eq': 'x'}}}}    | e""")
    void a_selector_knows_the_beginning_of_a_text_and_the_names_of_members(
            String selector, @Nullable String expected, Db db) {
        five(db);

        assertThat(chosen(db, selector)).isEqualTo(expected == null ? "" : expected);
    }

    private static String chosen(Db db, String selector) {
        return String.join(
                " ",
                select(db, selector, "").expect(200).ids().stream().sorted().toList());
    }

    @Test
    void a_selector_sees_each_document_as_it_is_now(Db db) {
        String rev = db.save("{_id: 'a', status: 'waiting'}");
        db.save("{_id: 'a', status: 'running', _rev: '%s'}".formatted(rev));

        assertThat(select(db, "{status: 'waiting'}", "").ids()).isEmpty();
        assertThat(select(db, "{status: 'running'}", "").ids()).containsExactly("a");
    }

    @Test
    void a_selector_of_ids_sees_deletions(Db db) {
        db.remove("a", db.save("{_id: 'a'}"));

        assertThat(select(db, "{_id: 'a'}", "").at("/results/0/deleted").asBoolean())
                .isTrue();
        assertThat(select(db, "{_deleted: {'$exists': false}}", "").ids()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            {n: 1}                  | 1-aaaa
            {n: 2}                  | 1-bbbb
            {n: {'$gt': 0}}         | 1-bbbb 1-aaaa""")
    void a_selector_chooses_some_of_all_leaves_and_the_document_is_that_of_the_winner(
            String selector, String expected, Db db) {
        twoLeaves(db);

        Reply reply = select(db, selector, "&include_docs=true&style=all_docs");

        assertThat(reply.at("/results").size()).isEqualTo(1);
        assertThat(reply.at("/results/0/changes").findValuesAsText("rev")).containsExactly(expected.split(" ", -1));
        assertThat(reply.at("/results/0/doc/_rev").asText()).isEqualTo("1-bbbb");
    }

    @Test
    void without_all_leaves_a_selector_sees_the_winner_alone(Db db) {
        twoLeaves(db);

        assertThat(select(db, "{n: 2}", "").at("/results/0/changes").findValuesAsText("rev"))
                .containsExactly("1-bbbb");
        assertThat(select(db, "{n: 1}", "").ids()).isEmpty();
    }

    private static void twoLeaves(Db db) {
        db.graft("a", "{n: 1}", "aaaa");
        db.graft("a", "{n: 2}", "bbbb");
    }

    @Test
    void a_selected_change_can_bring_its_document(Db db) {
        five(db);

        assertThat(select(db, "{type: 'fax'}", "&include_docs=true")
                        .at("/results/0/doc/n")
                        .asInt())
                .isEqualTo(3);
    }

    @Test
    void a_filtered_feed_moves_on_over_what_it_does_not_tell(Db db) {
        five(db);

        String position = select(db, "{type: 'none'}", "").text("/last_seq");

        assertThat(db.changes("since", position).rows()).isEmpty();
    }

    @Test
    void a_long_poll_with_a_selector_sleeps_on_over_other_writes(Db db) {
        String position = db.position();
        var waiting = db.couch()
                .later(() -> select(
                        db,
                        "{type: 'email'}",
                        Couch.query("feed", "longpoll", "since", position).replace('?', '&')));

        db.save("{_id: 'other', type: 'fax'}");
        db.save("{_id: 'mine', type: 'email'}");

        assertThat(waiting.join().ids()).containsExactly("mine");
    }

    @Test
    void a_selector_that_is_none_is_refused(Db db) {
        assertThat(db.post("/_changes?filter=_selector", "{}").errorKind()).isEqualTo("400 bad_request");
        assertThat(select(db, "{n: {'$bogus': 1}}", "").errorKind()).isEqualTo("400 bad_request");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            7                        | Selector error: expected a JSON object
            {"$foo":1}               | Invalid operator: $foo
            {"n":{"$in":7}}          | Bad argument for operator $in: 7
            {"n":{"$not":7}}         | Bad argument for operator $not: 7
            {"n":{"$exists":7}}      | Bad argument for operator $exists: 7
            {"n":{"$type":7}}        | Bad argument for operator $type: 7
            {"n":{"$size":"x"}}      | Bad argument for operator $size: <<120>>
            {"n":{"$mod":[1]}}       | Bad argument for operator $mod: [1]
            {"n":{"$mod":["xy",1]}}  | Bad argument for operator $mod: [<<120,121>>,1]
            {"n":{"$elemMatch":7}}   | Bad argument for operator $elemMatch: 7
            {"n":{"$allMatch":7}}    | Bad argument for operator $allMatch: 7
            {"n":{"$regex":"("}}     | Bad argument for operator $regex: <<40>>
            {"n":{"$regex":7}}       | Invalid operator: $regex
            {"n":{"$keyMapMatch":7}} | Bad argument for operator $keyMapMatch: 7
            {"n":{"$beginsWith":7}}  | Invalid operator: $beginsWith
            {"$nor":{}}              | Bad argument for operator $nor: {[]}""")
    void a_selector_that_makes_no_sense_is_refused_in_words(String selector, String reason, Db db) {
        assertThat(select(db, selector, "").error()).isEqualTo("400 bad_request: " + reason);
    }

    @Test
    void a_selector_comes_in_the_body(Db db) {
        assertThat(db.get("/_changes?filter=_selector").error())
                .isEqualTo("400 bad_request: Selector must be specified in POST payload");
    }

    @Test
    void named_documents_are_told_and_no_others(Db db) {
        five(db);
        db.remove("b", db.read("b").text("/_rev"));

        Reply reply = db.post("/_changes?filter=_doc_ids", "{doc_ids: ['a', 'b', 'none']}")
                .expect(200);

        assertThat(reply.ids()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void design_documents_alone_can_be_watched(Db db) {
        five(db);
        db.view("function (doc) { emit(null, null); }");

        assertThat(db.changes("filter", "_design").ids()).containsExactly("_design/t");
    }

    @Test
    void documents_with_a_row_in_a_view_can_be_watched(Db db) {
        five(db);
        db.view("function (doc) { if (doc.type === 'email') emit(doc._id, null); }");

        assertThat(db.changes("filter", "_view", "view", "t/v").ids()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void a_filter_may_be_a_function_of_a_design_document(Db db) {
        five(db);
        db.put("/_design/f", object("{filters: {of: 'function (doc, req) { return doc.type === req.query.type; }'}}"))
                .expect(201);

        assertThat(db.changes("filter", "f/of", "type", "fax").ids()).containsExactly("c");
    }

    @Test
    void a_filter_function_sees_who_asks_and_who_may(Db db) {
        db.put("/_security", "{members: {roles: ['worker']}}").expect(200);
        db.put("/_design/f", object("""
                {filters: {mine: "function (doc, req) {
                  return doc.owner === req.userCtx.name && req.userCtx.roles.indexOf('_admin') >= 0
                      && req.userCtx.db === req.query.db && req.secObj.members.roles[0] === 'worker'; }"}}""")).expect(201);
        db.save(object("{_id: 'mine'}").put("owner", db.couch().user()));
        db.save("{_id: 'other', owner: 'somebody'}");

        assertThat(db.changes("filter", "f/mine", "db", db.name()).ids()).containsExactly("mine");
    }

    private static Reply select(Db db, String selector, String query) {
        return db.post("/_changes?filter=_selector" + query, object().set("selector", json(selector)));
    }

    private static void five(Db db) {
        db.post("/_bulk_docs", """
                {docs: [{_id: 'a', type: 'email', n: 1}, {_id: 'b', type: 'email', n: 2}, {_id: 'c', type: 'fax', n: 3},
                        {_id: 'd', lock: {owner: 'w1'}}, {_id: 'e', tags: ['x', 'y']}]}""").expect(201);
    }
}
