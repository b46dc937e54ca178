//! Container image of the program as an OCI archive, built by buildah from `docs/deploy/Containerfile`. It needs no
//! container engine.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::ReleaseName;
use crate::{setup, shell, tree};

/// Builds `task-monitor-0.1.0.oci.tar` in `out`.
pub(super) fn build(release: &ReleaseName, program: &Path, out: &Path) -> Result<()> {
    setup::for_containers()?;
    let context = out.join("image");
    std::fs::create_dir_all(&context)?;
    std::fs::copy(program, context.join("task-monitor"))?;
    for file in ["LICENSE", "THIRD-PARTY-NOTICES.md"] {
        std::fs::copy(tree::root().join(file), context.join(file))?;
    }
    let archive = out.join(format!("task-monitor-{}.oci.tar", release.version));
    let mut buildah = Command::new("buildah");
    buildah.args(["build", "--isolation", "chroot", "--timestamp", &release.time, "--quiet"]);
    buildah.args(["--label", &format!("org.opencontainers.image.version={}", release.version)]);
    buildah.arg("--file").arg(tree::root().join("docs/deploy/Containerfile"));
    buildah
        .arg("--tag")
        .arg(format!("oci-archive:{}:localhost/task-monitor:{}", archive.display(), release.version))
        .arg(&context);
    shell::run_quietly(&mut buildah)?;
    std::fs::remove_dir_all(&context)?;
    Ok(())
}
