// Smoke test in Firefox. The steps are in `smoke.mjs`.
//
// Proves (page): Every view is complete in Firefox, a new event appears without a reload, and an
// evidence page opens from a disk.
import { startFirefox } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("Firefox", startFirefox);
