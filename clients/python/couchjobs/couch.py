"""HTTP to one CouchDB database: requests, readings that a majority of the copies has, the feed, and the server's clock."""
from __future__ import annotations

import base64
import http.client
import json
import random
import time
from email.utils import parsedate_to_datetime
from typing import Any, Iterator, List, NamedTuple, Optional
from urllib.parse import quote, unquote, urlencode, urlsplit

from .protocol import Doc, Refused, path, probe


class Answer(NamedTuple):
    """What a request was answered; status 0 stands for no answer. Sections 2.1, 3.2 and 3.3 say what each is worth."""

    status: int
    body: Any

    @property
    def unknown(self) -> bool:
        """Whether a write may have happened, and may not."""
        return self.status in (0, 408) or (self.status >= 500 and self.status != 503)


def _check(field: str, value: Any, levels: int = 499) -> None:
    """Refuses more than 500 levels, the document being the first, and an integer that no double can hold: CouchDB dies of it, each time (1.1)."""
    if isinstance(value, (dict, list, tuple)):
        if levels == 0:
            raise ValueError(f"{field} is nested too deeply: a document has at most 500 levels, itself included")
        for inner in value.values() if isinstance(value, dict) else value:
            _check(field, inner, levels - 1)
    elif isinstance(value, int):
        try:
            float(value)
        except OverflowError:
            raise ValueError(f"CouchDB stores numbers up to 1.8e308, but an integer in {field} is larger") from None


def _json(doc: Doc) -> str:
    body = {field: value for field, value in doc.items() if field not in ("_conflicts", "_revisions")}
    for field, value in body.items():
        _check(field, value)
    return json.dumps(body, allow_nan=False)


def pauses(tries: int = 1_000_000, first: float = 0.05, most: float = 2.0) -> Iterator[int]:
    """Counts tries, with growing random pauses between them."""
    for n in range(tries):
        if n:
            time.sleep(random.uniform(0.5, 1) * min(most, first * 2 ** min(n, 20)))
        yield n


