// Smoke in WebKit, see `smoke.mjs`.
import { startWebKit } from "../support/engines.mjs";
import { smoke } from "./smoke.mjs";

smoke("WebKit", startWebKit);
