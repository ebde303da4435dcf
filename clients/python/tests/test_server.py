"""The client against a server: one node, or what COUCHJOBS_TEST_URL names."""
import asyncio
import base64
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unittest import mock

from couchjobs import Couch, Halted, PermanentFailure, Queue, Refused, Unconfirmed
from couchjobs.couch import Answer
from tests.server import PATIENCE, Server, Tampered, end, until

HERE = Path(__file__).resolve().parents[1]


def setUpModule():
    global SERVER
    SERVER = Server()


def tearDownModule():
    SERVER.close()


def nested(levels):
    """An object of so many levels."""
    return {"in": nested(levels - 1)} if levels > 1 else {}


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.type = "t" + uuid.uuid4().hex[:8]
        self.queue = Queue(SERVER.url)
        self.workers = []

    def tearDown(self):
        for worker in self.workers:
            worker.stop(0)

    def work(self, handler, queue=None, **options):
        worker = (queue or self.queue).work(self.type, handler, **options)
        self.workers.append(worker)
        return worker

    def by_hand(self, queue=None):
        worker = (queue or self.queue).work(self.type)
        self.workers.append(worker)
        return worker

    def claimed(self, worker=None, id="1"):
        worker = worker or self.by_hand()
        self.queue.add(self.type, id)
        job = worker.claim(PATIENCE)
        self.assertEqual(job.id, id)
        return job

    def settings(self, **fields):
        doc = self.queue.couch.read("type:" + self.type) or {"_id": "type:" + self.type}
        self.assertEqual(self.queue.couch.put({**doc, **fields}).status // 100, 2)

    def wait(self, id):
        return self.queue.wait(self.type, id, PATIENCE)

    def request_cancel(self, id="1", reason="too late"):
        """Writes what asks the owner of a job to stop (2.2)."""
        doc = self.queue.get(self.type, id)
        self.assertEqual(self.queue.couch.put({**doc, "cancelRequested": True, "cancelReason": reason}).status, 201)
        return "requested"

    def renewed(self, id="1"):
        """Waits for an update of a job."""
        def updated():
            return self.queue.get(self.type, id)["times"].get("updated")
        seen = updated()
        until(lambda: updated() != seen, "an update")

    def status(self, id):
        doc = self.queue.get(self.type, id)
        return doc and doc.get("status", "waiting")


class CreatorTest(ServerTest):
    def test_a_job_is_added_once_and_Java_understands_it(self):
        self.assertEqual(self.queue.add(self.type, "a/b c:ä", {"n": 1}, priority=75, group="shop", tags=["x"], maxRetries=2).answer, "added")
        self.assertEqual(self.queue.add(self.type, "a/b c:ä", {"n": 2}).answer, "exists")
        seen = SERVER.inspect(self.type, "a/b c:ä")
        self.assertEqual((seen["status"], seen["data"], seen["priority"], seen["group"]), ("waiting", {"n": 1}, 75, "shop"))

    def test_the_id_of_a_job_without_one_is_not_in_the_form_of_ids_that_are_only_ever_written_with_the_same_bytes(self):
        self.assertRegex(self.queue.add(self.type).id, "^[0-9a-f]{32}$")

    def test_the_id_of_a_job_with_a_tracker_derives_from_it_and_a_job_may_name_its_site(self):
        self.assertEqual(self.queue.add(self.type, tracker="order-1", site="oslo"), ("tracker:order-1", "added"))
        self.assertEqual(self.queue.add(self.type, tracker="order-1"), ("tracker:order-1", "exists"))
        seen = SERVER.inspect(self.type, "tracker:order-1")
        self.assertEqual((seen["tracker"], seen["site"]), ("order-1", "oslo"))
        with self.assertRaisesRegex(ValueError, "tracker"):
            self.queue.add(self.type, "1", tracker="order-1")
        with self.assertRaisesRegex(ValueError, "site 'a b': cannot be"):
            self.queue.add(self.type, "1", site="a b")

    def test_errors_name_the_field_and_the_value(self):
        for field, value, options in (("priority", "100", {"priority": 100}), ("tags", "'x'", {"tags": "x"}), ("colour", "1: no field", {"colour": 1}),
                                      ("data", r"\[1\]", {"data": [1]}), ("maxRetries", "-1", {"maxRetries": -1}),
                                      ("after", "'1'", {"after": {"jobs": ["1"]}}),
                                      ("after", r"\[\]", {"after": {"jobs": []}}), ("after", "jobs", {"after": {"jobs": "job:a:1"}}),
                                      ("after", "stop", {"after": {"jobs": ["job:a:1"], "onFailure": "stop"}})):
            with self.subTest(field), self.assertRaisesRegex(ValueError, f"{field}.*{value}"):
                self.queue.add(self.type, "1", **options)
        with self.assertRaisesRegex(ValueError, "type must not have a colon, but is 'a:b'"):
            self.queue.add("a:b")

    def test_a_document_has_at_most_500_levels(self):
        with self.assertRaisesRegex(ValueError, "data .*500 levels"):
            self.queue.add(self.type, "1", nested(500))
        self.assertIsNone(self.status("1"))
        self.queue.add(self.type, "1", nested(499))
        job = self.by_hand().claim(PATIENCE)
        with self.assertRaisesRegex(ValueError, "result .*500 levels"):
            job.finish([nested(499)])
        job.finish(nested(499))
        self.assertEqual(self.wait("1")["status"], "success")

    def test_a_URL_that_cannot_be_is_refused_and_the_error_does_not_have_the_password(self):
        for url in ("http://ada:secret@host", "http://ada:secret@host:port/jobs", "http://ada:secret/jobs", "ada:secret@host/jobs",
                    "http://ada:secret\u2100@host/jobs"):
            with self.subTest(url), self.assertRaisesRegex(ValueError, "^url must be ") as refused:
                Queue(url)
            self.assertNotIn("secret", "".join(traceback.format_exception(None, refused.exception, None)))

    def test_a_database_that_is_not_there_is_not_taken_for_that_of_one_node_for_ever(self):
        answers = [Answer(404, {"error": "not_found"}), Answer(200, {"cluster": {"n": 3, "q": 2}})]
        couch = Tampered(SERVER.url, lambda *_: answers.pop(0))
        self.assertEqual([couch.is_cluster, couch.is_cluster, couch.is_cluster], [False, True, True])

    def test_wait_tells_of_jobs_that_were_removed_and_of_those_that_take_long(self):
        with self.assertRaises(TimeoutError):
            self.queue.wait(self.type, "never", 0.3)
        self.queue.add(self.type, "slow")
        with self.assertRaises(TimeoutError):
            self.queue.wait(self.type, "slow", 0.3)
        self.queue.couch.put({**self.queue.get(self.type, "slow"), "_deleted": True})
        with self.assertRaisesRegex(LookupError, "removed"):
            self.wait("slow")

    def test_of_several_tombstones_the_latest_tells_how_a_job_ended(self):
        leaves = [{"_id": f"job:{self.type}:1", "_rev": rev, "_deleted": True, **fields} for rev, fields in
                  (("2-a", {"fence": 1}), ("4-b", {"fence": 1, "status": "success", "removedBy": "retention"}))]
        for order in (leaves, leaves[::-1]):
            queue = Queue(Tampered(SERVER.url, lambda method, path, body, send: Answer(200, [{"ok": leaf} for leaf in order]) if "open_revs" in path
                                   else send()))
            self.assertEqual(queue.wait(self.type, "1", 1)["status"], "success")

    def test_a_lost_answer_to_a_creation_that_was_stored_is_no_conflict_also_where_a_job_of_that_id_was_removed(self):
        for _ in range(2):
            self.check_lost_creation()
            self.queue.couch.put({**self.queue.get(self.type, "1"), "_deleted": True})

    def check_lost_creation(self):
        lost = []

        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and not lost:
                lost.append(path)
                return Answer(0, None)
            return answer
        self.assertEqual(Queue(Tampered(SERVER.url, tamper)).add(self.type, "1").answer, "added")
        self.assertEqual(len(lost), 1)

    def delete(self, rev):
        tombstone = {"_id": f"job:{self.type}:1", "_deleted": True, "status": "success", "fence": 1, "removedBy": "retention"}
        self.assertEqual(self.queue.couch.put({**tombstone, "_rev": rev}).status, 200)

    def delete_and_compact(self, rev):
        self.delete(rev)
        self.queue.couch.send("POST", "/_compact", b"{}")
        until(lambda: self.queue.couch.get(f"/job%3A{self.type}%3A1", rev=rev).status == 404, "the compaction")

    def lost_and_deleted(self, gone):
        """A queue whose first creation is stored, ended and deleted, while its answer is lost (`gone` deletes it); the requests that created jobs."""
        made = []

        def tamper(method, path, body, send):
            answer = send()
            if method != "PUT" or body.get("status") != "waiting":
                return answer
            made.append(body)
            if len(made) > 1:
                return answer
            gone(answer.body["rev"])
            return Answer(0, None)
        return Queue(Tampered(SERVER.url, tamper)), made

    def test_a_job_whose_creation_was_stored_without_an_answer_and_that_was_run_and_deleted_is_not_made_again(self):
        for _ in range(2):  # the second time on a tombstone
            queue, made = self.lost_and_deleted(self.delete)
            self.assertEqual(queue.add(self.type, "1").answer, "added")
            self.assertEqual((len(made), self.status("1")), (1, None))

    def test_a_creation_without_an_answer_whose_traces_were_compacted_away_is_unconfirmed(self):
        queue, made = self.lost_and_deleted(self.delete_and_compact)
        with mock.patch("couchjobs.queue.CONFIRM", 0.3), self.assertRaises(Unconfirmed) as unconfirmed:
            queue.add(self.type, "1")
        self.assertEqual((len(made), self.status("1"), unconfirmed.exception.id), (1, None, "1"))

    def test_a_creation_that_met_a_refused_connection_was_not_sent_so_a_job_of_that_id_that_was_deleted_before_casts_no_doubt_on_it(self):
        def tamper(method, path, body, send):
            if method == "PUT":
                made.append(path)
            return closed.send(method, path, body) if method == "PUT" and len(made) == 1 else send()
        self.queue.add(self.type, "1")
        self.delete_and_compact(self.queue.get(self.type, "1")["_rev"])
        made = []
        with socket.create_server(("127.0.0.1", 0)) as server:
            closed = Couch(f"http://127.0.0.1:{server.getsockname()[1]}/queue")
        self.assertEqual((Queue(Tampered(SERVER.url, tamper)).add(self.type, "1").answer, len(made)), ("added", 2))

    def test_a_creation_that_nobody_answers_any_more_is_unconfirmed(self):
        def tamper(method, path, body, send):
            if method == "PUT":
                cut.set()
            return Answer(0, None) if cut.is_set() else send()
        cut = threading.Event()
        with mock.patch("couchjobs.queue.CONFIRM", 0.3), self.assertRaises(Unconfirmed):
            Queue(Tampered(SERVER.url, tamper)).add(self.type, "1")

    def test_a_creation_that_hangs_leaves_time_to_look_whether_it_was_stored(self):
        hung = []

        class Hanging(Couch):
            def send(self, method, path, body=None, timeout=float("inf")):
                answer = super().send(method, path, body)
                if method == "PUT" and not hung:
                    hung.append(threading.Event().wait(min(timeout, self.timeout)))
                    return Answer(0, None)
                return answer
        with mock.patch("couchjobs.queue.CONFIRM", 3):
            self.assertEqual(Queue(Hanging(SERVER.url, timeout=3)).add(self.type, "1").answer, "added")


class WorkerTest(ServerTest):
    def test_a_page_of_the_feed_has_a_thousand_rows_at_most(self):
        docs = [{"_id": f"note:{self.type}:{n}"} for n in range(1001)]
        since = self.queue.couch.read("")["update_seq"]
        self.assertEqual(self.queue.couch.send("POST", "/_bulk_docs", json.dumps({"docs": docs}).encode()).status, 201)
        first = self.queue.couch.changes(since)
        second = self.queue.couch.changes(first["last_seq"])
        self.assertEqual(len(first["results"]), 1000)
        self.assertLessEqual({doc["_id"] for doc in docs}, {row["id"] for page in (first, second) for row in page["results"]})

    def test_a_job_runs_and_Java_understands_its_end(self):
        def handler(job):
            job.update(progress={"percent": 50, "message": "half"})
            return {"twice": 2 * job.data["n"]}
        self.work(handler)
        self.queue.add(self.type, "1", {"n": 21})
        self.assertEqual(self.wait("1")["result"], {"twice": 42})
        seen = SERVER.inspect(self.type, "1")
        self.assertEqual((seen["status"], seen["result"], seen["attempt"]), ("success", {"twice": 42}, 1))
        self.assertIn("progress", seen)

    def test_an_idle_worker_wakes_up_for_a_new_job_and_at_the_time_of_a_later_one(self):
        worker = self.by_hand()
        self.assertIsNone(worker.claim(0))
        claimed = []
        thread = threading.Thread(target=lambda: claimed.append(worker.claim(PATIENCE)), daemon=True)
        thread.start()
        self.queue.add(self.type, "1")
        thread.join(PATIENCE)
        self.assertEqual(claimed[0].id, "1")
        claimed[0].finish()
        at = self.queue.couch.now() + 1500
        self.queue.add(self.type, "later", scheduledTime=at)
        job = worker.claim(PATIENCE)
        self.assertEqual(job.id, "later")
        self.assertGreaterEqual(self.queue.couch.now(), at)
        job.finish()

    def test_a_job_that_is_added_while_the_index_is_read_wakes_the_worker_up(self):
        added = []

        def tamper(method, path, body, send):
            answer = send()
            if "_view/due" in path and not added and self.workers:
                worker = self.workers[0]
                added.append(self.queue.add(self.type, "1"))
                until(worker._woken.is_set, "the feed to tell of the job")
            return answer
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        job = worker.claim(PATIENCE)
        self.assertEqual(job.id, "1")
        self.assertLess(job._doc["times"]["claimed"] - job._doc["times"]["created"], 15_000, "it waited for the next look at the clock")
        job.finish()

    def test_a_worker_that_was_stopped_while_it_read_the_index_claims_nothing(self):
        reading, stopped, claimed = threading.Event(), threading.Event(), []

        def tamper(method, path, body, send):
            answer = send()
            if "_view/due" in path and answer.body["rows"]:
                reading.set()
                stopped.wait(PATIENCE)
            return answer
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        thread = threading.Thread(target=lambda: claimed.append(worker.claim(PATIENCE)), daemon=True)
        thread.start()
        self.queue.add(self.type, "1")
        self.assertTrue(reading.wait(PATIENCE))
        worker.stop()
        stopped.set()
        thread.join(PATIENCE)
        self.assertEqual((claimed, self.status("1")), ([None], "waiting"))

    def test_a_job_whose_claim_is_under_way_when_its_worker_is_stopped_is_given_back_and_handed_to_nobody(self):
        seen, stopped = [], threading.Event()

        def stop():
            worker.stop()
            seen.append(self.queue.get(self.type, "1"))
            stopped.set()

        def tamper(method, path, body, send):
            if method == "PUT" and body.get("lock") and not worker._closed:
                threading.Thread(target=stop, daemon=True).start()
                until(lambda: worker._closed, "the worker to be stopped")
            elif "open_revs" in path:
                stopped.wait(1)  # which must not come first
            return send()
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        self.assertIsNone(worker.claim(PATIENCE))
        self.assertTrue(stopped.wait(PATIENCE))
        self.assertEqual((seen[0]["status"], seen[0]["attempt"]), ("waiting", 0))

    def test_a_claim_keeps_its_time_while_another_thread_waits_for_a_job(self):
        worker = self.by_hand()
        self.assertIsNone(worker.claim(0))
        thread = threading.Thread(target=worker.claim, args=(PATIENCE,), daemon=True)
        thread.start()
        began = time.monotonic()
        for _ in range(50):
            self.assertIsNone(worker.claim(0.01))
        self.assertLess(time.monotonic() - began, 10)
        worker.stop()
        thread.join(PATIENCE)

    def test_two_workers_race_and_each_job_has_one_owner(self):
        runs = []
        for n in range(15):
            self.queue.add(self.type, str(n))
        for _ in range(2):
            self.work(lambda job: runs.append((job.id, job.fence)), Queue(SERVER.url), concurrency=2)
        for n in range(15):
            self.assertEqual(self.wait(str(n))["status"], "success")
        self.assertEqual(sorted(runs), sorted((str(n), 1) for n in range(15)))

    def test_a_claim_of_a_revision_that_is_not_the_newest_is_refused(self):
        first, second = self.by_hand(), self.by_hand()
        self.queue.add(self.type, "1")
        doc = self.queue.get(self.type, "1")
        job = first._claim(doc)
        self.assertIsNotNone(job)
        self.assertIsNone(second._claim(doc))
        job.finish({"by": "first"})
        self.assertEqual(self.wait("1")["result"], {"by": "first"})

    def test_a_job_rests_after_a_claim_that_was_refused_but_not_after_one_for_which_others_were_first(self):
        answers = [409, 503]

        def tamper(method, path, body, send):
            return Answer(answers.pop(0), {"error": "no"}) if method == "PUT" and body.get("lock") and answers else send()
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        doc = self.queue.get(self.type, "1")
        self.assertEqual((worker._claim(doc), worker._resting), (None, {}))
        self.assertEqual((worker._claim(doc), list(worker._resting)), (None, [doc["_id"]]))
        worker._claim(doc).finish()
        self.assertEqual(worker._resting, {})

    def test_failures_are_retried_and_some_are_permanent(self):
        self.settings(retryDelay=1, maxRetries=2)

        def handler(job):
            if job.id == "bad":
                raise PermanentFailure("of no use")
            if job.attempt < 3 or job.id == "hopeless":
                raise RuntimeError(f"attempt {job.attempt}")
            return "third time lucky"
        self.work(handler)
        for id in ("good", "bad", "hopeless"):
            self.queue.add(self.type, id)
        good, bad, hopeless = self.wait("good"), self.wait("bad"), self.wait("hopeless")
        self.assertEqual((good["status"], good["result"], good["attempt"]), ("success", "third time lucky", 3))
        self.assertEqual((bad["status"], bad["attempt"]), ("failed", 1))
        self.assertEqual((hopeless["status"], hopeless["attempt"], hopeless["errors"][-1]["message"]), ("failed", 3, "RuntimeError: attempt 3"))

    def test_settings_that_cannot_be_count_as_absent(self):
        self.settings(maxRetries=None, retryDelay="1 s", maxRetryDelay=1.0, retryJitter=2, timeout=True, paused="no", classes="bulk")

        def handler(job):
            raise RuntimeError("no")
        worker = self.work(handler)
        self.queue.add(self.type, "1")
        until(lambda: self.status("1") == "stuck", "a failure")
        doc = self.queue.get(self.type, "1")
        self.assertEqual(doc["scheduledTime"], doc["times"]["started"] + 30_000)
        self.assertEqual(worker.timeout(self.type), 60)

    def test_a_cancel_stops_a_run(self):
        running = threading.Event()

        def handler(job):
            running.set()
            job.wait(PATIENCE)
            job.check()
        self.work(handler)
        self.queue.add(self.type, "1")
        self.assertTrue(running.wait(PATIENCE))
        self.request_cancel()
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["errors"][0]["kind"]), ("cancelled", "cancelled"))
        self.assertEqual(SERVER.inspect(self.type, "1")["status"], "cancelled")

    def test_the_reason_of_a_cancel_is_in_the_error_of_the_job_that_obeyed(self):
        job = self.claimed()
        self.request_cancel(reason="not needed")
        self.assertEqual(SERVER.inspect(self.type, "1")["cancelReason"], "not needed")
        job.wait(PATIENCE)
        job.acknowledge_cancel("stopped")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["errors"][0]["message"]), ("cancelled", "stopped: not needed"))
        self.assertNotIn("cancelReason", doc)

    def test_a_document_that_cannot_be_a_job_stops_nothing(self):
        running = threading.Event()

        def handler(job):
            running.set()
            job.wait(PATIENCE)
            job.check()
        self.work(handler)
        self.queue.add(self.type, "1")
        self.assertTrue(running.wait(PATIENCE))
        bad = [{"_id": f"job:{self.type}:{id}", **fields} for id, fields in (("8", {"lock": "x"}), ("9", {"lock": [], "status": 7}))]
        revs = [self.queue.couch.put(doc).body["rev"] for doc in bad]
        self.request_cancel()
        self.assertEqual(self.wait("1")["status"], "cancelled")
        for doc, rev in zip(bad, revs):
            self.queue.couch.put({**doc, "_rev": rev, "_deleted": True})

    def test_a_feed_that_meets_what_nobody_expects_begins_anew_and_misses_no_cancel(self):
        asked = []

        def tamper(method, path, body, send):
            answer = send()
            if method == "GET" and path.startswith("/type%3A") and running.is_set() and not asked:
                asked.append(self.request_cancel())
                return Answer(200, ["no document"])
            return answer
        running = threading.Event()

        def handler(job):
            running.set()
            job.wait(PATIENCE)
            job.check()
        self.work(handler, Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        self.assertTrue(running.wait(PATIENCE))
        self.settings(maxRetries=1)
        self.assertEqual(self.wait("1")["status"], "cancelled")
        self.assertEqual(asked, ["requested"])

    def test_a_feed_that_ends_each_poll_at_once_is_not_asked_without_a_pause(self):
        asked = []

        def tamper(method, path, body, send):
            if "/_changes" not in path:
                return send()
            asked.append(time.monotonic())
            return Answer(200, {"results": [], "last_seq": 0})
        self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        until(lambda: len(asked) > 2, "three polls")
        self.assertGreater(asked[2] - asked[0], 0.4)

    def test_an_owner_halts_when_its_job_is_removed_or_taken(self):
        worker = self.by_hand()
        for id, change in (("removed", {"_deleted": True}), ("taken", {"lock": None, "status": "waiting", "after": {"jobs": ["job:x:y"]}})):
            with self.subTest(id):
                self.queue.add(self.type, id)
                job = worker.claim(PATIENCE)
                doc = self.queue.get(self.type, id)
                self.queue.couch.put({key: value for key, value in {**doc, **change}.items() if value is not None})
                self.assertTrue(job.wait(PATIENCE))
                with self.assertRaises(Halted):
                    job.finish()

    def test_a_change_of_others_stays_when_the_owner_writes(self):
        job = self.claimed()
        doc = self.queue.get(self.type, "1")
        self.queue.couch.put({**doc, "priority": 99, "acme:trace": [1]})
        job.finish("done")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["priority"], doc["acme:trace"]), ("success", 99, [1]))

    def test_progress_that_cannot_be_is_refused_and_the_job_can_still_be_finished(self):
        job = self.claimed()
        for progress in (50, [50], {"percent": 101}, {"percent": "50"}, {"percent": True}, {"message": "half"}, {"percent": 50, "message": 1}):
            with self.subTest(progress), self.assertRaisesRegex(ValueError, "progress must be .*, but is "):
                job.update(progress=progress)
        job.update(progress={"percent": 50.9, "message": "half"})
        job.finish()
        self.assertEqual(self.wait("1")["progress"], {"percent": 50, "message": "half"})

    def test_an_integer_that_no_double_can_hold_is_refused_and_a_run_with_such_a_result_fails(self):
        with self.assertRaisesRegex(ValueError, "up to 1.8e308"):
            self.queue.add(self.type, "huge", {"deep": [2**1024]})
        self.queue.add(self.type, "1", {"n": -(2**1023)})
        self.work(lambda job: job.data["n"] * 2)
        doc = self.wait("1")
        self.assertEqual(doc["status"], "failed")
        self.assertIn("up to 1.8e308", doc["errors"][-1]["message"])

    def test_a_run_with_a_result_or_an_update_that_is_no_JSON_or_nested_too_deeply_fails_for_good(self):
        cycle, deep = [], {}
        cycle.append(cycle)
        for _ in range(5000):
            deep = {"in": deep}
        results = {"cycle": cycle, "deep": deep, "set": {1}, "nan": float("nan")}
        self.work(lambda job: results[job.id] if job.id in results else job.update({"percent": 1, "deep": deep}))
        for id in [*results, "update"]:
            with self.subTest(id):
                self.queue.add(self.type, id)
                doc = self.wait(id)
                self.assertEqual((doc["status"], doc["attempt"], len(doc["errors"])), ("failed", 1, 1))

    def test_paused_types_and_other_classes_are_not_claimed(self):
        self.settings(paused=True)
        self.queue.add(self.type, "1")
        worker = self.by_hand()
        self.assertIsNone(worker.claim(1))
        self.settings(paused=False, classes=["bulk"])
        self.queue.add(self.type, "2", **{"class": "bulk"})
        job = worker.claim(PATIENCE)
        self.assertEqual(job.id, "2")
        job.finish()
        self.assertIsNone(worker.claim(1))

    def test_due_jobs_of_a_type_that_is_paused_meanwhile_and_of_classes_that_are_shut_out_do_not_start(self):
        for id in "1234":
            self.queue.add(self.type, id)
        for settings in ({"paused": True}, {"paused": False, "classes": ["bulk"]}):
            with self.subTest(settings):
                self.settings(paused=False)
                other = self.type + "other"
                self.queue.add(other, str(settings))
                worker = self.queue.work([self.type, other])
                self.workers.append(worker)
                first = worker.claim(PATIENCE)
                self.assertEqual(first.type, self.type)
                self.settings(**settings)
                until(lambda: [worker.settings(self.type).get(field) for field in settings] == list(settings.values()), "the worker to hear of that")
                job = worker.claim(PATIENCE)
                self.assertEqual(job.type, other)
                first.finish()
                job.finish()

    def test_a_job_behind_many_that_may_not_be_claimed_is_found(self):
        self.settings(classes=["bulk"])
        many = [{"_id": f"job:{self.type}:{n:03}", "scheduledTime": 0} for n in range(250)]
        self.assertEqual(self.queue.couch.send("POST", "/_bulk_docs", json.dumps({"docs": many}).encode()).status, 201)
        self.queue.add(self.type, "behind", **{"class": "bulk"})
        job = self.by_hand().claim(PATIENCE / 3)
        self.assertEqual(job and job.id, "behind")
        job.finish()

    def test_a_backlog_of_which_nothing_may_be_claimed_is_read_once_a_second_however_often_a_worker_is_woken(self):
        asked = []

        def tamper(method, path, body, send):
            if "_view/due" in path and "startkey_docid" not in path:
                asked.append(time.monotonic())
            return send()
        self.settings(classes=["bulk"])
        many = [{"_id": f"job:{self.type}:{n:03}", "scheduledTime": 0} for n in range(250)]
        self.assertEqual(self.queue.couch.send("POST", "/_bulk_docs", json.dumps({"docs": many}).encode()).status, 201)
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        for _ in range(3):
            worker._woken.set()
            self.assertIsNone(worker.claim(0))
        for before, after in zip(asked, asked[1:]):
            self.assertGreaterEqual(after - before, 1)

    def test_the_index_of_a_paused_type_is_not_read(self):
        read = []

        def tamper(method, path, body, send):
            read.extend([path] if "/_view/due" in path else [])
            return send()
        self.settings(paused=True)
        self.assertIsNone(self.by_hand(Queue(Tampered(SERVER.url, tamper))).claim(0))
        self.assertEqual(read, [])

    def test_attached_data_is_read_and_kept(self):
        data = json.dumps({"text": "x" * 50_000}).encode()
        digest = "sha-256=" + base64.b64encode(hashlib.sha256(data).digest()).decode()
        self.queue.couch.put({"_id": f"job:{self.type}:big", "dataDigest": digest, "_attachments": {
            "data.json": {"content_type": "application/octet-stream", "data": base64.b64encode(data).decode()}}})
        paths = []
        self.work(lambda job: len(job.data["text"]), Queue(Tampered(SERVER.url, lambda method, path, body, send: paths.append(path) or send())))
        doc = self.wait("big")
        self.assertEqual(sum("attachments=true" in path for path in paths), 1)
        self.assertEqual((doc["result"], doc["dataDigest"]), (50_000, digest))
        self.assertIn("data.json", doc["_attachments"])

    def test_attached_data_that_cannot_be_read_for_a_moment_fails_no_run(self):
        def tamper(method, path, body, send):
            if "attachments=true" in path and len(refused) < 2:
                return refused.append(path) or Answer(503, {"error": "away"})
            return send()
        refused = []
        data = b'{"n": 1}'
        digest = "sha-256=" + base64.b64encode(hashlib.sha256(data).digest()).decode()
        self.queue.couch.put({"_id": f"job:{self.type}:1", "dataDigest": digest, "_attachments": {
            "data.json": {"content_type": "application/octet-stream", "data": base64.b64encode(data).decode()}}})
        self.work(lambda job: job.data["n"], Queue(Tampered(SERVER.url, tamper)))
        done = self.wait("1")
        self.assertEqual((done["result"], done["attempt"], len(refused)), (1, 1, 2))

    def test_a_job_that_is_due_by_a_clock_which_the_answer_of_the_index_corrects_is_not_claimed(self):
        def tamper(method, path, body, send):
            if "/_view/due" in path:
                seen.append(path)
            return send()
        seen = []
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        now = worker._couch.now
        self.queue.add(self.type, "1", scheduledTime=now() + 600_000)
        with worker._claiming, mock.patch.object(worker._couch, "now", lambda: now() + (0 if seen else 3_600_000)):
            worker._scan()
        self.assertEqual((len(seen), list(worker._due)), (1, []))

    def test_a_lease_is_renewed_by_updates_of_the_job_as_long_as_it_is_owned(self):
        self.settings(timeout=3000)
        worker = self.by_hand()
        job = self.claimed(worker)
        for _ in range(4):
            self.renewed()
        self.assertFalse(job.is_halted)
        job.finish()
        self.assertIsNone(self.queue.couch.read("worker:" + worker.id))

    def test_a_lease_is_renewed_while_the_job_is_read_that_the_feed_cast_doubt_on(self):
        reading, read = threading.Event(), threading.Event()

        def tamper(method, path, body, send):
            if "open_revs" in path:
                reading.set()
                read.wait(PATIENCE)
            return send()
        self.settings(timeout=3000)
        job = self.claimed(self.by_hand(Queue(Tampered(SERVER.url, tamper))))
        job.doubt()
        self.assertTrue(reading.wait(PATIENCE))
        for _ in range(4):
            self.renewed()
        read.set()
        job.finish()

    def test_the_threads_of_a_worker_end_when_it_was_stopped_even_if_the_feed_tells_of_nothing(self):
        before = set(threading.enumerate())
        couch = Couch(SERVER.url)
        couch.timeout = 10
        worker = self.work(lambda job: "done", Queue(couch))
        self.queue.add(self.type, "1")
        self.wait("1")
        worker.stop()
        until(lambda: set(threading.enumerate()) <= before, "its threads to end")

    def test_a_run_that_goes_on_while_its_worker_is_being_stopped_hears_of_a_cancel(self):
        running = threading.Event()

        def handler(job):
            running.set()
            job.wait(PATIENCE)
            job.check()
        worker = self.work(handler)
        self.queue.add(self.type, "1")
        self.assertTrue(running.wait(PATIENCE))
        stopping = threading.Thread(target=worker.stop, daemon=True)
        stopping.start()
        until(lambda: worker._closed, "the worker to be stopped")
        self.queue.add(self.type, "2")  # which the feed tells of, too
        self.request_cancel()
        stopping.join(PATIENCE / 3)
        self.assertFalse(stopping.is_alive())
        self.assertEqual((self.status("1"), self.status("2")), ("cancelled", "waiting"))

    def test_a_handler_that_has_ended_its_job_may_stop_its_worker(self):
        stopped = threading.Event()

        def handler(job):
            job.finish()
            worker.stop()
            stopped.set()
        worker = self.work(handler)
        self.queue.add(self.type, "1")
        self.assertTrue(stopped.wait(PATIENCE))

    def test_a_worker_that_is_stopped_by_its_handlers_gives_their_jobs_back(self):
        both, stopped = threading.Barrier(2), []

        def handler(job):
            both.wait(PATIENCE)
            worker.stop()
            stopped.append(job.is_halted)
        for id in "12":
            self.queue.add(self.type, id)
        worker = self.work(handler, concurrency=2)
        until(lambda: stopped == [True, True], "both handlers")
        self.assertEqual([self.status(id) for id in "12"], ["waiting", "waiting"])

    def test_a_worker_that_is_stopped_gives_back_what_was_claimed_by_hand_and_never_ended(self):
        worker = self.by_hand()
        self.claimed(worker)
        stopping = threading.Thread(target=worker.stop, daemon=True)
        stopping.start()
        stopping.join(PATIENCE / 3)
        self.assertEqual((stopping.is_alive(), self.status("1")), (False, "waiting"))


