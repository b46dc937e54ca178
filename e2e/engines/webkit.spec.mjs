// Smoke tests in WebKit. `smoke.mjs` contains them.
//
// Proves (page): Every view is complete in WebKit, and a new event appears without a reload.
import { startWebKit } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("WebKit", startWebKit);
