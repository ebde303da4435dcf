"""A small client of couchjobs, a job queue on Apache CouchDB. It obeys docs/protocol.md, protocol 1."""
from .couch import Couch
from .protocol import Refused
from .queue import Added, Queue, Unconfirmed
from .worker import Halted, Job, PermanentFailure, Worker

__all__ = ["Added", "Couch", "Halted", "Job", "PermanentFailure", "Queue", "Refused", "Unconfirmed", "Worker"]
