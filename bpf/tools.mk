# SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
# Finds what every BPF build here needs: CLANG, BPFTOOL, ARCH.

ARCH ?= $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')

# Debian and Ubuntu may have only a suffixed clang.
CLANG ?= $(shell for c in clang clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do \
	command -v $$c && break; done)
# Ubuntu's /usr/sbin/bpftool is a wrapper that refuses other kernels than its own: the first that runs.
BPFTOOL ?= $(shell for b in bpftool /usr/sbin/bpftool $$(ls -d /usr/lib/linux-tools*/bpftool \
	/usr/lib/linux-tools/*/bpftool 2>/dev/null | sort -rV); do \
	$$b version >/dev/null 2>&1 && echo $$b && break; done)

# Of the same LLVM as clang where it stands beside it.
LLVM_STRIP ?= $(shell for s in llvm-strip $(subst clang,llvm-strip,$(notdir $(CLANG))) llvm-strip-21 llvm-strip-20 \
	llvm-strip-19 llvm-strip-18 llvm-strip-17 llvm-strip-16 llvm-strip-15 llvm-strip-14; do command -v $$s && break; done)

.DEFAULT_GOAL := all
.PHONY: tools
tools:
	@test -n "$(CLANG)" || { echo "build bpf: no clang found; install clang or pass CLANG=" >&2; exit 1; }
	@test -n "$(BPFTOOL)" || { echo "build bpf: no bpftool that runs was found; install bpftool (Debian) or linux-tools-generic (Ubuntu), or pass BPFTOOL=" >&2; exit 1; }
