//! List of the third-party parts of a release (SBOM) in the CycloneDX format.

use std::path::Path;

use anyhow::Result;
use serde_json::json;
use xtask::notices;

use super::ReleaseName;

/// Writes `task-monitor-0.1.0.cdx.json` into `out`.
pub(super) fn write(release: &ReleaseName, out: &Path) -> Result<()> {
    let components: Vec<_> = notices::shipped_crates()?
        .into_iter()
        .map(|part| {
            json!({
                "type": "library",
                "name": part.name,
                "version": part.version,
                "purl": format!("pkg:cargo/{}@{}", part.name, part.version),
                "licenses": [{ "expression": part.licence.replace('/', " OR ") }],
            })
        })
        .collect();
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "task-monitor", "version": release.version } },
        "components": components,
    });
    std::fs::write(out.join(format!("task-monitor-{}.cdx.json", release.version)), format!("{list:#}\n"))?;
    Ok(())
}
