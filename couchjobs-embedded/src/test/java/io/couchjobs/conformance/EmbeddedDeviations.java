package io.couchjobs.conformance;

/** Where the embedded server is known to differ from CouchDB: each reason, and below it the tests that show it. */
final class EmbeddedDeviations {
    static final String LIST = """
            its users are the administrators that it was started with; it has no _users
              SessionContract.a_user_is_let_in_by_the_right_password_only
            it makes a document again from the revision of its tombstone
              DocumentContract.the_revision_of_a_tombstone_does_not_make_a_document_again
            it shows a rule the tombstone as the document that was there before
              ValidationContract.a_document_made_again_was_nothing_before
            it compares the ids within a key as texts, not as bytes
              ViewRangeContract.pages_by_key_and_id_meet_every_row_once
            it answers a range that runs backwards with no rows
              ViewRangeContract.a_range_that_runs_backwards_is_refused
            its selectors $not and $nor choose documents without the field too
              FeedFilterContract.a_selector_chooses_documents_by_their_fields[{'$not': {type: 'email'}}]
              FeedFilterContract.a_selector_chooses_documents_by_their_fields[{'$nor': [{type: 'email'}, {n: 4}]}]
            it takes limit 0 of the feed for 1
              ChangesContract.a_page_of_nothing_is_empty
            it stores design documents whose functions cannot run
              RefusalContract.a_map_function_that_does_not_compile_is_not_stored
              RefusalContract.a_reduce_that_nobody_knows_is_not_stored
            it takes a resource that nobody knows for an id
              RefusalContract.a_resource_that_no_server_knows_is_not_found
            its refusals of parameters have other words or are missing
              RefusalContract.a_key_in_a_query_is_json
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[reduce=true]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[group=true]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[group_level=1]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[keys=7]
            it refuses unknown or broken compression in other words or by cutting the connection
              TransportContract.a_request_that_only_claims_to_be_compressed_is_refused
              TransportContract.an_unknown_compression_is_refused
            """;

    private EmbeddedDeviations() {}
}
