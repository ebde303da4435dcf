#!/usr/bin/env python3
"""Runs jobs of the type "resize" until it gets TERM or Ctrl-C: worker.py URL"""
import signal
import sys
import threading
from pathlib import Path

# As long as the client is not installed: pip install ./clients/python
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))
from couchjobs import Job, PermanentFailure, Queue  # noqa: E402


def resize(job: Job) -> dict:
    name, dot, ending = job.data["file"].rpartition(".")
    if not dot:
        raise PermanentFailure(f"not a picture: {job.data['file']}")
    return {"made": f"{name}-{job.data['width']}.{ending}"}


stop = threading.Event()
for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: stop.set())
worker = Queue(sys.argv[1]).work("resize", resize, concurrency=2)
stop.wait()
worker.stop(grace=10)
