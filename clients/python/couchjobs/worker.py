"""The worker's side: claims, leases, and the ends of runs."""
from __future__ import annotations

import collections
import logging
import random
import threading
import time
import traceback
import uuid
from typing import Any, Callable, Deque, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import protocol
from .couch import Answer, pauses
from .protocol import Doc, Refused
from .queue import Queue

log = logging.getLogger("couchjobs")
Handler = Callable[["Job"], Any]
OVER, UNKNOWN = "its lease is over", "nobody knows whether its end was stored"
Moment = Tuple[float, float]  # on the monotonic clock, and on that of the day


def moment() -> Moment:
    return time.monotonic(), time.time()


class Halted(Exception):
    """The run must stop: the job was cancelled, removed or taken over, its lease is over, or nobody knows whether its end was stored."""


class PermanentFailure(Exception):
    """A handler raises this when a retry would not help."""

    permanent = True


def _refuse_chunk(job: "Job") -> None:
    raise PermanentFailure("a chunk of an array, which the Python client does not run")


class Job:
    """A claimed job. Threads may share it."""

    def __init__(self, worker: "Worker", doc: Doc, sent: Moment):
        self.type, self.id = protocol.parse_id(doc["_id"]) or ("", "")
        self.token: str = doc["lock"]["token"]
        self.fence: int = doc["fence"]
        self.attempt: int = doc.get("attempt") or 0
        self.cancel_requested = False
        self._worker, self._couch, self._doc, self._id, self._confirmed = worker, worker.queue.couch, doc, doc["_id"], sent
        self._writing, self._woken, self._over, self._lost = threading.RLock(), threading.Event(), threading.Event(), ""

    @property
    def data(self) -> Mapping[str, Any]:
        """The input of the job."""
        if "data" in self._doc or not self._doc.get("dataDigest"):
            return self._doc.get("data", {})
        problem = ConnectionError(f"the lease of {self._id} is over")
        for _ in pauses(12):  # a server that is away for some seconds fails no run
            try:
                return self._couch.attached_data(self._doc)
            except ConnectionError as away:
                problem = away
            if not self._lasts():
                break
        raise problem

    @property
    def is_halted(self) -> bool:
        """Whether the handler must stop. This asks nobody: the feed and the lease tell."""
        return not self._lasts() or self.cancel_requested

    def check(self) -> None:
        """Raises Halted when the handler must stop."""
        if self.is_halted:
            raise Halted(f"{self._id}: {self._lost or 'its creator asked to cancel it'}")

    def wait(self, seconds: float) -> bool:
        """Sleeps, and returns True as soon as the handler must stop."""
        end = time.monotonic() + seconds
        while not self.is_halted and time.monotonic() < end:
            self._woken.wait(max(0.0, min(end, self._lease_end()) - time.monotonic()))
        return self.is_halted

    def update(self, progress: Optional[Doc] = None) -> None:
        """Writes the progress as {"percent": 0 to 100, "message": text}. It also renews the lease."""
        self._write(protocol.update, progress=progress)

    def finish(self, result: Any = None) -> None:
        """Ends the run: it has succeeded."""
        self._write(protocol.finish, ends=True, result=result)

    def fail(self, message: str, permanent: bool = False, stack: Optional[str] = None, kind: str = "failed") -> None:
        """Ends the run: it has failed. It is retried as the settings of its type say, but for a `permanent` failure."""
        self._write(protocol.fail, ends=True, message=message, permanent=permanent, stack=stack, kind=kind, luck=random.random(),
                    policy=self._worker.settings(self.type))

    def acknowledge_cancel(self, reason: str = "cancelled on request") -> None:
        """Ends a run that stopped because its creator asked for it."""
        self._write(protocol.acknowledge_cancel, ends=True, reason=reason)

    def release(self) -> None:
        """Gives the job back: it waits as if it had not been claimed."""
        self._write(protocol.release, ends=True)

    def _lease_end(self) -> float:
        """Counts from when the write was sent that was confirmed last (4.2)."""
        return self._confirmed[0] + self._worker.timeout(self.type)

    def shorten(self, timeout: float) -> None:
        """A shorter timeout leaves half of it to renew, and brings back no lease that is over (4.2)."""
        by = time.monotonic() - timeout / 2 - self._confirmed[0]
        if by > 0 and self._lasts():
            self._confirmed = self._confirmed[0] + by, self._confirmed[1] + by

    def _lasts(self) -> bool:
        """Whether the lease lasts (rule 6). A monotonic clock that stood still is no excuse."""
        sent, at = self._confirmed
        stood_still = (time.time() - at) - (time.monotonic() - sent) > self._worker.timeout(self.type) / 2
        if not self._lost and (time.monotonic() >= self._lease_end() or stood_still):
            self._lose(OVER)
        return not self._lost

    def _lose(self, reason: str) -> None:
        self._lost = self._lost or reason
        self._woken.set()
        self._over.set()
        self._worker.drop(self)

    def _holds(self, leaf: Doc) -> bool:
        return protocol.lock(leaf).get("token") == self.token and not protocol.withdrawn(leaf) and not leaf.get("_deleted")

    def keep(self) -> None:
        """Renews the lease by an update every third of the timeout, until the job is not owned any more (4.1)."""
        while self._lasts():
            due = self._confirmed[0] + self._worker.timeout(self.type) / 3 - time.monotonic()
            try:
                if due <= 0:
                    self.update()
                else:
                    self._over.wait(min(due, 0.5))  # the timeout may change
            except Halted:
                pass
            except Exception as problem:  # such as a refusal
                log.warning("the lease of %s: %r", self._id, problem)
                self._over.wait(0.3)

    def hear(self, doc: Doc, several: bool = False) -> None:
        """The feed shows the job. Without its token, or beside other leaves, that is a reason to read it, not yet to halt (3.3, rule 19)."""
        if self._holds(doc) and doc.get("cancelRequested"):
            self.cancel_requested = True
            self._woken.set()
        if several or not self._holds(doc):
            self.doubt()

    def doubt(self) -> None:
        """Has the job read."""
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        """Reads the job until that tells of what was written last."""
        for _ in pauses(most=20.0):
            seen, leaves = self._doc, self._couch.majority(self._id)
            with self._writing:
                if not self._lasts():
                    return
                if leaves is not None and self._doc is seen:  # else what was written meanwhile tells more
                    self._own(leaves)
                    return

    def _own(self, leaves: List[Doc]) -> Optional[Doc]:
        """The leaf of this claim, as a majority has it; without one, or beside one that counts more, the job is lost."""
        mine = next(filter(self._holds, leaves), None)
        if not mine or any(protocol.stands_against(leaf, mine, False) for leaf in leaves):
            self._lose("it was removed, or others have it")
        elif mine.get("cancelRequested"):
            self.cancel_requested = True
            self._woken.set()
        return mine

    def _write(self, transition: Callable[..., Doc], ends: bool = False, **arguments: Any) -> None:
        """Writes for the owner: the same bytes until a 201, and after a 409 the same change on what others wrote meanwhile (3.3)."""
        with self._writing:
            base, doc, sent, doubt, failed = self._doc, None, moment(), False, False
            for _ in pauses():
                if not self._lasts():
                    raise Halted(f"{self._id}: {self._lost}")
                if doc is None:
                    doc, sent = transition(base, self._couch.now(), **arguments), moment()
                answer = self._put(doc)
                doubt = doubt or answer.status == 202 or answer.unknown
                if answer.status == 201:
                    return self._wrote({**doc, "_rev": answer.body["rev"]}, sent, ends, doubt)
                leaves = self._couch.majority(self._id) if answer.status in (409, 412) else None
                if leaves is None:
                    continue
                if ends and doubt and not any(map(self._holds, leaves)):
                    stored = next((leaf for leaf in leaves if protocol.same_end(leaf, doc)), None)
                    if stored and not self._couch.is_cluster:
                        return self._wrote(stored, sent, ends, doubt)
                    self._lose(UNKNOWN)
                base = self._own(leaves) or base
                failed = failed or self._couch.is_cluster and doc["status"] == "failed"
                if failed:  # stored on one copy it counts more than a cancellation (rule 8)
                    base = {field: value for field, value in base.items() if field != "cancelRequested"}
                doc = None

    def _put(self, doc: Doc) -> Answer:
        try:
            return self._couch.write(doc, self._worker.timeout(self.type) / 3)  # a request that hangs must not cost the lease
        except (Refused, ValueError, TypeError) as problem:
            problem.permanent = True  # type: ignore[union-attr]  # the database refuses what the owner writes (3.3)
            raise

    def _wrote(self, doc: Doc, sent: Moment, ends: bool, doubt: bool) -> None:
        if ends and self._couch.is_cluster and (doubt or not self._lasts()):  # rule 9
            leaves = self._couch.majority(self._id)
            if leaves is None or any(protocol.stands_against(leaf, doc, False) for leaf in leaves):
                self._lose(UNKNOWN)
                raise Halted(f"{self._id}: {UNKNOWN}")
        self._doc, self._confirmed = doc, max(sent, self._confirmed) if self._lasts() else self._confirmed
        if ends:
            self._lose("its run has ended")


