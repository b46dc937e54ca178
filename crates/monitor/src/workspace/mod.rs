//! Reading and watching the agents' folders and `openclaw.json` (`contract/workspace.md`).
