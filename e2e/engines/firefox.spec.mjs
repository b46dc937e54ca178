// Smoke in Firefox, see `smoke.mjs`.
import { startFirefox } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("Firefox", startFirefox);
