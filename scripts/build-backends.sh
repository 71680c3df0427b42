#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the collector suite runs against, built into the cache: a Collector and a Prometheus.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build-collector.sh
scripts/build-prometheus.sh
