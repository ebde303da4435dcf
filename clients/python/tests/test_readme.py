"""The examples of the README, run as they are against a server."""
import contextlib
import io
import re
import unittest
from pathlib import Path

from tests.server import Server

README = Path(__file__).resolve().parents[1] / "README.md"
ADDRESS = "http://user:password@127.0.0.1:5984/couchjobs"


class ReadmeTest(unittest.TestCase):
    def test_the_worker_of_the_readme_runs_the_job_that_it_adds(self):
        server = Server()
        self.addCleanup(server.close)
        blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
        adds, works = (block.replace(ADDRESS, server.url) for block in blocks)
        self.assertTrue(server.url in adds and server.url in works)
        said = io.StringIO()

        def until_enter(_):
            with contextlib.redirect_stdout(said):
                exec(compile(adds, "README, adding", "exec"), {})

        exec(compile(works, "README, working", "exec"), {"input": until_enter})

        self.assertEqual(said.getvalue(), "added\nsuccess {'sent': True}\n")