class Worker:
    """Claims jobs of some types, and keeps their leases.

    Its id is `name` and random digits: a worker of that very id would take its jobs for those of a process before (3.5).
    """

    def __init__(self, queue: Queue, types: Union[str, Iterable[str]], name: Optional[str] = None):
        self.queue, self.types = queue, [types] if isinstance(types, str) else list(types)
        site = queue.site.get("site")
        self.id = f"{name or 'python'}-{uuid.uuid4().hex[:12]}" + (f"@{site}" if site else "")
        self._lines = [f"{type}:{site}" if site else type for type in self.types]  # the site's own jobs, and at home the others too (7.3)
        self._lines += self.types if site and queue.site.get("home") else []
        self._couch, self._closed = queue.couch, False
        self._settings: Dict[str, Doc] = {}
        self._jobs: Dict[str, Job] = {}  # also those whose claim is under way
        self._resting: Dict[str, Tuple[float, int]] = {}
        self._loops: List[threading.Thread] = []
        self._due: Deque[Doc] = collections.deque()
        self._claiming, self._woken, self._next_scan, self._lull = threading.Lock(), threading.Event(), 0.0, 0.0
        self._scanned = 0  # by the server's clock, which goes on while this machine sleeps
        self._design = self._find_design()
        for type in self.types:  # before the first claim: a type may be paused
            self._read_settings(type)
        threading.Thread(target=self._follow, daemon=True).start()

    # Claiming (3.1, 3.2)

    def claim(self, wait: float = float("inf")) -> Optional[Job]:
        """Claims a due job, or None when there is none within `wait` seconds, or after `stop`."""
        end = time.monotonic() + wait
        while not self._closed:
            if not self._due:
                self._woken.wait(max(0.0, min(end, self._next_scan) - time.monotonic()))
            with self._claiming:
                if self._couch.now() > self._scanned + 60_000:  # a claim of what was run, deleted and purged since would be stored
                    self._due.clear()
                if not self._due and not self._closed and (self._woken.is_set() or time.monotonic() >= self._next_scan):
                    self._scan()
                doc = self._due.popleft() if self._due else None
            job = self._claim(doc) if doc and self._lets_in(doc) else None
            if job and job._doc.get("array") is not None:  # 1.3
                self._handle(job, _refuse_chunk)
            elif job or not doc and time.monotonic() >= end:
                return job
        return None

    def _claim(self, doc: Doc) -> Optional[Job]:
        """Claims exactly the revision that the index showed. The answers are worth what the table of 3.2 says."""
        claimed = protocol.claim(doc, self._couch.now(), str(uuid.uuid4()), self.id, self._couch.user)
        job = Job(self, claimed, moment())
        answer, verdict = Answer(0, None), "no majority confirmed it"
        with job._writing:
            if self._jobs.setdefault(doc["_id"], job) is not job:
                return None
            if self._closed:  # asked once the job is among those that `stop` gives back
                job._lose("its worker has stopped")
                return None
            try:
                answer = self._couch.put(claimed)
                if answer.status == 201:
                    job._doc = {**claimed, "_rev": answer.body["rev"]}
                    verdict = self._judge(doc, job._doc)
            except Exception as problem:  # nobody knows whether the claim made an owner: it is taken back
                verdict = f"{problem!r:.200}"
            if verdict == "alone" and job._lasts():
                if not self._closed:
                    self._resting.pop(doc["_id"], None)
                    threading.Thread(target=job.keep, daemon=True).start()
                    return job
                verdict = "its worker has stopped"
            if self._couch.is_cluster:
                job._lose("its claim made no owner")  # before `stop` could give it back as a run
        if answer.status != 409:
            self._rest(doc["_id"])
        if answer.unknown:  # the next would be lost, too, and have to be looked for
            with self._claiming:
                self._due.clear()
        if answer.status in (201, 202) or answer.unknown:
            self._take_back(job, f"the claim made no owner: {verdict}")
        elif answer.status not in (404, 409, 412, 429, 503):
            log.warning("the claim of %s was answered %s %s", doc["_id"], answer.status, answer.body)
        job._lose("its claim made no owner")
        return None

    def _rest(self, _id: str) -> None:
        """Leaves a job alone for a random, growing pause."""
        times = self._resting.get(_id, (0.0, 0))[1]
        self._resting[_id] = time.monotonic() + random.uniform(0.4, min(20.0, 0.8 * 2 ** min(times, 5))), times + 1

    def _judge(self, base: Doc, claimed: Doc) -> str:
        """After a 201 on a cluster: what all leaves say, among which the claim itself must be (rule 3)."""
        if not self._couch.is_cluster:
            return "alone"
        readings = (self._couch.leaves(claimed["_id"]) for _ in pauses(8, 0.1))
        verdicts = (protocol.standing(base["_rev"], claimed, leaves) for leaves in readings if leaves is not None)
        return next((verdict for verdict in verdicts if verdict != "unknown"), "unknown")

    def _take_back(self, job: Job, reason: str) -> None:
        """Gives back a claim that made no owner (3.5), where a few readings show it. Otherwise it expires, as nobody renews it."""
        for _ in pauses(4 if self._couch.is_cluster else 1, 0.1):
            mine = list(filter(job._holds, self._couch.leaves(job._id) or []))
            for leaf in mine:
                now = self._couch.now()
                self._couch.put(protocol.withdraw(leaf, now, reason) if self._couch.is_cluster else protocol.release(leaf, now))
            if mine:
                return

    # Finding due jobs, and following (6.1, 6.2)

    def _scan(self) -> None:
        """Reads from the index what is due, and when to look again."""
        time.sleep(max(0.0, self._lull - time.monotonic()))
        woken, cluster = self._woken.is_set(), self._couch.is_cluster
        if woken and cluster:
            time.sleep(random.uniform(0.0, 0.1))  # another worker may be first for the job
        self._woken.clear()  # before the reading, so that no wake-up is lost
        self._next_scan = 0.0  # again at once, should it fail
        now, started = self._couch.now(), time.monotonic()
        self._scanned = now
        soon = 1.0 if woken and cluster else 20.0  # an index is read from one copy, which may lag; the clock is looked at again (6.1)
        due, is_long = {}, False
        self._resting = {_id: rest for _id, rest in list(self._resting.items()) if rest[0] > started - 60}
        for line in (line for line in self._lines if not self.settings(line.split(":")[0])["paused"]):
            page, before = {"startkey": [line]}, len(due)
            while page and not self._closed:  # a page of jobs that may not be claimed hides those behind it
                answer = self._couch.get(f"/_design/{self._design}/_view/due", **page, endkey=[line, now + 20_000],
                                         limit=100, include_docs=True)
                if answer.status == 404:
                    self._design = self._find_design()
                now = self._couch.now()  # the answer may have told of another time
                soon = soon if answer.status == 200 else 1.0
                rows = answer.body["rows"] if answer.status == 200 else []
                for row in rows:
                    rest = max((row["key"][1] - now) / 1000, self._resting.get(row["id"], (0.0,))[0] - started, row["id"] in self._jobs)
                    if rest > 0:
                        soon = min(soon, max(0.02, rest))
                    elif (row.get("doc") or {}).get("_rev") == row["value"] and self._lets_in(row["doc"]):
                        due.setdefault(row["id"], row["doc"])  # include_docs reads the document later than the row
                is_last = len(rows) < 100 or len(due) > before or rows[-1]["key"][1] > now
                page = {} if is_last else {"startkey": rows[-1]["key"], "startkey_docid": rows[-1]["id"]}
                is_long = is_long or bool(page)
        self._due.extend(due.values())
        self._next_scan = started if due else started + soon
        self._lull = time.monotonic() + 1 if is_long and not due else 0.0  # a backlog that is shut out is read once a second

    def _find_design(self) -> str:
        """The name of the index: any `jobs-` and 8 hex digits (6.2)."""
        answer = self._couch.get("/_all_docs", startkey="\"_design/jobs-\"", endkey="\"_design/jobs-\ufff0\"")
        rows = answer.body["rows"] if answer.status == 200 else []
        for name in (row["id"][len("_design/"):] for row in rows):
            if len(name) == 13 and set(name[5:]) <= set("0123456789abcdef"):
                return name
        raise ConnectionError(f"no design document jobs-VERSION is there, or no answer ({answer.status}); couchjobs init stores it")

    def _lets_in(self, doc: Doc) -> bool:
        """Paused types, and classes that are not let in, are not claimed (3.1); jobs that are only to be ended are left to others (8)."""
        settings = self.settings(doc["_id"].split(":")[1])
        return not settings["paused"] and not doc.get("endAs") and (settings["classes"] is None or (doc.get("class") or "") in settings["classes"])

    def _follow(self) -> None:
        """Takes the position, reads, and then opens the feed: no wake-up is lost. After a break it begins anew (6.1)."""
        while not self._closed or self._jobs:  # a run that is to end before `stop` hears of a cancel, too
            try:
                since = (self._couch.read("") or {})["update_seq"]
                for type in self.types:
                    self._read_settings(type)
                for job in list(self._jobs.values()):
                    job.doubt()
                self._woken.set()
                while not self._closed or self._jobs:
                    asked, page = time.monotonic(), self._couch.changes(since)
                    for row in page["results"]:
                        self._on_row(row["id"], row.get("doc") or {}, len(row["changes"]) > 1)
                    since, took = page["last_seq"], time.monotonic() - asked
                    is_cut_off = not page["results"] and took < min(1, self._couch.timeout / 4)  # as in maintenance mode
                    time.sleep(random.uniform(0.2, 1.0) if is_cut_off else 0.05)  # what comes meanwhile comes in one answer
            except Exception as problem:  # such as a server that does not answer, or what nobody expects in a document
                log.warning("the feed broke, and is opened again: %r", problem)
                time.sleep(random.uniform(0.2, 1.0))

    def _on_row(self, _id: str, doc: Doc, several: bool) -> None:
        kind, type = (_id.split(":") + [""])[:2]
        if type not in self.types or kind not in ("job", "type"):
            return
        job = self._jobs.get(_id)
        if kind == "type":
            self._read_settings(type)
        elif job:
            job.hear(doc, several)
        if kind == "type" or not doc.get("_deleted") and not doc.get("lock") and doc.get("status") in (None, *protocol.PENDING):
            self._woken.set()

    # Settings (7.1)

    def settings(self, type: str) -> Doc:
        """The settings of a type, as they were last read."""
        return self._settings[type]

    def timeout(self, type: str) -> float:
        """How long an owner of this type may be silent, in seconds."""
        return self.settings(type)["timeout"] / 1000

    def _read_settings(self, type: str) -> None:
        now = protocol.settings(self._couch.read("type:" + type) or {}, self.queue.default_timeout * 1000)
        for job in list(self._jobs.values()):
            if job.type == type and job._lasts() and now["timeout"] < self.settings(type)["timeout"]:  # a lease that is over stays over (4.2)
                job.shorten(now["timeout"] / 1000)
        self._settings[type] = now

    def drop(self, job: Job) -> None:
        """The job is not this worker's any more."""
        if self._jobs.get(job._id) is job:
            self._jobs.pop(job._id, None)

    # Handlers, and the end

    def run(self, handler: Handler, concurrency: int = 1) -> "Worker":
        """Runs a handler for each job, `concurrency` at a time, in threads. Returns at once."""
        for _ in range(concurrency):
            self._loops.append(threading.Thread(target=self._loop, args=(handler,), daemon=True))
            self._loops[-1].start()
        return self

    def _loop(self, handler: Handler) -> None:
        while not self._closed:
            try:
                job = self.claim()
                if job:
                    self._handle(job, handler)
            except Exception:  # such as a server that does not answer
                log.exception("a claim, or the end of a run, failed")
                time.sleep(random.uniform(0.2, 1.0))

    def _handle(self, job: Job, handler: Handler) -> None:
        """Ends the run as its handler ended (3.4)."""
        try:
            try:
                result = handler(job)
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as problem:  # also SystemExit, and asyncio.CancelledError
                if job._lasts() and job.cancel_requested:
                    return job.acknowledge_cancel()
                permanent = getattr(problem, "permanent", False) is True
                return job.fail(f"{type(problem).__name__}: {problem}", permanent, traceback.format_exc())
            try:
                job.finish(result)
            except (Refused, TypeError, ValueError) as problem:  # the database, or JSON, does not take this result
                job.fail(f"the result was refused: {problem}", permanent=True)
        except Halted as halted:
            log.info("%s", halted)
        finally:
            job._lose("its run is over")  # where no end could be written: nobody renews its lease, and it expires

    def stop(self, grace: float = float("inf")) -> None:
        """Claims nothing more, and waits `grace` seconds until all handlers have ended. The jobs that are left, also those that were claimed by
        hand, are given back."""
        self._closed, end = True, time.monotonic() + grace
        if threading.current_thread() in self._loops:  # a handler may stop its worker, and gives its own job back
            self._loops.remove(threading.current_thread())
        while any(loop.is_alive() for loop in list(self._loops)) and time.monotonic() < end:
            self._woken.set()
            time.sleep(0.05)
        self._woken.set()
        for job in list(self._jobs.values()):
            try:
                job.release()
            except (Halted, Refused, ConnectionError) as problem:
                log.info("%s", problem)
                job._lose("its worker has stopped")
