"""The creator's side: add, get and wait."""
from __future__ import annotations

import json
import time
import uuid
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Union

from . import protocol
from .couch import Couch, pauses
from .protocol import Doc, FINISHED

CONFIRM = 30.0  # seconds for which a creator tries to learn whether its job is stored


class Unconfirmed(Exception):
    """Nobody knows whether a job was added: no answer, or no majority of the copies has confirmed it. Add it again with the same `id`."""

    def __init__(self, _id: str):
        super().__init__(f"nobody knows whether {_id} was added")
        self.id = (protocol.parse_id(_id) or ("", ""))[1]


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
        """Adds a job. Without an id it gets `tracker:` and its tracker, else 32 random hexadecimal digits. The options are fields of a job by their names
        in the protocol (1.2).

        A job of that id that exists stays as it is, whatever its status, and the answer is "exists".
        """
        given = {"data": data, "site": options.pop("site", None) or self.site.get("site"), **options}
        request = {field: value for field, value in given.items() if value is not None}
        protocol.check_request(request)
        if "tracker" in request and id is not None:
            raise ValueError(f"tracker makes the id, but id is {id!r:.80}")
        if id is None:
            id = f"tracker:{request['tracker']}" if "tracker" in request else uuid.uuid4().hex  # not in the form of the library's ids, whose first claim needs no reading (1.1)
        new = protocol.new_job(protocol.doc_id(type, id), request, self.couch.now())
        return Added(id, "added" if self._insert(new) else "exists")

    def _insert(self, new: Doc) -> bool:
        """Writes a new job, as the same bytes until it is known to be stored (2.1). False: a job of that id exists."""
        is_cluster = self.couch.is_cluster  # asked before anything is sent, as it may fail
        end, doubt, answer = time.monotonic() + CONFIRM, False, None
        for _ in pauses():
            answer = answer or self.couch.write(new, CONFIRM / 3)
            doubt = doubt or answer.status == 202 or answer.unknown
            if answer.status == 201 and not (doubt and is_cluster):
                return True
            if answer.status == 409 and not doubt:
                return False
            leaves = self.couch.majority(new["_id"]) if doubt else []
            made = {} if leaves is None else self._made(new, leaves)
            if made:
                counts = answer.status == 201 or not is_cluster or protocol.generation(made["_rev"]) == 1  # on a tombstone a 201 (rule 18)
                if counts and not any(protocol.stands_against(leaf, made, True) for leaf in leaves):
                    return True
            elif made is None:
                if any(not leaf.get("_deleted") for leaf in leaves):
                    return False
                answer = None  # it is not stored: it is sent again
            if time.monotonic() > end:
                break
        raise Unconfirmed(new["_id"])

    def _made(self, new: Doc, leaves: List[Doc]) -> Optional[Doc]:
        """The revision that a new job became, also where owners have built on it or retention deleted it; {} where a compaction hides that."""
        data, hidden = json.loads(json.dumps(new["data"])), None
        for leaf in leaves:
            if "resolved" not in leaf and (leaf.get("_deleted") or (leaf.get("times") or {}).get("created") == new["times"]["created"]):
                for doc in self.couch.history(leaf):
                    if doc.get("times") == new["times"] and doc.get("data") == data:
                        return doc
                    hidden = hidden if doc else {}
        return hidden

    def get(self, type: str, id: str) -> Optional[Doc]:
        """The job's document as this node has it, or None."""
        return self.couch.read(protocol.doc_id(type, id))

    def wait(self, type: str, id: str, timeout: float = float("inf")) -> Doc:
        """The job's document once it has finished, by an end that a majority has (6.3, rule 20). It looks at least once every two seconds.

        A job that retention deleted is its tombstone, with `status`. Raises LookupError for a job that was removed, TimeoutError when the time
        is over, also for a job that is not there.
        """
        _id, end = protocol.doc_id(type, id), time.monotonic() + timeout
        for _ in pauses():
            leaves = self.couch.majority(_id) or []  # the table of 6.3
            live = [leaf for leaf in leaves if not leaf.get("_deleted")]
            gone = [leaf for leaf in leaves if leaf.get("_deleted") and "resolved" not in leaf]
            if live and live[0].get("status") in FINISHED and not any(protocol.stands_against(leaf, live[0], True) for leaf in leaves):
                return {field: value for field, value in live[0].items() if field != "_revisions"}
            if gone and not live:
                last = max(gone, key=lambda leaf: protocol.generation(leaf["_rev"]))  # rule 21
                if last.get("removedBy") != "retention":
                    raise LookupError(f"{_id} was removed")
                return last
            if time.monotonic() >= end:
                break
        raise TimeoutError(f"{_id} has not finished within {timeout} s")

    def work(self, types: Any, handler: Optional[Callable[[Any], Any]] = None, concurrency: int = 1, name: Optional[str] = None) -> Any:
        """Starts a Worker that runs `handler(job)` for each job of a type, or of several. Without a handler claim by hand: `worker.claim()`."""
        from .worker import Worker  # it needs this module
        worker = Worker(self, types, name)
        return worker.run(handler, concurrency) if handler else worker
