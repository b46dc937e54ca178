// No violation of any weight on any view in the dark theme.
import { axeFindsNothing } from "../support/axe.mjs";

axeFindsNothing("dark");