class Couch:
    """A database. Threads may share it. All requests go to one node, because probes must (6.3)."""

    def __init__(self, url: str, timeout: float = 30):
        try:
            parts = urlsplit(url)
            fits = parts.scheme in ("http", "https") and parts.hostname and parts.path.strip("/") and parts.port != 0
        except ValueError:  # it has the password in it
            fits = False
        if not fits:
            raise ValueError("url must be http://HOST:PORT/DATABASE; it is not shown, as it may have a password in it")
        self.path, self.timeout, self._parts = parts.path.rstrip("/"), timeout, parts
        self.user = unquote(parts.username) if parts.username else None
        self._headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.user:
            secret = f"{self.user}:{unquote(parts.password or '')}".encode()
            self._headers["Authorization"] = "Basic " + base64.b64encode(secret).decode()
        self._skew, self._cluster = 0.0, None

    def send(self, method: str, path: str, body: Optional[bytes] = None, timeout: float = float("inf")) -> Answer:
        """One request. Without a connection nothing was sent: that is a 503. Whatever else goes wrong on the way is "no answer"."""
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        # A new one: an idle one that the server closes looks like a lost answer.
        connection = kind(self._parts.hostname, self._parts.port, timeout=min(timeout, self.timeout))
        try:
            try:
                connection.connect()
            except OSError as error:
                return Answer(503, str(error))
            connection.request(method, self.path + path, body, self._headers)
            response, received = connection.getresponse(), time.time()  # the body of a long poll comes seconds later
            text, date = response.read(), response.getheader("Date")
            if date:  # in whole seconds, and a second old: a smaller difference says nothing
                skew = parsedate_to_datetime(date).timestamp() - received
                self._skew = skew if abs(skew) > 2 else 0.0
            try:
                return Answer(response.status, json.loads(text))
            except ValueError:  # of a proxy, such as a 413 in HTML
                # A proxy's 404 says nothing of a document.
                return Answer(0, None) if response.status < 300 or response.status == 404 else Answer(response.status, text.decode("utf-8", "replace"))
        except (OSError, http.client.HTTPException, ValueError):
            return Answer(0, None)
        finally:
            connection.close()

    def now(self) -> int:
        """The time by the server's clock (1.1)."""
        return int((time.time() + self._skew) * 1000)

    def get(self, path: str, **params: Any) -> Answer:
        """GET of a path below the database; parameters are written as JSON, but for text."""
        query = urlencode({k: v if isinstance(v, str) else json.dumps(v) for k, v in params.items()})
        return self.send("GET", path + ("?" + query if query else ""))

    def put(self, doc: Doc, timeout: float = float("inf")) -> Answer:
        """Writes a document on the `_rev` that it has. The same document makes the same bytes (2.1)."""
        return self.send("PUT", _segment(doc["_id"]), _json(doc).encode(), timeout)

    def read(self, _id: str) -> Optional[Doc]:
        """The document as this node shows it, with `_conflicts`; None when there is none. An empty `_id` reads what the database is."""
        answer = self.send("GET", _segment(_id) + "?conflicts=true" if _id else "")
        if answer.status not in (200, 404):
            raise ConnectionError(f"cannot read {_id or self.path}: {answer.status or 'no answer'} {answer.body}")
        return answer.body if answer.status == 200 else None

    @property
    def is_cluster(self) -> bool:
        """Whether the database has several copies (6.3)."""
        if self._cluster is None:
            database = self.read("")
            self._cluster = database and (database.get("cluster") or {})  # one that is not there yet may come to be a cluster's
        return (self._cluster or {}).get("n", 1) > 1

    def leaves(self, _id: str) -> Optional[List[Doc]]:
        """All leaves, tombstones too, with their histories (5.2); None when that could not be read."""
        answer = self.get(_segment(_id), open_revs="all", revs=True)
        if answer.status == 404:
            return []
        if answer.status != 200:
            return None
        return list({row["ok"]["_rev"]: row["ok"] for row in answer.body if "ok" in row}.values())  # one leaf may come twice (5.1)

    def majority(self, _id: str) -> Optional[List[Doc]]:
        """All leaves as a majority of the copies has them (6.3, rule 20); None when nothing can be told now."""
        if not self.is_cluster:
            return self.leaves(_id)
        part = "/" + probe(_id, self._cluster.get("q", 1))
        if self.send("PUT", part, b"{}").status != 201:
            return None
        shown = self.send("POST", "/_all_docs", json.dumps({"keys": [_id]}).encode())  # a copy may be alone with a leaf, or hide one
        leaves = self.leaves(_id)
        if shown.status != 200 or leaves is None or self.send("PUT", part, b"{}").status != 201:
            return None
        winners = [leaf["_rev"] for leaf in leaves if not leaf.get("_deleted")] or [leaf["_rev"] for leaf in leaves] or [None]
        return leaves if (shown.body["rows"][0].get("value") or {}).get("rev") in winners else None

    def write(self, doc: Doc, timeout: float = float("inf")) -> Answer:
        """A write for which others may be first. It raises when the database refuses the content, or the user."""
        answer = self.put(doc, timeout)
        if answer.status == 401:
            raise ConnectionError(f"cannot write {doc['_id']}: 401 {answer.body}")
        if 400 <= answer.status < 500 and answer.status not in (408, 409, 412, 429):
            raise Refused(f"the database refuses {doc['_id']}: {answer.status} {answer.body}")
        return answer

    def history(self, leaf: Doc) -> List[Doc]:
        """The revisions that led to a leaf, the oldest first; {} where one was compacted away."""
        asked = {"docs": [{"id": leaf["_id"], "rev": rev} for rev in reversed(path(leaf))]}
        answer = self.send("POST", "/_bulk_get", json.dumps(asked).encode())
        return [row["docs"][0].get("ok", {}) for row in answer.body["results"]] if answer.status == 200 else [{}]

    def attached_data(self, doc: Doc) -> Doc:
        """The data of a job that has it attached (1.4)."""
        answer = self.get(_segment(doc["_id"]), rev=doc["_rev"], attachments=True)
        if answer.status != 200:
            raise ConnectionError(f"the data of {doc['_id']} cannot be read: {answer.status or 'no answer'} {answer.body}")
        return json.loads(base64.b64decode(answer.body["_attachments"]["data.json"]["data"]))

    def changes(self, since: Any) -> Doc:
        """The next rows of the feed (6.1), or none when there are none for half of the time that a request may take."""
        answer = self.get("/_changes", feed="longpoll", timeout=int(self.timeout * 500), since=since, limit=1000,
                          include_docs=True, conflicts=True, style="all_docs")
        if answer.status != 200:
            raise ConnectionError(f"the feed of {self.path} answers {answer.status or 'nothing'}")
        return answer.body


def _segment(_id: str) -> str:
    return "/" + quote(_id, safe="/" if _id.startswith("_local/") else "")
