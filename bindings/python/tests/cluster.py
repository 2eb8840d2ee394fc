"""A standalone Spark cluster on loopback: one master and workers as processes of their own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
#: Every process of a cluster has this variable in its environment.
MARK = "IMN_TEST_CLUSTER"


def environment(mark: str) -> dict[str, str]:
    """The environment of all processes, the driver included."""
    python = sys.executable
    return {
        **os.environ,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": python,
        "PYSPARK_DRIVER_PYTHON": python,
        MARK: mark,
    }


class Cluster:
    """Master and workers. Each is the leader of a process group, which its executors belong to."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.mark = uuid.uuid4().hex
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        main = "org.apache.spark.deploy.master.Master"
        self.master = self._start("master", main, "--host", "127.0.0.1", "--port", "0")
        self.url = self._wait("master", r"Starting Spark master at (spark://\S+)")
        for _ in range(workers):
            self._add_worker()
        for number in range(workers):
            self._wait(f"worker{number}", r"(Successfully registered with master)")

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [str(SPARK_HOME / "bin/spark-class"), *arguments, "--webui-port", "0"]
        with open(self.folder / f"{name}.log", "wb") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env=environment(self.mark), cwd=self.folder,
            )  # fmt: skip

    def _wait(self, name: str, pattern: str, seconds: float = 120) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            log = (self.folder / f"{name}.log").read_text(errors="replace")
            if found := re.search(pattern, log):
                return found[1]
            time.sleep(0.2)
        raise AssertionError(f"{name} does not start:\n{log}")

    def _add_worker(self) -> None:
        """Starts a worker with one core."""
        name = f"worker{len(self.workers)}"
        main = "org.apache.spark.deploy.worker.Worker"
        work = str(self.folder / name)
        options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir", work]
        self.workers.append(self._start(name, main, *options, self.url))

    def kill_worker(self, number: int) -> None:
        """Kills a worker and its executors at once, as a lost machine would."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    def stop(self) -> list[str]:
        """Ends all processes. Returns the commands of those that did not end."""
        for process in [*self.workers, self.master]:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        # The Python workers of a killed executor notice that its end of the pipe is closed.
        end = time.monotonic() + 20
        while (left := self._processes()) and time.monotonic() < end:
            time.sleep(0.2)
        for process_id in left:
            os.kill(process_id, signal.SIGKILL)
        return list(left.values())

    def _processes(self) -> dict[int, str]:
        """The processes of the cluster, the driver excepted."""
        mark = f"{MARK}={self.mark}".encode()
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    if command:
                        found[int(folder.name)] = command.decode(errors="replace")
            except OSError:
                continue
        return found
