# The only door. Every target is one line into crates/xtask, which brings what is missing and says what it does.
XTASK = cargo run --package xtask --

.PHONY: run test test-openclaw test-claude-code dev fmt check e2e bench bundle soak screenshots train eval
run: ; @$(XTASK) run
test: ; @$(XTASK) test
# The real OpenClaw, fetched once by npm; skipped with a line where that cannot be.
test-openclaw: ; @$(XTASK) test-openclaw
# The real Claude Code with our hooks and a model of our own; skipped alike.
test-claude-code: ; @$(XTASK) test-claude-code
dev: ; @$(XTASK) dev
fmt: ; @$(XTASK) fmt
check: ; @$(XTASK) check
e2e: ; @$(XTASK) e2e $(ARGS)
# Optimised: it plays six hundred clients at once, and slow ones would measure themselves.
bench: ; @cargo run --release --package xtask -- bench $(ARGS)
bundle: ; @$(XTASK) bundle
soak: ; @$(XTASK) soak $(ARGS)
screenshots: ; @$(XTASK) screenshots
# Optimised: thousands of features times a thousand records.
train: ; @cargo run --release --package xtask -- train $(ARGS)
eval: ; @cargo run --release --package xtask -- eval $(ARGS)
