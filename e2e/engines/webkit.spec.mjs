// Smoke test in WebKit. The steps are in `smoke.mjs`.
//
// Proves (page): Every view is complete in WebKit, a new event appears without a reload, and an
// evidence page opens from a disk.
import { startWebKit } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("WebKit", startWebKit);
