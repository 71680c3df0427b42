# SPDX-License-Identifier: Apache-2.0
"""Waits for an event, awake, while another thread sleeps."""
import threading
import time

event = threading.Event()
threading.Thread(target=lambda: time.sleep(1e6), daemon=True).start()
while not event.is_set():
    pass
