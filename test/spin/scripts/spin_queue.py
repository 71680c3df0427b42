# SPDX-License-Identifier: Apache-2.0
"""Asks an empty queue again and again."""
import queue

jobs = queue.Queue()
while True:
    try:
        jobs.get_nowait()
    except queue.Empty:
        pass
