// Configuration of an example Next.js app that hosts the dashboard. The browser tests use it.
import path from "node:path";
import { withTaskHub } from "task-hub-next";

// The package is a link to `npm/task-hub-next`, and Turbopack resolves no file outside its root.
const root = path.join(import.meta.dirname, "../..");
export default withTaskHub({ outputFileTracingRoot: root, turbopack: { root } }, { backLink: { label: "Task-Hub", href: "/" } });
