package io.couchjobs.conformance;

/** Where PouchDB Server 4.2 (2019) is known to differ from CouchDB: each reason, and below it the tests that show it. */
final class PouchDeviations {
    static final String LIST = """
            it has no _selector and no _design filter of the feed
              FeedFilterContract.a_selector_comes_in_the_body
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[7]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"$foo":1}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"$nor":{}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$allMatch":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$beginsWith":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$elemMatch":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$exists":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$in":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$keyMapMatch":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$mod":["xy",1]}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$mod":[1]}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$not":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$regex":"("}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$regex":7}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$size":"x"}}]
              FeedFilterContract.a_selector_that_makes_no_sense_is_refused_in_words[{"n":{"$type":7}}]
              FeedFilterContract.a_filtered_feed_moves_on_over_what_it_does_not_tell
              FeedFilterContract.a_long_poll_with_a_selector_sleeps_on_over_other_writes
              FeedFilterContract.a_selected_change_can_bring_its_document
              FeedFilterContract.a_path_leads_through_lists_and_what_it_cannot_enter_is_not_missing
              FeedFilterContract.a_selector_chooses_documents_by_their_fields
              FeedFilterContract.a_selector_knows_the_beginning_of_a_text_and_the_names_of_members
              FeedFilterContract.a_selector_of_ids_sees_deletions
              FeedFilterContract.a_selector_orders_ids_by_their_bytes_and_other_fields_as_views_do
              FeedFilterContract.a_selector_sees_each_document_as_it_is_now
              FeedFilterContract.a_selector_tests_the_elements_of_a_list
              FeedFilterContract.a_selector_that_is_none_is_refused
              FeedFilterContract.design_documents_alone_can_be_watched
              FeedFilterContract.a_selector_chooses_some_of_all_leaves_and_the_document_is_that_of_the_winner
              FeedFilterContract.without_all_leaves_a_selector_sees_the_winner_alone
            its feed tells the position of each change
              ChangesContract.one_of_no_changes_cannot_tell_its_position[-1]
              ChangesContract.one_of_no_changes_cannot_tell_its_position[0]
              ChangesContract.one_of_no_changes_cannot_tell_its_position[1.5]
              ChangesContract.one_of_no_changes_cannot_tell_its_position[x]
              ChangesContract.one_of_so_many_changes_tells_its_position_and_the_others_tell_null
            it refuses a local document when another revision is named, or none
              LocalDocumentContract.a_local_document_is_written_whatever_revision_is_named
              LocalDocumentContract.local_documents_may_be_written_in_a_replicated_batch
            it answers a PUT that deletes as any other
              DocumentContract.a_put_that_deletes_is_answered_as_a_deletion_and_a_post_as_a_write
            it has no _purge
              PurgeContract.a_document_stays_until_its_last_leaf_is_named
              PurgeContract.a_purged_document_leaves_the_views
              PurgeContract.a_purged_document_was_never_there
              PurgeContract.a_revision_that_is_no_leaf_is_not_purged
              PurgeContract.a_tombstone_can_be_purged
              PurgeContract.several_documents_are_purged_at_once
              RefusalContract.purging_takes_an_object_of_lists
              SessionContract.purging_is_for_administrators_of_the_server
            it orders texts by their code units, not by the rules of ICU
              CollationContract.keys_are_kept_in_order[accents]
              CollationContract.keys_are_kept_in_order[alphabets]
              CollationContract.keys_are_kept_in_order[digits]
              CollationContract.keys_are_kept_in_order[letters]
              CollationContract.keys_are_kept_in_order[signs]
              CollationContract.keys_are_kept_in_order[types]
              CollationContract.the_order_is_the_same_backwards
            it loses documents from _all_docs whose ids sort after its own end mark
              AllDocsContract.ids_are_ordered_by_their_code_points
              DocumentIdContract.any_id_round_trips_in_a_path[漢字]
              DocumentIdContract.any_id_round_trips_in_a_path[🎉]
            it has no _up, no request ids and a welcome of its own
              ServerContract.a_healthy_server_says_that_it_is_up_without_credentials
              ServerContract.every_answer_names_its_request
              ServerContract.the_root_welcomes_and_names_version_and_vendor
            its uuids are written with dashes
              ServerContract.uuids_are_as_many_as_asked_for_and_all_different
            it takes an unknown name below the root for that of a database
              ServerContract.a_method_that_the_root_does_not_know_is_refused
            its databases are open to everybody until security names somebody; a bad cookie is nobody
              DatabaseContract.security_starts_with_administrators_only_and_is_kept_as_written
              SessionContract.a_cookie_that_nobody_issued_is_refused
              SessionContract.a_database_is_closed_to_who_gives_no_credentials
              SessionContract.a_user_without_rights_is_forbidden_what_nobody_may_log_in_for
            it answers a user without rights as one who may still log in, and refuses his batch as a whole
              SessionContract.a_member_may_write_documents_and_no_design_documents
              SessionContract.a_member_is_refused_only_the_design_documents_of_a_replicated_batch
              SessionContract.upkeep_is_for_administrators_of_the_database
            it allows any name of a database, and drops slashes
              DatabaseContract.a_name_may_hold_all_the_allowed_signs
              DatabaseContract.a_name_that_breaks_the_rules_is_refused
            it deletes a missing database without a word
              DatabaseContract.a_missing_database_is_not_found_by_any_request
            it says no_db_file, and less of a database that is there
              DatabaseContract.a_missing_or_present_database_is_told_in_words
            it counts no tombstones, tells no sizes and no running compaction
              DatabaseContract.a_new_database_is_empty
              DatabaseContract.compaction_is_started_and_not_waited_for
              DatabaseContract.documents_and_tombstones_are_counted_apart
              DatabaseContract.sizes_are_told_in_bytes
            it has no compaction of an index; cleaning up is answered with 200
              DatabaseContract.compaction_of_an_index_needs_its_design_document
              DatabaseContract.old_indexes_can_be_cleaned_up
            it has no settable limit of kept revisions
              DatabaseContract.the_limit_of_kept_revisions_can_be_read_and_set
              RevisionContract.the_history_is_cut_at_the_limit_of_kept_revisions
            it does not tell deleted documents from missing ones, outside of the feed
              DocumentContract.a_deleted_document_is_deleted_and_not_missing
              RefusalContract.a_view_of_a_deleted_design_document_is_not_found
            it deletes without a revision
              DocumentContract.a_delete_needs_the_current_revision
            it refuses each write with a revision that it does not have
              DocumentContract.a_deletion_of_a_revision_that_never_was_leaves_a_tombstone_in_a_database_in_use
              DocumentContract.a_write_with_the_revision_of_a_document_that_never_was_is_stored_in_a_database_in_use
            it makes a document again from the revision of its tombstone
              DocumentContract.the_revision_of_a_tombstone_does_not_make_a_document_again
            it has no revision in the ETag, nor takes one from If-Match
              DocumentContract.the_etag_is_the_revision_and_saves_the_body
              DocumentContract.the_revision_may_be_given_in_the_body_the_query_or_a_header
            it takes the revision of the query before that of the body
              DocumentContract.two_different_revisions_in_one_write_are_refused
            it answers a replicated PUT without the revision
              ConflictContract.a_replicated_revision_may_come_alone
            it does not tell deleted conflicts
              ConflictContract.a_living_leaf_wins_over_a_longer_dead_one
            it tells the leaves in the feed in another order
              ConflictContract.the_feed_tells_the_winner_or_all_leaves
            it tells no possible ancestors
              RevisionContract.revisions_that_a_database_lacks_can_be_asked_for
            it answers other words for a missing attachment
              AttachmentContract.a_write_without_the_stub_drops_the_attachment
            it drops a revision that it has already, whatever history comes with it
              ConflictContract.a_revision_that_comes_again_brings_the_ancestors_that_were_not_known
              ConflictContract.an_ancestor_that_was_taken_for_another_leaf_is_none_when_the_revision_comes_again_with_its_history
            its _bulk_get has other errors
              BulkReadContract.a_document_that_is_not_there_is_an_error_in_its_own_row
              BulkReadContract.a_named_revision_is_given_even_if_it_lost
              BulkReadContract.a_request_without_documents_is_refused
            its refusals have other words, or another status
              BulkWriteContract.a_batch_that_is_not_json_is_refused
              BulkWriteContract.a_malformed_batch_is_refused_as_a_whole[{docs: 1}]
              BulkWriteContract.a_malformed_batch_is_refused_as_a_whole[{docs: [{_id: 'a'}, 1]}]
              BulkWriteContract.a_malformed_batch_is_refused_as_a_whole[{docs: [{_id: 'a'}, {_id: 7}]}]
              BulkWriteContract.a_malformed_batch_is_refused_as_a_whole[{docs: [{_id: 'a'}, {_x: 1}]}]
              BulkWriteContract.a_malformed_batch_is_refused_as_a_whole[{}]
              ReduceContract.a_number_has_no_documents
              RefusalContract.a_body_that_is_not_json_is_refused
              RefusalContract.a_conflict_is_told_in_the_same_words_alone_and_in_a_batch
              RefusalContract.a_document_that_is_not_an_object_is_refused["x"]
              RefusalContract.a_document_that_is_not_an_object_is_refused[1]
              RefusalContract.a_document_that_is_not_an_object_is_refused[null]
              RefusalContract.a_document_that_is_not_an_object_is_refused[true]
              RefusalContract.a_field_that_starts_with_an_underscore_is_the_servers_own
              RefusalContract.a_resource_names_the_methods_that_it_knows
              RefusalContract.a_revision_has_a_number_and_a_hash
              RefusalContract.a_view_that_its_design_document_does_not_have_is_not_found
              RefusalContract.an_id_is_a_string_and_not_empty
              RefusalContract.an_id_that_starts_with_an_underscore_is_the_servers_own
              TransportContract.a_request_that_only_claims_to_be_compressed_is_refused
              TransportContract.an_unknown_compression_is_refused
            it does not check
              DatabaseContract.security_that_names_people_other_than_in_lists_of_texts_is_refused
              RefusalContract.half_of_a_surrogate_pair_is_refused_in_texts_and_names
              BulkWriteContract.a_document_that_is_too_large_is_named_and_none_of_its_batch_is_stored
              BulkWriteContract.escapes_do_not_count_for_the_size_of_a_document
              RefusalContract.a_key_in_a_query_is_json
              RefusalContract.a_kind_of_feed_that_nobody_knows_is_refused
              RefusalContract.a_map_function_that_does_not_compile_is_not_stored
              RefusalContract.a_number_in_a_query_is_a_number
              RefusalContract.a_post_says_that_it_is_json
              RefusalContract.a_reduce_that_nobody_knows_is_not_stored
              RefusalContract.bytes_that_are_not_utf_8_are_refused
              RefusalContract.json_in_another_encoding_is_refused
              TransportContract.a_document_of_nine_megabytes_is_refused
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[descending=x]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[group=true]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[group_level=1]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[key=bare]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[keys=7]
              ViewRangeContract.a_query_that_makes_no_sense_is_refused[reduce=true]
              ViewRangeContract.keys_that_are_no_array_are_refused_in_a_body_and_not_read_in_one_of_a_get
            it wants base64 without white space
              AttachmentContract.base_64_may_have_white_space_and_needs_its_padding
            it knows no live feed
              ContinuousFeedContract.a_live_feed_is_a_continuous_one
            it has no /queries, and no list of design documents
              AllDocsContract.design_documents_have_a_list_of_their_own
              AllDocsContract.several_queries_go_in_one_request
              ViewRangeContract.several_queries_are_answered_in_order
            it does not tell the place of a range
              AllDocsContract.the_place_of_a_range_in_the_list_is_told
              ViewContract.a_view_says_how_many_rows_it_has
            it has no startkey_docid and endkey_docid
              ViewRangeContract.a_range_that_begins_or_ends_within_one_key[endkey=2&endkey_docid=n04]
              ViewRangeContract.a_range_that_begins_or_ends_within_one_key[startkey=2&start_key_doc_id=n05]
              ViewRangeContract.a_range_that_begins_or_ends_within_one_key[startkey=2&startkey_docid=n04&descending=true]
              ViewRangeContract.a_range_that_begins_or_ends_within_one_key[startkey=2&startkey_docid=n04x&limit=1]
              ViewRangeContract.a_range_that_begins_or_ends_within_one_key[startkey=2&startkey_docid=n05]
              ViewRangeContract.pages_by_key_and_id_meet_every_row_once
            it updates every index before it answers, whatever update says
              ViewUpdateContract.an_index_that_may_be_old_is_not_updated
              ViewUpdateContract.an_old_index_still_has_the_revision_it_was_built_from
            it has no signature of an index
              ViewContract.an_index_has_a_signature_that_changes_with_its_functions
            it does not say how many changes an index lacks
              ViewContract.an_index_that_nobody_has_asked_says_how_many_changes_it_lacks
            its map functions have no require and no log
              ViewContract.a_map_function_has_the_words_of_the_query_server
              ViewContract.a_map_function_may_require_a_module_of_its_design_document
            it tells no pending changes, and takes limit 0 for 1
              ChangesContract.a_page_of_nothing_is_empty
              ChangesContract.a_page_tells_how_many_changes_are_left
            its feeds know no timeout and no limit, and its event source has another content type
              ContinuousFeedContract.a_continuous_feed_ends_at_its_limit
              ContinuousFeedContract.a_continuous_feed_ends_with_its_position_after_its_timeout
              ContinuousFeedContract.an_event_source_tells_changes_in_the_words_of_a_browser
              LongPollContract.a_long_poll_gives_up_after_its_timeout
            it tells refused rows of a batch after the others
              ValidationContract.a_batch_tells_each_refusal_in_its_row
            it shows a rule more revisions of a write than were sent, and less of a replicated one
              ValidationContract.a_replicated_write_is_shown_with_its_history_beside_its_nearest_ancestor
              ValidationContract.a_replicated_write_over_a_tombstone_is_shown_beside_it
              ValidationContract.the_function_sees_a_write_as_it_was_sent_with_its_revisions
            it asks the rule before it looks at the revision
              ValidationContract.a_conflict_comes_before_the_rule
            it does not tell a rule the name of the database
              FeedFilterContract.a_filter_function_sees_who_asks_and_who_may
              ValidationContract.the_function_sees_who_writes_and_who_may
            it takes any stub whose bytes it has, keeps the generation given, and checks neither names nor data of attachments
              AttachmentContract.a_batch_with_a_stub_of_nothing_is_refused_as_a_whole
              AttachmentContract.a_stub_of_another_generation_is_refused
              AttachmentContract.a_stub_of_what_another_document_has_is_refused
              AttachmentContract.an_attachment_is_a_stub_or_has_data
              AttachmentContract.the_name_of_an_attachment_does_not_begin_with_an_underscore
              AttachmentContract.an_attachment_that_is_replicated_keeps_its_generation
            it reads latest, and several revisions, in its own way
              BulkReadContract.the_latest_of_a_named_revision_is_every_leaf_that_grew_from_it
              RevisionContract.a_named_revision_tells_nothing_of_the_others
              RevisionContract.named_leaves_come_in_their_order_and_missing_ones_after_them
              RevisionContract.the_latest_of_a_deleted_document_is_deleted
              RevisionContract.the_latest_of_one_document_is_its_winner_whatever_revision_is_named[1-00000000000000000000000000000000]
              RevisionContract.the_latest_of_one_document_is_its_winner_whatever_revision_is_named[1-ffff]
              RevisionContract.the_latest_of_one_document_is_its_winner_whatever_revision_is_named[2-aaaa]
              RevisionContract.the_latest_of_one_document_is_its_winner_whatever_revision_is_named[2-cccc]
              RevisionContract.the_latest_of_several_named_revisions_tells_each_leaf_once
            its local documents keep attachments
              LocalDocumentContract.a_local_document_keeps_no_attachments
            its _stats takes numbers only, and its _sum fails as a whole
              ReduceContract.a_sum_tells_what_it_could_not_add
              ReduceContract.lists_are_described_by_place
              ReduceContract.the_statistics_that_a_map_function_emits_itself_are_put_together
            it refuses a revision with an empty hash, and the notes of a replicator
              RefusalContract.the_hash_of_a_revision_may_be_empty_and_is_then_of_no_document
              RefusalContract.the_notes_of_a_replicator_may_be_members_of_a_document
            it keeps integers as doubles
              RefusalContract.an_integer_that_no_double_can_hold_breaks_the_request_and_stores_nothing
            it takes keys and a range together
              ViewRangeContract.several_keys_and_a_range_do_not_go_together[end_key]
              ViewRangeContract.several_keys_and_a_range_do_not_go_together[endkey]
              ViewRangeContract.several_keys_and_a_range_do_not_go_together[key]
              ViewRangeContract.several_keys_and_a_range_do_not_go_together[start_key]
              ViewRangeContract.several_keys_and_a_range_do_not_go_together[startkey]
            """;

    private PouchDeviations() {}
}
