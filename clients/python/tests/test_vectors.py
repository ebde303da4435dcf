"""The client against design-docs/vectors: what it has to write, name and choose."""
import json
import os
import unittest
from pathlib import Path
from urllib.parse import quote

from couchjobs import protocol

VECTORS = Path(os.environ.get("COUCHJOBS_VECTORS") or Path(__file__).resolve().parents[3] / "design-docs" / "vectors")


def load(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def play(event, job, now, a):
    if event == "create":
        _id = a.get("id") or protocol.doc_id(a["type"], "tracker:" + a["request"]["tracker"])
        return protocol.new_job(_id, a["request"], now)
    if event == "claim":
        return protocol.claim(job, now, a["token"], a["worker"], a.get("user"))
    if event == "update":
        return protocol.update(job, now, a.get("progress"))
    if event == "finish":
        return protocol.finish(job, now, a.get("result"))
    if event == "fail":
        return protocol.fail(job, now, a["message"], protocol.settings(a["policy"]), a["kind"], a.get("stack"), a["permanent"])
    if event == "acknowledgeCancel":
        return protocol.acknowledge_cancel(job, now, a["reason"])
    if event == "release":
        return protocol.release(job, now)
    if event == "withdraw":
        return protocol.withdraw(job, now, a["reason"])
    return NotImplemented


class TransitionVectors(unittest.TestCase):
    """One test per event, so that a report names the event that fails. This client starts what it claims, and leaves jobs that are only to be
    ended, and new data of an owner, to others."""

    # What this client leaves out.
    LEFT_OUT = {"add", "cancel", "requestCancel", "expire", "keep", "letGo", "start", "snooze", "resubmit", "retry", "reschedule", "prioritize",
                "remove", "retire"}

    def check(self, event):
        played = 0
        for case in load("transitions")["cases"]:
            a = case.get("arguments") or {}
            job = case["job"] or {}
            if case["event"] != event or a.get("start") is False or "data" in a or "endAs" in job or event != "claim" and job.get("status") == "scheduled":
                continue
            with self.subTest(case["name"]):
                before = json.dumps(case["job"])
                try:
                    answer = {"write": play(event, case["job"], case["now"], a)}
                except protocol.Refused:
                    answer = {"refused": True}
                self.assertEqual(answer, case["expect"])
                self.assertEqual(json.dumps(case["job"]), before, "a transition changed its argument")
            played += 1
        self.assertGreater(played, 0)

    def test_every_event_is_played_or_left_out(self):
        known = self.LEFT_OUT | {name[len("test_event_"):] for name in dir(self) if name.startswith("test_event_")}
        self.assertEqual({case["event"] for case in load("transitions")["cases"]} - known, set())


for _event in ("create", "claim", "update", "finish", "fail", "acknowledgeCancel", "release", "withdraw"):
    setattr(TransitionVectors, f"test_event_{_event}", lambda self, event=_event: self.check(event))


class OtherVectors(unittest.TestCase):
    def test_ids(self):
        for case in load("ids")["cases"]:
            with self.subTest(case):
                try:
                    _id = protocol.doc_id(case["type"], case["id"])
                    self.assertEqual({"docId": _id, "path": quote(_id, safe="")}, case["expect"])
                except ValueError:
                    self.assertEqual(case["expect"], {"refused": True})

    def test_documents(self):
        for case in load("ids")["documents"]:
            with self.subTest(case):
                named = protocol.parse_id(case["docId"])
                expected = case["expect"]
                self.assertEqual(named, None if expected.get("refused") else (expected["type"], expected["id"]))

    def test_retry_delays(self):
        for case in load("retries")["cases"]:
            with self.subTest(case):
                self.assertEqual(protocol.retry_delay(protocol.settings(case["policy"]), case["failure"], case["luck"]), case["expect"])

    def test_last_tries(self):
        for case in load("retries")["last"]:
            with self.subTest(case):
                job = {"attempt": case["attempt"], "expirations": case["expirations"], "maxRetries": case["jobRetries"]}
                self.assertEqual(protocol.last_try(job, protocol.settings({"maxRetries": case["typeRetries"]})), case["expect"])

    def test_probes(self):
        for case in load("probes")["cases"]:
            with self.subTest(case):
                self.assertEqual(protocol.probe(case["id"], case["q"]), case["expect"]["probe"])

    def test_rivals(self):
        for case in load("rivals")["cases"]:
            with self.subTest(case["name"]):
                self.assertEqual(protocol.standing(case["base"], case["claim"], case["leaves"]), case["expect"]["standing"])


class Texts(unittest.TestCase):
    JOB = {"_id": "job:a:1", "_rev": "2-b", "status": "running", "fence": 1, "attempt": 1, "lock": {"token": "t", "worker": "w"}}

    def test_texts_that_are_no_UTF_8_are_stored_without_what_is_not(self):
        text = "x\udcff"
        for written in (protocol.fail(self.JOB, 1, text, protocol.settings({}), stack=text), protocol.acknowledge_cancel(self.JOB, 1, text),
                        protocol.withdraw(self.JOB, 1, text)):
            self.assertEqual(json.dumps(written, ensure_ascii=False).encode().count(b"x?"), str(written).count("x?"))
            self.assertIn("x?", str(written))


class CancelReasons(unittest.TestCase):
    OWNED = {**Texts.JOB, "cancelRequested": True, "cancelReason": "old"}

    def test_the_end_of_a_run_removes_the_reason(self):
        ends = (protocol.finish(self.OWNED, 1), protocol.fail(self.OWNED, 1, "no", protocol.settings({})),
                protocol.acknowledge_cancel(self.OWNED, 1, "stopped"))
        for end in ends:
            with self.subTest(end["status"]):
                self.assertNotIn("cancelReason", end)
        self.assertEqual(ends[2]["errors"][0]["message"], "stopped: old")

    def test_a_reason_that_was_not_asked_for_says_nothing(self):
        self.assertEqual(protocol.acknowledge_cancel({**Texts.JOB, "cancelReason": "old"}, 1, "stopped")["errors"][0]["message"], "stopped")


class Rivals(unittest.TestCase):
    def test_which_leaves_speak_against_a_confirmed_write(self):
        mine = {"_id": "job:a:1", "_rev": "3-c", "fence": 3}
        for leaf, alone, against in (({"fence": 4}, False, True), ({"fence": 3}, False, False), ({"fence": 1}, True, True),
                                     ({"fence": 3, "_deleted": True}, True, False), ({"fence": 4, "_deleted": True}, False, True),
                                     ({"fence": 3, "_deleted": True, "removedBy": "retention"}, False, True),
                                     ({"fence": 9, "_deleted": True, "resolved": {}}, True, False),
                                     ({"fence": 5, "lock": {"token": "t", "withdrawn": {}}}, False, True),
                                     ({"fence": 4, "lock": {"token": "t", "withdrawn": {"at": 1}}}, False, False)):
            with self.subTest(leaf, alone=alone):
                self.assertEqual(protocol.stands_against({"_rev": "4-d", **leaf}, mine, alone), against)


if __name__ == "__main__":
    unittest.main()
