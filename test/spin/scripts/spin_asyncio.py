# SPDX-License-Identifier: Apache-2.0
"""Waits in an event loop that never sleeps."""
import asyncio


async def main():
    done = False
    while not done:
        await asyncio.sleep(0)


asyncio.run(main())
