// Test reporter that writes one line per test for the summary of a test suite: status, milliseconds, file, title
// (tab-separated). `flaky` is a test that failed first and passed on its retry.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export default class TimesReporter {
  constructor({ file }) {
    this.file = path.resolve(import.meta.dirname, "..", file);
  }

  onBegin(_config, suite) {
    this.suite = suite;
  }

  onEnd() {
    const lines = this.suite.allTests().map((test) => {
      const outcome = { expected: "passed", unexpected: "failed", flaky: "flaky", skipped: "skipped" }[test.outcome()];
      const ms = test.results.reduce((sum, result) => sum + result.duration, 0);
      return [outcome, ms, path.basename(test.location.file), test.title.replaceAll(/\s+/g, " ")].join("\t");
    });
    mkdirSync(path.dirname(this.file), { recursive: true });
    writeFileSync(this.file, lines.map((line) => `${line}\n`).join(""));
  }

  printsToStdio() {
    return false;
  }
}
