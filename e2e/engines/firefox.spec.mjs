// Smoke tests in Firefox. `smoke.mjs` contains them.
//
// Proves (page): Every view is complete in Firefox, and a new event appears without a reload.
import { startFirefox } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("Firefox", startFirefox);
