"""The creator's side: add, cancel, get and wait."""
from __future__ import annotations

import time
import uuid
from typing import Any, Callable, Mapping, NamedTuple, Optional, Union

from . import protocol
from .couch import Couch, pauses
from .protocol import Doc, FINISHED, PENDING


class Unconfirmed(Exception):
    """Nobody knows whether the change is done: no answer, or no majority of the copies has confirmed it. Ask again later."""


class Added(NamedTuple):
    """What `add` did: `answer` is "added" or "exists"."""

    id: str
    answer: str


class Queue:
    """A queue: a CouchDB database that `couchjobs init` prepared.

    `default_timeout` is how long an owner of a type without a `timeout` may be silent, in seconds; all processes must agree on it (4.2).
    """

    def __init__(self, url: Union[str, Couch], default_timeout: float = 60):
        self.couch = Couch(url) if isinstance(url, str) else url
        self.default_timeout = default_timeout
        self.site: Doc = self.couch.read("_local/couchjobs-site") or {}  # the name of the database among several (7.3)

    def add(self, type: str, id: Optional[str] = None, data: Optional[Mapping[str, Any]] = None, **options: Any) -> Added:
        """Adds a job. Without an id it gets `tracker:` and its tracker, else a random UUID. The options are fields of a job by their names
        in the protocol (1.2).

        A job of that id that exists stays as it is, whatever its status, and the answer is "exists".
        """
        given = {"data": data, "site": options.pop("site", None) or self.site.get("site"), **options}
        request = {field: value for field, value in given.items() if value is not None}
        protocol.check_request(request)
        if "tracker" in request and id is not None:
            raise ValueError(f"tracker makes the id, but id is {id!r:.80}")
        if id is None:
            id = f"tracker:{request['tracker']}" if "tracker" in request else str(uuid.uuid4())
        new = protocol.new_job(protocol.doc_id(type, id), request, self.couch.now())
        return Added(id, "added" if self._write(new) else "exists")

    def cancel(self, type: str, id: str, reason: Optional[str] = None) -> str:
        """Cancels a pending job ("cancelled"), or asks the owner of a running one to stop ("requested").

        On a cluster "requested" is also the answer for a pending job whose last owner may have ended it: the next claim cancels it, and does
        not run it. Other answers are "finished" and "missing"; then nothing was written.
        """
        for _ in pauses(12, 0.1):  # read, decide, write; start over after a 409 (2.2)
            doc = self.couch.read(protocol.doc_id(type, id))
            if doc is None:
                leaves = self.couch.majority(protocol.doc_id(type, id)) if self.couch.is_cluster else []
                live = any(not leaf.get("_deleted") for leaf in leaves or [])
                if leaves == [] or leaves and not live and any("resolved" not in leaf for leaf in leaves):
                    return "missing"
                continue
            status = doc.get("status") or "waiting"
            finished, pending = status in FINISHED, status in PENDING
            new, verb = None, protocol.cancel if pending else protocol.request_cancel
            if pending and self.couch.is_cluster and protocol.may_have_ended(doc):
                verb = protocol.cancel_at_next_claim
            if not finished:
                if doc.get("_conflicts") or protocol.withdrawn(doc):
                    continue  # a library worker resolves it first (rule 18)
                new = verb(doc, self.couch.now(), reason)
            if self._write(new) if new else self._stands(doc):
                return "finished" if finished else "cancelled" if verb is protocol.cancel else "requested"
        raise Unconfirmed(f"job:{type}:{id} was changed by others again and again, its conflict stays unresolved, or no majority is in reach")

    def _write(self, doc: Doc) -> bool:
        """Writes for a creator; False after a 409."""
        end = time.monotonic() + 30

        def go_on() -> None:
            if time.monotonic() > end:
                raise Unconfirmed(f"nobody knows whether the write of {doc['_id']} counts")
        return self.couch.write(doc, go_on, alone=True) is not None

    def _stands(self, doc: Doc) -> bool:
        """Whether a majority has a job as it was read (rule 18)."""
        if not self.couch.is_cluster:
            return True
        try:
            state = self._known_state(doc["_id"], True)
        except LookupError:
            return False
        return state is not None and state["_rev"] == doc["_rev"]

    def get(self, type: str, id: str) -> Optional[Doc]:
        """The job's document as this node has it, or None."""
        return self.couch.read(protocol.doc_id(type, id))

    def wait(self, type: str, id: str, timeout: float = float("inf")) -> Doc:
        """The job's document once it has finished, by an end that a majority has (6.3, rule 20). It looks every two seconds at least.

        A job that retention deleted is its tombstone, with `status`. Raises LookupError for a job that was removed or is not there,
        TimeoutError when the time is over.
        """
        _id, seen, end = protocol.doc_id(type, id), False, time.monotonic() + timeout
        for _ in pauses():
            state = self._known_state(_id, seen)
            if state and state.get("status") in FINISHED:
                return state
            seen = seen or state is not None
            if time.monotonic() >= end:
                break
        raise TimeoutError(f"{_id} has not finished within {timeout} s")

    def _known_state(self, _id: str, seen: bool) -> Optional[Doc]:
        """The state of a job as a majority has it, None when nothing is known now (the table of 6.3)."""
        leaves = self.couch.majority(_id)
        if leaves is None:
            return None
        live = [leaf for leaf in leaves if not leaf.get("_deleted")]
        gone = [leaf for leaf in leaves if leaf.get("_deleted") and "resolved" not in leaf]
        if live:
            settled = not protocol.withdrawn(live[0]) and not any(protocol.stands_against(leaf, live[0], True) for leaf in leaves)
            return {field: value for field, value in live[0].items() if field != "_revisions"} if settled else None
        if gone and gone[0].get("removedBy") == "retention":
            return gone[0]
        if gone or (not leaves and not (seen and self.couch.is_cluster)):
            raise LookupError(f"{_id} was removed" if gone else f"{_id} does not exist")
        return None

    def work(self, types: Any, handler: Optional[Callable[[Any], Any]] = None, concurrency: int = 1, name: Optional[str] = None) -> Any:
        """Starts a Worker that runs `handler(job)` for each job of a type, or of several. Without a handler claim by hand: `worker.claim()`."""
        from .worker import Worker  # it needs this module
        worker = Worker(self, types, name)
        return worker.run(handler, concurrency) if handler else worker
