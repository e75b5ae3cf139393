"""A request to stop, made by signals that come at the worst moments."""

import subprocess
import sys
import threading

from plyscribe.service.processes.stopping import StopRequest

STORM = """
import os, signal, sys, threading
from plyscribe.service.processes.stopping import StopRequest
for _ in range(200):
    request, enough = StopRequest(), threading.Event()
    signal.signal(signal.SIGTERM, request.make)
    def send():
        while not enough.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
    sender = threading.Thread(target=send)
    sender.start()
    assert request.wait()
    enough.set()
    sender.join()
print("done")
"""


def test_signals_that_interrupt_each_other_do_not_block():
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "done"), done.stderr


def test_it_is_waited_for_until_it_is_made():
    request = StopRequest()
    assert not request.wait(0.01)
    threading.Timer(0.05, request.make).start()
    assert request.wait()
    assert request.is_made
    assert request.wait(0)
