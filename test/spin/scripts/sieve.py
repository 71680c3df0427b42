# SPDX-License-Identifier: Apache-2.0
"""Primes below 100 000, again and again."""
while True:
    flags = [True] * 100_000
    for i in range(2, 317):
        if flags[i]:
            for j in range(i * i, 100_000, i):
                flags[j] = False
