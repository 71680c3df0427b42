# SPDX-License-Identifier: Apache-2.0
"""Lengths of Collatz sequences."""


def length(n):
    steps = 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


best = 0
start = 1
while True:
    best = max(best, length(start))
    start += 1