class FaultTest(ServerTest):
    """Answers that are lost, and leases that end."""

    def test_a_claim_whose_answer_was_lost_or_that_a_proxy_answered_408_is_given_back_and_the_job_runs_once(self):
        for status in (0, 408):
            with self.subTest(status):
                self.lose_a_claim(str(status), status)

    def lose_a_claim(self, id, status):
        lost, runs = [], []

        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and body.get("lock") and not lost:
                lost.append(body["lock"]["token"])
                return Answer(status, None)
            return answer
        worker = self.work(lambda job: runs.append((job.token in lost, job.attempt, job.fence)), Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, id)
        until(lambda: self.status(id) == "success", "the job to run")
        self.assertEqual(runs, [(False, 1, 2)])
        worker.stop()

    def test_a_claim_that_never_reached_the_server_is_made_once_more(self):
        lost = []

        def tamper(method, path, body, send):
            if method == "PUT" and body.get("lock") and not lost:
                lost.append(body)
                return Answer(0, None)
            return send()
        self.settings(timeout=600_000)
        self.work(lambda job: "done", Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        self.assertEqual(self.wait("1")["status"], "success")
        self.assertEqual(len(lost), 1)

    def test_a_claim_without_an_answer_is_not_followed_by_those_of_other_jobs_that_were_read_before(self):
        claims, cut = [], threading.Event()

        def tamper(method, path, body, send):
            if method == "PUT" and body.get("lock"):
                claims.append(body["_id"])
                cut.set()
            return Answer(0, None) if cut.is_set() else send()
        for id in ("1", "2", "3"):
            self.queue.add(self.type, id)
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper)))
        self.assertIsNone(worker.claim(0))
        cut.clear()
        self.assertEqual(len(claims), 1)

    def test_an_owner_halts_beside_a_leaf_that_counts_more(self):
        job = self.claimed()
        rival = {"_id": job._id, "_rev": "1-" + "f" * 32, "status": "waiting", "fence": 9}
        self.assertEqual(self.queue.couch.send("POST", "/_bulk_docs", json.dumps({"docs": [rival], "new_edits": False}).encode()).status, 201)
        self.assertTrue(job.wait(PATIENCE))
        with self.assertRaises(Halted):
            job.finish()
        for leaf in self.queue.couch.leaves(job._id):
            self.queue.couch.put({**leaf, "_deleted": True})

    def end_with_a_lost_answer(self, result):
        lost = []

        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and body.get("status") == "success" and not lost:
                lost.append(answer)
                return Answer(0, None)
            return answer
        self.claimed(self.by_hand(Queue(Tampered(SERVER.url, tamper)))).finish(result)
        return len(lost), self.wait("1")["result"]

    def test_an_end_whose_answer_was_lost_is_an_end(self):
        self.assertEqual(self.end_with_a_lost_answer("done"), (1, "done"))

    def test_an_end_whose_answer_was_lost_is_found_also_where_JSON_changed_what_was_written(self):
        self.assertEqual(self.end_with_a_lost_answer((1, {2: "two"})), (1, [1, {"2": "two"}]))

    def test_an_owner_whose_job_others_took_while_the_answer_to_an_update_was_lost_halts(self):
        taken = []

        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and body.get("progress") and not taken:
                taken.append({**body, "_rev": answer.body["rev"], "fence": 2, "lock": {"token": "theirs", "worker": "other"}})
                self.assertEqual(self.queue.couch.put(taken[0]).status, 201)
                return Answer(0, None)
            return answer
        job = self.claimed(self.by_hand(Queue(Tampered(SERVER.url, tamper))))
        with self.assertRaises(Halted):
            job.update(progress={"percent": 50})
        with self.assertRaises(Halted):
            job.finish()
        doc = self.queue.get(self.type, "1")
        self.assertEqual((doc["status"], doc["lock"]["token"]), ("running", "theirs"))
        self.queue.couch.put({**doc, "_deleted": True})

    def test_an_owner_that_cannot_renew_halts_at_the_end_of_its_lease_and_leaves_the_job(self):
        cut = threading.Event()
        couch = Tampered(SERVER.url, lambda method, path, body, send: Answer(0, None) if cut.is_set() else send())
        worker = self.by_hand(Queue(couch, default_timeout=1.5))
        job = self.claimed(worker)
        self.renewed()
        cut.set()
        self.assertTrue(job.wait(10), "the default of the queue is the lease of a type without a timeout")
        cut.clear()
        for _ in range(2):
            with self.assertRaisesRegex(Halted, "lease"):
                job.finish()
        with self.assertRaisesRegex(Halted, "lease"):
            job.check()
        self.assertEqual((self.status("1"), worker._jobs), ("running", {}))

    def test_a_renewal_that_hangs_does_not_cost_the_lease(self):
        limits = []

        class Hanging(Couch):
            def send(self, method, path, body=None, timeout=float("inf")):
                if method == "PUT" and "updated" in json.loads(body).get("times", {}) and not limits:
                    limits.append(timeout)
                    threading.Event().wait(min(timeout, self.timeout))
                    return Answer(0, None)
                return super().send(method, path, body, timeout)
        self.settings(timeout=6000)
        job = self.claimed(self.by_hand(Queue(Hanging(SERVER.url))))
        self.renewed()
        self.assertFalse(job.is_halted)
        job.finish()
        self.assertEqual(limits, [2.0])

    def test_a_thread_that_waits_hears_that_a_shorter_timeout_has_ended_its_lease(self):
        cut, waits = threading.Event(), threading.Event()

        class Waiting(threading.Event):
            def wait(self, timeout=None):
                waits.set()
                return super().wait(timeout)
        worker = self.by_hand(Queue(Tampered(SERVER.url, lambda method, path, body, send: Answer(0, None) if method == "PUT" and cut.is_set() else send())))
        job = self.claimed(worker)
        job._woken = Waiting()
        cut.set()
        thread = threading.Thread(target=job.wait, args=(PATIENCE,), daemon=True)
        thread.start()
        self.assertTrue(waits.wait(PATIENCE))
        self.settings(timeout=1500)
        thread.join(20)
        self.assertFalse(thread.is_alive())
        cut.clear()

    def test_a_shorter_timeout_leaves_half_of_it_to_renew_but_brings_back_no_lease_that_is_over(self):
        self.settings(timeout=600_000)
        worker = self.by_hand()
        for silent, is_over in ((200, False), (700, True)):
            job = worker._claim({"_id": f"job:{self.type}:{silent}", "_rev": self.queue.couch.put(
                {"_id": f"job:{self.type}:{silent}", "data": {}}).body["rev"], "data": {}})
            with job._writing:  # it cannot be renewed meanwhile
                job._confirmed = tuple(at - silent for at in job._confirmed)
                self.settings(timeout=60_000)
                until(lambda: worker.timeout(self.type) == 60, "the worker to hear of that")
                self.assertEqual(job.is_halted, is_over)
            self.settings(timeout=600_000)
            until(lambda: worker.timeout(self.type) == 600, "the worker to hear of that")

    def test_a_lease_that_is_over_stays_over_when_the_timeout_becomes_longer(self):
        self.settings(timeout=60_000)
        worker = self.by_hand()
        self.queue.add(self.type, "1")
        job = worker.claim(PATIENCE)
        with job._writing:  # it cannot be renewed meanwhile
            job._confirmed = tuple(at - 100 for at in job._confirmed)
            self.settings(timeout=600_000)
            until(lambda: worker.timeout(self.type) == 600, "the worker to hear of that")
            self.assertTrue(job.is_halted)

    def test_a_result_that_the_database_refuses_fails_the_job_for_good(self):
        def tamper(method, path, body, send):
            return Answer(413, {"error": "too_large"}) if method == "PUT" and body.get("status") == "success" else send()
        self.work(lambda job: "x", Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["attempt"]), ("failed", 1))
        self.assertIn("refused", doc["errors"][0]["message"])

    def test_an_answer_that_is_no_JSON_keeps_its_status_unless_it_tells_of_a_success(self):
        class Proxy(BaseHTTPRequestHandler):
            def do_PUT(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(int(self.path.rpartition("%3A")[2]))
                self.end_headers()
                self.wfile.write(b"<html>nginx</html>")

            def log_message(self, *_):
                pass
        proxy = HTTPServer(("127.0.0.1", 0), Proxy)
        self.addCleanup(proxy.server_close)
        self.addCleanup(proxy.shutdown)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        couch = Couch(f"http://127.0.0.1:{proxy.server_port}/db")
        self.assertEqual([couch.put({"_id": f"job:a:{status}"}).status for status in (413, 503)], [413, 503])
        with self.assertRaisesRegex(Refused, "413 <html>nginx"):
            couch.write({"_id": "job:a:413"})
        self.assertEqual([couch.put({"_id": f"job:a:{status}"}).unknown for status in (201, 404)], [True, True])

    def test_an_update_that_the_database_refuses_fails_the_job_for_good(self):
        def tamper(method, path, body, send):
            return Answer(413, {"error": "too_large"}) if method == "PUT" and body.get("progress") else send()
        self.work(lambda job: job.update(progress={"percent": 1}), Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["attempt"]), ("failed", 1))

    def test_a_refusal_of_another_write_in_a_handler_is_a_failure_that_is_retried(self):
        refused = []

        def tamper(method, path, body, send):
            if method == "PUT" and body.get("_id") == f"job:{self.type}:next" and not refused:
                refused.append(body)
                return Answer(403, {"error": "forbidden"})
            return send()
        self.settings(retryDelay=1)
        other = Queue(Tampered(SERVER.url, tamper))
        self.work(lambda job: job.id == "1" and other.add(self.type, "next").answer)
        self.queue.add(self.type, "1")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["attempt"], doc["result"]), ("success", 2, "added"))
        self.wait("next")

    def test_an_end_that_is_answered_401_or_408_is_no_failure_for_good(self):
        for status in (401, 408):
            with self.subTest(status):
                answers = [status]

                def tamper(method, path, body, send):
                    if method == "PUT" and body.get("status") == "success" and answers:
                        return Answer(answers.pop(), {"error": "later"})
                    return send()
                worker = self.work(lambda job: "done", Queue(Tampered(SERVER.url, tamper)))
                self.queue.add(self.type, str(status))
                until(lambda: not answers, "an end")
                worker.stop()
                self.assertNotEqual(self.status(str(status)), "failed")

    def test_a_handler_that_was_cancelled_by_asyncio_fails_the_job_and_the_worker_goes_on(self):
        def handler(job):
            if job.id == "1":
                raise asyncio.CancelledError("no time")
        self.settings(maxRetries=0)
        self.work(handler)
        for id, status in (("1", "failed"), ("2", "success")):
            self.queue.add(self.type, id)
            until(lambda: self.status(id) == status, status)

    def test_an_error_whose_text_is_no_UTF_8_fails_the_job(self):
        def handler(job):
            raise RuntimeError("x\udcff")
        self.settings(maxRetries=0)
        self.work(handler)
        self.queue.add(self.type, "1")
        doc = self.wait("1")
        self.assertEqual((doc["status"], doc["errors"][0]["message"]), ("failed", "RuntimeError: x?"))

    def fails_by(self, refuses):
        """A job whose handler raises an exception with a long text, on a server that refuses some documents."""
        def tamper(method, path, body, send):
            return Answer(413, {"error": "too_large"}) if method == "PUT" and refuses(body) else send()

        def handler(job):
            raise RuntimeError(1000 * "long ")
        self.settings(maxRetries=0)
        self.work(handler, Queue(Tampered(SERVER.url, tamper)))
        self.queue.add(self.type, "1")

    def test_a_long_error_is_cut(self):
        self.fails_by(lambda body: False)
        doc = self.wait("1")
        self.assertEqual((doc["status"], len(doc["errors"][0]["message"])), ("failed", 2000))
        self.assertRegex(doc["errors"][0]["message"], "^RuntimeError: long long")
        self.assertRegex(doc["errors"][0]["stack"], "long $")

    def test_a_job_whose_end_is_refused_is_left(self):
        self.fails_by(lambda body: "RuntimeError" in str(body.get("errors")))
        until(lambda: self.status("1") == "running" and not self.workers[0]._jobs, "the worker to leave the job")

    def test_a_creator_hears_of_a_refusal(self):
        queue = Queue(Tampered(SERVER.url, lambda method, path, body, send: Answer(403, "no") if method == "PUT" else send()))
        with self.assertRaisesRegex(Refused, "403"):
            queue.add(self.type, "1")


