"""The document protocol without any I/O: names, fences, transitions, retries, and what a reading is worth.

Numbers such as 3.4 name sections of docs/protocol.md, rules such as "rule 3" its numbered rules. A transition takes the job
as it was read and returns the document to write on its `_rev`. It never changes its argument.
"""
from __future__ import annotations

import re
import zlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

Doc = Dict[str, Any]
MAX = 2147483647
PENDING, OWNED, FINISHED = ("waiting", "stuck"), ("running",), ("success", "failed", "cancelled")
AFRESH = "attempt expirations result progress errors resubmit cancelRequested"


class Refused(Exception):
    """The status of the job, the database, or the content of the document does not allow this write."""


# Names and fields (1.1, 1.2)

def _name_problem(name: Any, longest: int) -> Optional[str]:
    if not isinstance(name, str) or not name.strip(" "):
        return "must be text with more than spaces"
    if re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", name):
        return "must not have control characters or half of a surrogate pair"
    return f"must have at most {longest} characters" if len(name.encode("utf-16-le")) > 2 * longest else None


def doc_id(type: str, id: str) -> str:
    """The `_id` of a job. Raises ValueError for a type or id that no job can have."""
    for field, value, longest in (("type", type, 128), ("id", id, 512)):
        problem = _name_problem(value, longest)
        if problem or (field == "type" and ":" in value):
            raise ValueError(f"{field} {problem or 'must not have a colon'}, but is {value!r:.80}")
    return f"job:{type}:{id}"


def parse_id(_id: str) -> Optional[Tuple[str, str]]:
    """The type and id that an `_id` names, or None when it is not that of a job."""
    kind, _, rest = _id.partition(":")
    type, _, id = rest.partition(":")
    return (type, id) if kind == "job" and not _name_problem(type, 128) and not _name_problem(id, 512) else None


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_after(value: Any) -> bool:
    jobs = value.get("jobs") if isinstance(value, dict) else None
    return (isinstance(jobs, list) and 0 < len(jobs) <= 10_000 and all(isinstance(job, str) and parse_id(job) for job in jobs)
            and value.get("onFailure") in (None, "cancel", "run", "wait"))


def _is_progress(value: Any) -> bool:
    percent = value.get("percent") if isinstance(value, dict) else None
    return (isinstance(percent, (int, float)) and not isinstance(percent, bool) and 0 <= percent <= 100
            and (value.get("message") is None or isinstance(value["message"], str)))


FIELDS = {  # what a creator may say of a job
    **{field: lambda value: isinstance(value, str)
       for field in ("group", "class", "origin", "correlationId", "tracker", "traceparent", "tracestate")},
    "site": lambda value: isinstance(value, str) and re.fullmatch("[A-Za-z0-9._-]{1,64}", value),
    "tags": lambda value: isinstance(value, list) and all(isinstance(tag, str) for tag in value),
    "data": lambda value: isinstance(value, dict),
    "after": _is_after,
    "priority": lambda value: _is_whole(value, 0, 99),
    "maxRetries": lambda value: _is_whole(value, 0, MAX),
    "scheduledTime": lambda value: _is_whole(value, -8_640_000_000_000_000, 8_640_000_000_000_000),
}


def check_request(request: Doc) -> None:
    """Raises ValueError for a field of a creator that no job can have."""
    for field, value in request.items():
        if field not in FIELDS or not FIELDS[field](value):
            raise ValueError(f"{field} {value!r:.80}: {'cannot be that of a job' if field in FIELDS else 'no field of a new job'} (protocol 1.2)")


