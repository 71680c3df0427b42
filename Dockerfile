# SPDX-License-Identifier: Apache-2.0
# hadolint global ignore=DL3002,DL3008
#
# docker build -t wattfeed .
# docker run -d --name wattfeed --restart unless-stopped \
#   --pid host --cgroupns host --network host \
#   --cap-drop ALL --cap-add BPF --cap-add PERFMON --cap-add SYS_PTRACE --cap-add DAC_READ_SEARCH \
#   --security-opt seccomp=unconfined --security-opt apparmor=unconfined --read-only \
#   -v /sys:/host/sys:ro -v /sys/fs/bpf:/sys/fs/bpf -v /run/wattfeed:/run/wattfeed \
#   -v /var/lib/wattfeed:/var/lib/wattfeed -v /etc/machine-id:/etc/machine-id:ro \
#   -e OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 wattfeed
# docker exec -it wattfeed wattfeed top
#
# Why each of these:
#   --pid host             the kernel counts by the host's pids; /proc must speak of the same ones
#   --cgroupns host        cgroup paths as the host has them, to name containers and pods
#   --network host         only for a collector on the host's localhost
#   BPF, PERFMON           load and attach tracing programs, open perf events
#   SYS_PTRACE             /proc/PID/exe of other users' processes
#   DAC_READ_SEARCH        energy_uj is 0400
#   + SYS_ADMIN            where kernel.perf_event_paranoid is 3 or more (Debian, Ubuntu) and for
#                          accounting.bpf_stats; + SYS_RESOURCE on kernels before 5.11
#   seccomp, apparmor      older engines' default profiles refuse bpf() and perf_event_open() even to
#                          a process that has the capabilities
#   /sys at /host/sys      engines hide /sys/devices/virtual/powercap; a bind elsewhere is not hidden
#   /sys/fs/bpf            the lock against a second measurer, also one outside the container
#   /run/wattfeed          viewers on the host join the agent
#   /var/lib/wattfeed      the counters' last readings, so that a restart loses no joules
#
# No container engine has built it yet. scripts/prove-image.ts carries out the lines below in Debian 12
# roots and starts the last stage under chroot with the rights and mounts above: 376 MiB, of which Debian
# 159 and Node 122; the health check finds a window. Not tried: the two base images themselves, layers,
# and an engine's seccomp and AppArmor profiles.

FROM node:24-bookworm AS build
WORKDIR /src
# The dependencies first: a layer that changes only with the lock file.
COPY package.json package-lock.json .npmrc ./
COPY scripts/setup.sh scripts/
COPY scripts/lib scripts/lib/
RUN scripts/setup.sh --only modules
COPY . .
RUN scripts/setup.sh --yes \
    && npm pack --pack-destination /tmp \
    && mkdir /app \
    && npm install --prefix /app --omit=dev --ignore-scripts --no-audit --no-fund /tmp/wattfeed-*.tgz

FROM debian:12-slim
LABEL org.opencontainers.image.title="wattfeed" \
      org.opencontainers.image.description="Which process, container and pod burns how many joules" \
      org.opencontainers.image.licenses="Apache-2.0"
# Node alone, without npm: the image has no compiler and no package manager but apt.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libbpf1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/node_modules /usr/local/lib/wattfeed/node_modules
COPY scripts/healthcheck.mjs /usr/local/lib/wattfeed/
RUN ln -s ../lib/wattfeed/node_modules/.bin/wattfeed /usr/local/bin/wattfeed
# uid 0 on purpose: for any other uid the engine grants no effective capabilities.
USER 0
STOPSIGNAL SIGTERM
# A new window has to come over the agent's own socket: an agent that hangs is not healthy.
HEALTHCHECK --interval=30s --timeout=15s --start-period=20s --retries=3 \
    CMD ["node", "/usr/local/lib/wattfeed/healthcheck.mjs"]
ENTRYPOINT ["wattfeed"]
# The kernel's own statistics of BPF run time need CAP_SYS_ADMIN, which this command line does not ask for.
CMD ["run", "--sysfs-root", "/host/sys", "--cgroup-root", "/host/sys/fs/cgroup", \
     "--accounting-bpf-stats", "false"]