class ClusterAnswersTest(ServerTest):
    """What 202 answers lead to: a client that takes the server for a cluster, some of whose 201 become 202."""

    def doubtful(self, matches, times=1):
        seen = []

        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and answer.status == 201 and "_local" not in path and len(seen) < times and matches(body):
                seen.append(body)
                return Answer(202, answer.body)
            return answer
        return Queue(Tampered(SERVER.url, tamper, cluster=True))

    def test_a_claim_that_was_answered_202_is_withdrawn(self):
        worker = self.by_hand(self.doubtful(lambda body: body.get("lock") and not body["lock"].get("withdrawn")))
        self.queue.add(self.type, "1")
        self.assertIsNone(worker._claim(self.queue.get(self.type, "1")))
        withdrawn = until(lambda: self.queue.get(self.type, "1")["lock"].get("withdrawn"), "the withdrawal")
        self.assertIn("no majority", withdrawn["reason"])
        seen = SERVER.inspect(self.type, "1")
        self.assertEqual(seen["status"], "running")
        self.queue.couch.put({**self.queue.get(self.type, "1"), "_deleted": True})

    def test_a_claim_that_was_answered_202_and_is_not_shown_at_first_is_withdrawn(self):
        hidden = []

        def tamper(method, path, body, send):
            if "open_revs" in path and len(hidden) < 2:
                hidden.append(path)
                return Answer(200, [])
            answer = send()
            return Answer(202, answer.body) if method == "PUT" and body.get("lock") and not body["lock"].get("withdrawn") else answer
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper, cluster=True)))
        self.queue.add(self.type, "1")
        self.assertIsNone(worker._claim(self.queue.get(self.type, "1")))
        until(lambda: self.queue.get(self.type, "1")["lock"].get("withdrawn"), "the withdrawal")
        self.queue.couch.put({**self.queue.get(self.type, "1"), "_deleted": True})

    def test_a_claim_that_made_no_owner_is_withdrawn_and_not_given_back_as_a_run_when_its_worker_is_stopped_meanwhile(self):
        def tamper(method, path, body, send):
            if "open_revs" in path and not stopped:
                stopped.append(path)
                worker.stop(grace=0)
            answer = send()
            return Answer(202, answer.body) if method == "PUT" and body.get("lock") and not body["lock"].get("withdrawn") else answer
        stopped = []
        worker = self.by_hand(Queue(Tampered(SERVER.url, tamper, cluster=True)))
        self.queue.add(self.type, "1")
        self.assertIsNone(worker._claim(self.queue.get(self.type, "1")))
        found = self.queue.get(self.type, "1")
        self.assertIn("withdrawn", found.get("lock", {}))
        self.queue.couch.put({**found, "_deleted": True})

    def test_an_end_that_was_answered_202_and_is_not_confirmed_halts_its_owner(self):
        job = self.claimed(self.by_hand(self.doubtful(lambda body: body.get("status") == "success")))
        with self.assertRaisesRegex(Halted, "nobody knows"):
            job.finish("done")
        self.assertTrue(job.is_halted)
        self.assertEqual(self.wait("1")["result"], "done")

    def test_a_creation_that_was_answered_202_counts_when_a_majority_has_it_but_not_on_top_of_a_tombstone(self):
        def is_new(body):
            return body.get("status") == "waiting"
        self.assertEqual(self.doubtful(is_new).add(self.type, "1").answer, "added")
        self.queue.couch.put({**self.queue.get(self.type, "1"), "_deleted": True})
        with mock.patch("couchjobs.queue.CONFIRM", 0.3), self.assertRaisesRegex(Unconfirmed, "nobody knows"):
            self.doubtful(is_new).add(self.type, "1")

    def test_a_creation_whose_answer_was_lost_and_that_others_have_built_on_was_added(self):
        def tamper(method, path, body, send):
            answer = send()
            if method == "PUT" and "/job%3A" in path and answer.status == 201:
                self.queue.couch.put({**body, "_rev": answer.body["rev"], "priority": 99})
                return Answer(0, None)
            return answer
        self.assertEqual(Queue(Tampered(SERVER.url, tamper, cluster=True)).add(self.type, "1", {"a": (1,)}).answer, "added")

    def test_a_failure_that_a_request_to_cancel_kept_from_being_stored_stays_one_on_a_cluster(self):
        for id, cluster, permanent, ends_as in (("1", True, True, "failed"), ("2", True, False, "cancelled"), ("3", False, True, "cancelled")):
            with self.subTest(ends_as, cluster=cluster, permanent=permanent):
                asked = []

                def tamper(method, path, body, send):
                    if method == "PUT" and body.get("status") in ("failed", "stuck") and not asked:
                        asked.append(self.request_cancel(id))
                    return send()
                job = self.claimed(self.by_hand(Queue(Tampered(SERVER.url, tamper, cluster))), id)
                job.fail("no connection", permanent)
                doc = self.wait(id)
                self.assertEqual((asked, doc["status"], doc["errors"][0]["message"]), (["requested"], ends_as, "no connection"))
                self.assertNotIn("cancelRequested", doc)

    def test_an_end_that_is_confirmed_when_the_lease_is_over_counts_but_not_beside_a_leaf_that_counts_more(self):
        for id in ("alone", "taken"):
            with self.subTest(id):
                ends = []

                def tamper(method, path, body, send):
                    answer = send()
                    if method == "PUT" and body.get("status") == "success":
                        ends.append(body)
                        job._confirmed = time.monotonic() - 700, time.time() - 700
                    elif "open_revs" in path and ends and id == "taken":
                        answer.body.append({"ok": {"_id": job._id, "_rev": "2-" + "f" * 32, "status": "waiting", "fence": 9}})
                    return answer
                worker = self.by_hand(Queue(Tampered(SERVER.url, tamper, cluster=True)))
                job = self.claimed(worker, id)
                if id == "alone":
                    job.finish()
                else:
                    self.assertRaises(Halted, job.finish)
                worker.stop(0)

    def test_an_end_that_is_confirmed_after_a_lost_answer_does_not_count_beside_a_leaf_that_counts_more(self):
        ends = []

        def tamper(method, path, body, send):
            if method == "PUT" and body.get("status") == "success":
                ends.append(body)
                return send() if len(ends) > 1 else Answer(0, None)
            answer = send()
            if "open_revs" in path and ends:
                answer.body.append({"ok": {"_id": job._id, "_rev": "2-" + "f" * 32, "status": "waiting", "fence": 9}})
            return answer
        job = self.claimed(self.by_hand(Queue(Tampered(SERVER.url, tamper, cluster=True))))
        self.assertRaises(Halted, job.finish)
        self.assertEqual(len(ends), 2)

    def test_a_renewal_that_was_answered_202_does_not_renew(self):
        self.settings(timeout=1500)
        job = self.claimed(self.by_hand(self.doubtful(lambda body: "updated" in body.get("times", {}), 1_000_000)))
        self.assertTrue(job.wait(PATIENCE))
        with self.assertRaisesRegex(Halted, "lease"):
            job.finish()
        self.queue.couch.put({**self.queue.get(self.type, "1"), "_deleted": True})


