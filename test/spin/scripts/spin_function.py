# SPDX-License-Identifier: Apache-2.0
"""Waits for what a method says."""


class Job:
    def __init__(self):
        self.done = False

    def is_done(self):
        return self.done


def wait(job):
    while not job.is_done():
        pass


wait(Job())
