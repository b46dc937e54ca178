# The only door. Every target is one line into crates/xtask, which brings what is missing and says what it does; what
# needs more crates than that is a command of crates/devtools, benchmarks are crates/bench.
XTASK = cargo run --package xtask --
DEVTOOLS = cargo run --package devtools --

.PHONY: run run-fleet test test-full test-openclaw test-claude-code test-codex dev fmt check native e2e bench bundle dist dist-check soak screenshots train eval
run: ; @$(XTASK) run
# What a change needs to be trusted. CI runs this.
test: ; @$(XTASK) test
# Cross products, slow proofs, the release bundle and other browsers as well.
test-full: ; @$(XTASK) test-full
# The real OpenClaw, fetched once by npm; skipped with a line where that cannot be.
test-openclaw: ; @$(XTASK) test-openclaw
# The real Claude Code with our hooks and a scripted model; skipped alike.
test-claude-code: ; @$(XTASK) test-claude-code
# The real Codex alike.
test-codex: ; @$(XTASK) test-codex
dev: ; @$(XTASK) dev
# Three NATS servers, two machines with demo homes and two aggregators on this machine
run-fleet: ; @$(DEVTOOLS) run-fleet
fmt: ; @$(XTASK) fmt
check: ; @$(XTASK) check
# One native test by name: make native ARGS=delivery_law
native: ; @$(XTASK) native $(ARGS)
# Browser tests; ARGS go to playwright test: --grep override, --ui, --debug, --project release
e2e: ; @$(XTASK) e2e $(ARGS)
# Optimised: it plays a thousand clients at once, and slow ones would measure themselves.
bench: ; @cargo run --release --package bench -- $(ARGS)
bundle: ; @$(DEVTOOLS) bundle
# Archive, npm packages, container image, checksums of a release into target/packages/
dist: ; @$(DEVTOOLS) dist
# Installs and starts each of them on a root without Rust
dist-check: ; @$(DEVTOOLS) dist-check
soak: ; @$(DEVTOOLS) soak $(ARGS)
screenshots: ; @$(XTASK) screenshots $(ARGS)
# Optimised: thousands of features times a thousand records.
train: ; @cargo run --release --package devtools -- train $(ARGS)
eval: ; @cargo run --release --package devtools -- eval $(ARGS)