class ExamplesTest(ServerTest):
    def test_the_worker_of_the_examples_tells_what_it_does_and_ends_by_a_signal(self):
        worker = subprocess.Popen([sys.executable, str(HERE / "examples" / "worker"), SERVER.url, f"{self.type},other", "--id", "me",
                                   "--concurrency", "2", "--sleep", "10"], stdout=subprocess.PIPE, text=True)
        try:
            done = subprocess.run([sys.executable, str(HERE / "examples" / "creator"), SERVER.url, self.type, "2", "--timeout", str(PATIENCE)],
                                  capture_output=True, text=True, timeout=2 * PATIENCE)
            self.assertEqual([line.split()[1] for line in done.stdout.splitlines()], ["success", "success"], done.stderr)
            events = [json.loads(worker.stdout.readline()) for _ in range(4)]
            worker.terminate()
            self.assertEqual(worker.wait(PATIENCE), 0)
        finally:
            end(worker)
            worker.stdout.close()
        self.assertEqual(sorted(event["event"] for event in events), ["end", "end", "start", "start"])
        self.assertEqual({(event["type"], event["fence"], event.get("outcome", "success")) for event in events}, {(self.type, 1, "success")})


class JavaTest(ServerTest):
    def test_Java_adds_and_waits_while_Python_works(self):
        self.work(lambda job: job.data)
        SERVER.java("enqueue", self.type, "1", "--data", '{"n": 7}')
        self.assertIn("success", SERVER.java("wait", self.type, "1"))
        self.assertEqual(self.queue.get(self.type, "1")["result"], {"n": 7})

    def test_a_chunk_of_an_array_that_Java_added_fails_and_its_handler_is_not_called(self):
        with tempfile.TemporaryDirectory() as folder:
            items = Path(folder, "items")
            items.write_text('{"data": {"n": 1}}\n{"data": {"n": 2}}\n')
            SERVER.java("enqueue", self.type, "--array", "mail", "--from", str(items))
        ran = []
        self.work(ran.append)
        doc = self.wait("mail:000001")
        self.assertEqual((doc["status"], doc["attempt"], ran), ("failed", 1, []))
        self.assertIn("chunk of an array", doc["errors"][0]["message"])

    def test_a_job_that_is_only_to_be_ended_is_left_to_other_workers(self):
        for id, end_as in (("1", "cancelled"), ("2", "failed")):
            self.queue.couch.put({"_id": f"job:{self.type}:{id}", "data": {}, "attempt": 1, "expirations": 1, "fence": 1, "endAs": end_as})
        ran = []
        self.work(lambda job: ran.append(job.id))
        self.queue.add(self.type, "3")
        self.wait("3")
        self.assertEqual((ran, [self.status(id) for id in "12"]), (["3"], ["waiting", "waiting"]))
        java = SERVER.start_java("work", self.type, "--", "echo")
        try:
            self.assertEqual([self.wait(id)["status"] for id in "12"], ["cancelled", "failed"])
        finally:
            end(java)

    def test_a_job_of_a_killed_worker_runs_again_in_Java(self):
        self.settings(timeout=10_000)  # which a JVM that has just begun must keep, too
        process = subprocess.Popen([sys.executable, str(HERE / "examples" / "worker"), SERVER.url, self.type, "--sleep", "600000"],
                                   stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(HERE)}, text=True)
        try:
            self.queue.add(self.type, "1")
            started = json.loads(process.stdout.readline())
            self.assertEqual((started["event"], started["id"], started["fence"]), ("start", "1", 1))
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
        java = SERVER.start_java("work", self.type, "--max-jobs", "1", "--", "echo", '{"by": "java"}')
        try:
            doc = self.wait("1")
        finally:
            end(java)
        self.assertEqual((doc["status"], doc["result"], doc["fence"]), ("success", {"by": "java"}, 2))
        self.assertEqual([error["kind"] for error in doc["errors"]], ["expired"])

    def test_the_doctor_finds_nothing_that_cannot_be_a_job(self):
        self.queue.add(self.type, "1", {"n": 1})
        self.work(lambda job: None)
        self.wait("1")
        found = {finding["check"]: finding["level"] for finding in json.loads(SERVER.java("doctor", "-o", "json", check=False))}
        self.assertEqual([found[check] for check in ("malformed", "documents", "times", "conflicts")], ["ok", "ok", "ok", "ok"])


if __name__ == "__main__":
    unittest.main()