def settings(doc: Doc, timeout: float = 60_000) -> Doc:
    """The settings of a type that this client follows (7.1); a value that cannot be counts as absent."""
    def whole(field: str, absent: float, least: int = 0, most: int = MAX) -> float:
        return doc[field] if _is_whole(doc.get(field), least, most) else absent
    jitter, classes = doc.get("retryJitter"), doc.get("classes")
    return {"timeout": whole("timeout", timeout, 1, 86_400_000_000), "maxRetries": whole("maxRetries", 5),
            "retryDelay": whole("retryDelay", 30_000, most=2 ** 63 - 1), "maxRetryDelay": whole("maxRetryDelay", 43_200_000, most=2 ** 63 - 1),
            "retryJitter": jitter if type(jitter) in (int, float) and 0 <= jitter <= 1 else 0,
            "paused": doc.get("paused") is True,
            "classes": classes if isinstance(classes, list) and all(isinstance(name, str) for name in classes) else None}


def millis(time: Any) -> int:
    """A stored `scheduledTime` in milliseconds, also where others wrote seconds (1.2)."""
    time = int(time or 0)
    time = time * 1000 if 0 < time < 100_000_000_000 else time
    return 0 if 0 < time < 100_000_000_000 else time


# The fence (1.3), and what a leaf's fence counts as (5.2)

def generation(rev: Optional[str]) -> int:
    """The number before the dash of a revision; 0 for a document without one."""
    return int(rev.split("-")[0]) if rev else 0


def fence(doc: Doc) -> int:
    """The fence of a job, which derives from the revision where the document has none."""
    stored = doc.get("fence")
    return max(1, generation(doc.get("_rev"))) - 1 if stored is None else int(stored)


def next_fence(doc: Doc) -> int:
    """The fence that a claim, and each new wish for the job, takes."""
    return min(fence(doc) + 1, MAX)


def lock(doc: Doc) -> Doc:
    """The claim in this document; {} where there is none, or something else stands there."""
    return doc["lock"] if isinstance(doc.get("lock"), dict) else {}


def withdrawn(doc: Doc) -> bool:
    """Whether the claim in this document counts for nothing (rule 1)."""
    return lock(doc).get("withdrawn") is not None


def counted_fence(leaf: Doc) -> int:
    """What a leaf's fence counts as beside other leaves."""
    if not withdrawn(leaf):
        return fence(leaf)
    return fence(leaf) + 1 if leaf.get("resubmit") is not None else max(0, fence(leaf) - 1)


# Transitions (2.2, 3.2, 3.3, 3.4, 3.5)

def _write(doc: Doc, now: int, moments: str = "", remove: str = "", **fields: Any) -> Doc:
    new = {field: value for field, value in doc.items() if field not in remove.split()}
    new = {**new, "status": doc.get("status") or "waiting", "fence": fence(doc), **fields}
    if "scheduledTime" in new:
        new["scheduledTime"] = millis(new["scheduledTime"])
    if moments:
        new["times"] = {**(doc.get("times") or {}), **{moment: now for moment in moments.split()}}
    return new


def _given(**fields: Any) -> Doc:
    return {field: value for field, value in fields.items() if value is not None}


