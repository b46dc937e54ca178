// No violation of any weight on any view in the light theme.
import { axeFindsNothing } from "../support/axe.mjs";

axeFindsNothing("light");
