"""A server for the tests, the Java command line beside it, and Couch classes that lose or change answers.

COUCHJOBS_TEST_URL  the root of a CouchDB with credentials, as http://user:password@127.0.0.1:5984; else an embedded server is started
COUCHJOBS           the couchjobs command; else the script of this repository
COUCHJOBS_PATIENCE  how many seconds a test waits for something, 120 unless told
"""
import atexit
import json
import os
import queue
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path
from urllib.parse import urlsplit

from couchjobs import Couch

ROOT = Path(__file__).resolve().parents[3]
COMMAND = os.environ.get("COUCHJOBS") or str(ROOT / "couchjobs")
PATIENCE = float(os.environ.get("COUCHJOBS_PATIENCE", "120"))


def until(condition, what):
    """Waits until a condition holds, for PATIENCE seconds at most. Its value."""
    end = time.monotonic() + PATIENCE
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE} s for {what}")
        threading.Event().wait(0.05)


class Server:
    """A database for one test module. All its tests share it, each with a type of its own."""

    def __init__(self, *serve_options):
        self._process = None
        root = None if serve_options else os.environ.get("COUCHJOBS_TEST_URL")
        self.url = f"{root.rstrip('/')}/py-{uuid.uuid4().hex[:12]}" if root else self._serve(serve_options)
        if root:
            self.java("init")

    def _serve(self, options):
        self._process = subprocess.Popen([COMMAND, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        atexit.register(self.close)
        lines = queue.Queue()
        threading.Thread(target=lambda: [lines.put(line) for line in self._process.stdout], daemon=True).start()
        end = time.monotonic() + 3 * PATIENCE
        while time.monotonic() < end:
            try:
                line = lines.get(timeout=1)
            except queue.Empty:
                if self._process.poll() is not None:
                    break
                continue
            if line.strip().startswith("http://"):
                return line.split()[0]
        raise AssertionError(f"{COMMAND} serve has not started, exit code {self._process.poll()}")

    def java(self, *arguments, check=True):
        """Runs the Java command line on this database; what it printed."""
        done = subprocess.run([COMMAND, *arguments], env=self.environment(), capture_output=True, text=True, timeout=3 * PATIENCE,
                              stdin=subprocess.DEVNULL)
        if check and done.returncode != 0:
            raise AssertionError(f"couchjobs {' '.join(arguments)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def inspect(self, type, id):
        """A job as the Java library understands it."""
        return json.loads(self.java("inspect", type, id, "-o", "json"))

    def environment(self):
        parts = urlsplit(self.url)
        plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        credentials = {"COUCHJOBS_USER": parts.username, "COUCHJOBS_PASSWORD": parts.password or ""} if parts.username else {}
        return {**os.environ, "COUCHJOBS_URL": plain, **credentials}

    def start_java(self, *arguments):
        """Starts a long-running command; the caller ends it by `end`."""
        process = subprocess.Popen([COMMAND, *arguments], env=self.environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, start_new_session=True)
        return process

    def close(self):
        if self._process:
            end(self._process)
            self._process.stdout.close()
            self._process = None
        elif os.environ.get("COUCHJOBS_TEST_URL"):
            Couch(self.url).send("DELETE", "")


def end(process):
    """Ends a process that a test started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()


class Tampered(Couch):
    """A Couch whose answers a function may change: `tamper(method, path, body, send)` sends and returns the answer."""

    def __init__(self, url, tamper=None, cluster=False):
        super().__init__(url)
        self.tamper = tamper
        if cluster:
            self._cluster = {"n": 3, "q": ((self.read("") or {}).get("cluster") or {}).get("q", 1)}

    def send(self, method, path, body=None, timeout=float("inf")):
        def send():
            return super(Tampered, self).send(method, path, body, timeout)
        return self.tamper(method, path, json.loads(body) if body else None, send) if self.tamper else send()
