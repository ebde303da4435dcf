"""The client against a cluster of three nodes: COUCHJOBS_TEST_URL if that is one, else the embedded simulation."""
import os
import threading
import unittest
import uuid

from couchjobs import Couch, Queue
from tests.server import PATIENCE, Server, end


def setUpModule():
    global SERVER
    url = os.environ.get("COUCHJOBS_TEST_URL")
    if url:
        SERVER = Server()
        if not Couch(SERVER.url).is_cluster:
            SERVER.close()
            raise unittest.SkipTest("COUCHJOBS_TEST_URL is not a cluster")
    else:
        SERVER = Server("--simulate-cluster", "3")


def tearDownModule():
    SERVER.close()


class ClusterTest(unittest.TestCase):
    def test_racing_workers_of_both_kinds_run_each_job_and_no_run_has_two_owners(self):
        """A Java worker beside them resolves the conflicts, which this client leaves to others."""
        type, jobs, runs, writing = "t" + uuid.uuid4().hex[:8], 12, [], threading.Lock()

        def handler(job):
            with writing:
                runs.append((job.id, job.fence))
            return "python"
        queue = Queue(SERVER.url)
        self.assertTrue(queue.couch.is_cluster)
        workers = [Queue(SERVER.url).work(type, handler, 2) for _ in range(2)]
        java = SERVER.start_java("work", type, "--concurrency", "1", "--", "echo", '"java"')
        try:
            for n in range(jobs):
                self.assertEqual(queue.add(type, str(n)).answer, "added")
            ends = [queue.wait(type, str(n), PATIENCE) for n in range(jobs)]
        finally:
            for worker in workers:
                worker.stop(5)
            end(java)
        self.assertEqual([doc["status"] for doc in ends], ["success"] * jobs)
        self.assertEqual(len(runs), len(set(runs)), "a fence had two owners")
        for doc in ends:
            self.assertNotIn("lock", doc)

    def test_probes_are_confirmed(self):
        couch = Couch(SERVER.url)
        self.assertEqual(couch.majority("job:nothing:here"), [])


if __name__ == "__main__":
    unittest.main()