def _text(text: str) -> str:
    """A text as CouchDB takes it: it refuses half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


def _errors(doc: Doc, now: int, kind: str, message: str, stack: Optional[str] = None) -> List[Doc]:
    error = {"attempt": int(doc.get("attempt") or 0), "at": now, "kind": kind, "message": _text(message)[:2000],
             **({"stack": _text(stack)[-8000:]} if stack else {})}  # a traceback ends with what happened
    return ((doc.get("errors") or []) + [error])[-10:]


def _expect(doc: Doc, statuses: Iterable[str], verb: str) -> None:
    status = doc.get("status") or "waiting"
    if status not in statuses:
        raise Refused(f"{verb} is refused: the status of {doc['_id']} is {status}")


def new_job(_id: str, request: Doc, now: int) -> Doc:
    """A job that does not exist yet (2.1). `request` has fields of the creator by their names in the protocol."""
    at = int(request.get("scheduledTime") or 0)
    return {"_id": _id, "status": "waiting", "data": {}, **_given(**request),
            "scheduledTime": 0 if 0 < at < 100_000_000_000 else at, "times": {"created": now}}


def claim(doc: Doc, now: int, token: str, worker: str, user: Optional[str] = None) -> Doc:
    """Claims a pending job, and starts its run (3.2)."""
    _expect(doc, () if doc.get("after") else PENDING, "a claim")
    lock = {"token": token, "worker": worker, "since": now, **({"user": user} if user else {})}
    return _write(doc, now, "claimed started", "progress cancelRequested", status="running", lock=lock, fence=next_fence(doc),
                  attempt=min(int(doc.get("attempt") or 0) + 1, MAX))


def update(doc: Doc, now: int, progress: Optional[Doc] = None) -> Doc:
    """A sign of life of the owner, with its progress (3.3)."""
    _expect(doc, OWNED, "update")
    if progress is not None and not _is_progress(progress):
        raise ValueError(f'progress must be as {{"percent": 50, "message": "half"}}, but is {progress!r:.80}')
    whole = progress and {**progress, "percent": int(progress["percent"])}
    last = (doc.get("times") or {}).get("updated")  # perhaps by a clock that is ahead, but the latest update counts (5.5)
    return _write(doc, max(now, last + 1) if isinstance(last, int) else now, "updated", **_given(progress=whole))


def _run_again(doc: Doc, now: int, moments: str, remove: str = AFRESH, **fields: Any) -> Doc:
    """What ends a run that is to be followed by another one. It takes the next fence (rule 10)."""
    at = doc["resubmit"].get("scheduledTime") or 0
    return _write(doc, now, moments, "lock resubmit " + remove, status="waiting", scheduledTime=at, fence=next_fence(doc), **fields)


def finish(doc: Doc, now: int, result: Any = None) -> Doc:
    """Ends a run that succeeded (3.4)."""
    _expect(doc, OWNED, "finish")
    if doc.get("resubmit") is not None:  # {} is a wish, too
        return _run_again(doc, now, "finished")
    return _write(doc, now, "finished", "lock cancelRequested cancelReason resubmit", status="success", **_given(result=result))


def retry_delay(policy: Mapping[str, Any], failure: int, luck: float) -> int:
    """Milliseconds from the start of a failed run to its retry; `failure` is 0 for the first (3.4)."""
    delay = min(policy["retryDelay"] << min(failure, 64), max(policy["retryDelay"], policy["maxRetryDelay"]))
    return min(int(delay * (1 + policy["retryJitter"] * luck)), 36_500 * 86_400_000)


def _failures(doc: Doc) -> int:
    return int(doc.get("attempt") or 0) - int(doc.get("expirations") or 0)


def last_try(doc: Doc, policy: Mapping[str, Any]) -> bool:
    """Whether no retry follows when this run fails (3.4)."""
    allowed = doc.get("maxRetries")
    return _failures(doc) > (policy["maxRetries"] if allowed is None else allowed)


def fail(doc: Doc, now: int, message: str, policy: Mapping[str, Any], kind: str = "failed", stack: Optional[str] = None,
         permanent: bool = False, luck: float = 0) -> Doc:
    """Ends a run that failed: the job is retried, or has failed for good (3.4)."""
    _expect(doc, OWNED, "fail")
    if doc.get("resubmit") is not None:
        return _run_again(doc, now, "failed")
    errors = _errors(doc, now, kind, message, stack)
    if doc.get("cancelRequested"):
        return _write(doc, now, "failed finished", "lock cancelRequested cancelReason", status="cancelled", errors=errors)
    if permanent or last_try(doc, policy):
        return _write(doc, now, "failed finished", "lock", status="failed", errors=errors)
    at = int((doc.get("times") or {}).get("started", now)) + retry_delay(policy, max(0, _failures(doc) - 1), luck)
    return _write(doc, now, "failed", "lock", status="stuck", errors=errors, scheduledTime=at)


def acknowledge_cancel(doc: Doc, now: int, reason: str) -> Doc:
    """Ends a run that stopped because it was asked to (3.4)."""
    _expect(doc, OWNED, "acknowledge cancel")
    if doc.get("resubmit") is not None:
        return _run_again(doc, now, "")
    if doc.get("cancelRequested") and isinstance(doc.get("cancelReason"), str):
        reason += ": " + doc["cancelReason"]
    return _write(doc, now, "stopped finished", "lock cancelRequested cancelReason progress", status="cancelled",
                  errors=_errors(doc, now, "cancelled", reason))


def release(doc: Doc, now: int) -> Doc:
    """Gives a job back that will not run; the attempt does not count (3.4, 3.5)."""
    _expect(doc, OWNED, "release")
    attempt = max(0, int(doc.get("attempt") or 0) - 1)
    if doc.get("resubmit") is not None:
        return _run_again(doc, now, "released", "progress cancelRequested", attempt=attempt)
    if doc.get("cancelRequested"):
        return _write(doc, now, "finished", "lock cancelRequested progress", status="cancelled")
    return _write(doc, now, "released", "lock progress cancelRequested", status="waiting", attempt=attempt)


def withdraw(doc: Doc, now: int, reason: str) -> Doc:
    """Says that a claim made no owner. The leaf stays (rules 1 and 2)."""
    _expect(doc, OWNED, "withdraw")
    return _write(doc, now, lock={**doc["lock"], "withdrawn": {"at": now, "reason": _text(reason)}})


# What a reading is worth on a cluster

def same_end(leaf: Doc, end: Doc) -> bool:
    """Whether a leaf is this end of a run, by its moments."""
    return not leaf.get("_deleted") and (leaf.get("status"), leaf.get("times")) == (end["status"], end["times"])


def path(leaf: Doc) -> List[str]:
    """The revisions that led to a leaf, the newest first."""
    revisions = leaf.get("_revisions") or {"start": 0, "ids": []}
    return [f"{revisions['start'] - i}-{id}" for i, id in enumerate(revisions["ids"])] or [leaf["_rev"]]


def standing(base: str, claimed: Doc, leaves: Iterable[Doc]) -> str:
    """Whether a claim of revision `base` that was answered 201 makes an owner: alone, contested or unknown (rules 3 and 4)."""
    mine, contested = False, False
    for leaf in leaves:
        token = lock(leaf).get("token")
        if leaf.get("_deleted"):
            contested |= "resolved" not in leaf and counted_fence(leaf) >= claimed["fence"] - 1
        elif token == claimed["lock"]["token"] and not withdrawn(leaf):
            mine = True
        elif leaf["_rev"] != base:  # not a copy that lags; another claim of the same revision, or one that was taken back, contests nothing
            is_harmless = generation(leaf["_rev"]) == generation(base) + 1 or withdrawn(leaf) and lock(leaf)["withdrawn"].get("reason") != "expired"
            contested |= not (token and base in path(leaf) and fence(leaf) == claimed["fence"] and is_harmless)
    return "contested" if contested else "alone" if mine else "unknown"


def stands_against(leaf: Doc, doc: Doc, alone: bool) -> bool:
    """Whether a leaf of a majority speaks against the write `doc`: any live one where it must be `alone`, else one that counts more."""
    if "resolved" in leaf or doc["_rev"] in path(leaf):
        return False
    other, mine = counted_fence(leaf), counted_fence(doc)
    return alone and not leaf.get("_deleted") or other > mine or other == mine and leaf.get("removedBy") == "retention"


def probe(_id: str, q: int) -> str:
    """The `_local` document whose confirmed writes tell of the part of the database that `_id` is in (6.3)."""
    def part(id: str) -> int:
        return min(zlib.crc32(id.encode()) // (2 ** 32 // q), q - 1)
    return next(name for name in (f"_local/couchjobs-probe-{n}" for n in range(1_000_000)) if part(name) == part(_id))
