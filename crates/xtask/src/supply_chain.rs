//! Supply chain checks of the crates: licences, duplicates and origins (cargo-deny, `deny.toml`), unused dependencies
//! (cargo-shear), third-party notices, and known vulnerabilities (cargo-audit). Nothing is compiled.
//!
//! Once tools and crates are fetched, only the vulnerability check needs a network. If its database cannot be fetched,
//! the check is reported as skipped. With `TASK_HUB_ADVISORIES=required`, as in the nightly workflow, it fails instead.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::{notices, setup, shell, tree};

/// Where cargo-audit finds versions. The fuzz targets are a workspace of their own.
const LOCK_FILES: [&str; 2] = ["Cargo.lock", "fuzz/Cargo.lock"];
/// Set to `required`, an advisory check that cannot run is an error.
const ADVISORIES: &str = "TASK_HUB_ADVISORIES";
/// How long a git host may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(180);

/// All checks; the error names those that failed.
pub fn run() -> Result<()> {
    let programs = setup::supply_chain()?;
    // Uses no network when the crates of Cargo.lock are there already.
    shell::run(shell::cargo().args(["fetch", "--locked", "--quiet"]))?;
    let checks = [
        ("cargo-deny", deny(&programs)),
        ("cargo-shear", shear(&programs)),
        ("third-party notices", notices::check()),
        ("cargo-audit", audit(&programs)),
    ];
    let mut failed = Vec::new();
    for (name, outcome) in checks {
        if let Err(error) = outcome {
            shell::say(&format!("{name}: {error:#}"));
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("supply chain: {}", failed.join(", "))
}

/// Licences, duplicates and origins.
fn deny(programs: &Path) -> Result<()> {
    let mut deny = tool(programs, "cargo-deny");
    deny.args(["--offline", "--locked", "--workspace", "check", "--hide-inclusion-graph"]);
    shell::run(deny.args(["bans", "licenses", "sources"]))
}

/// Dependencies that no code uses.
fn shear(programs: &Path) -> Result<()> {
    shell::run(tool(programs, "cargo-shear").args(["--locked", "--offline"]))
}

/// Known vulnerabilities, unsound and unmaintained crates, yanked versions.
fn audit(programs: &Path) -> Result<()> {
    let config = std::fs::read_to_string(tree::root().join("deny.toml")).context("cannot read deny.toml")?;
    let ignored = ignored_advisories(&config);
    let folder = tree::target()?.join("supply-chain");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for (number, lock) in LOCK_FILES.iter().enumerate() {
        let log = folder.join(format!("audit-{number}.log"));
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut audit = tool(programs, "cargo-audit");
        audit.args(["audit", "--color", "never", "--deny", "warnings", "--file", lock]);
        audit.args(ignored.iter().flat_map(|id| ["--ignore", id.as_str()]));
        audit.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let clean = shell::run_within(&mut audit, FETCH_TIMEOUT).is_ok();
        let output = std::fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
        match verdict(clean, &output) {
            AuditVerdict::Clean => shell::say(&format!("advisories: nothing known against {lock}")),
            AuditVerdict::NotFetched(cause) => return not_fetched(&cause),
            AuditVerdict::Found => {
                println!("{output}");
                bail!("{lock}: see above; a finding that does not apply goes into deny.toml, with its reason");
            }
            AuditVerdict::Unclear => {
                println!("{output}");
                bail!("{lock}: cargo-audit failed");
            }
        }
    }
    Ok(())
}

/// Nothing was checked: an error where the check is required.
fn not_fetched(cause: &str) -> Result<()> {
    if std::env::var_os(ADVISORIES).is_some_and(|value| value == "required") {
        bail!("the advisory database could not be fetched ({cause}), and {ADVISORIES}=required");
    }
    shell::say(&format!("advisories: SKIPPED, nothing was checked: the database could not be fetched ({cause})"));
    Ok(())
}

fn tool(programs: &Path, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    command.current_dir(tree::root());
    // What an outer cargo set for this program.
    for name in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH"] {
        command.env_remove(name);
    }
    command
}

/// What a run of cargo-audit proves.
#[derive(Debug, PartialEq, Eq)]
enum AuditVerdict {
    Clean,
    Found,
    /// The database is not there: the cause.
    NotFetched(String),
    /// Anything else, as a lock file that cannot be read.
    Unclear,
}

/// cargo-audit ends with 1 both for a finding and for a database that it could not fetch: its output tells them apart.
fn verdict(clean: bool, output: &str) -> AuditVerdict {
    let loaded = output.contains("Loaded ") && output.contains(" security advisories");
    if !loaded {
        let fetching = output.contains("couldn't fetch advisory database") || output.contains("Fetching advisory");
        let cause = output.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let cause = cause.trim_start_matches("-> ").to_owned();
        return if fetching && !clean { AuditVerdict::NotFetched(cause) } else { AuditVerdict::Unclear };
    }
    match clean {
        true => AuditVerdict::Clean,
        false if output.contains("Crate: ") => AuditVerdict::Found,
        false => AuditVerdict::Unclear,
    }
}

/// The ids in `advisories.ignore` of `deny.toml`, which names them once for both tools.
fn ignored_advisories(config: &str) -> Vec<String> {
    let entries = config.lines().filter(|line| !line.trim_start().starts_with('#'));
    let ids = entries.flat_map(|line| line.split('"')).filter(|word| word.starts_with("RUSTSEC-"));
    ids.filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{AuditVerdict, ignored_advisories, verdict};

    const LOADED: &str = "    Fetching advisory database\n      Loaded 1225 security advisories (from x)\n";

    #[test]
    fn failed_fetch_is_not_a_clean_report() {
        let text = "    Fetching advisory database\nerror: couldn't fetch advisory database: git operation failed\n\
                    Caused by:\n  -> error sending request\n\n";
        assert_eq!(verdict(false, text), AuditVerdict::NotFetched("error sending request".to_owned()));
        let hung = "    Fetching advisory database from `x`\n";
        assert!(matches!(verdict(false, hung), AuditVerdict::NotFetched(_)));
        assert_eq!(verdict(true, ""), AuditVerdict::Unclear, "a success that loaded nothing");
        assert_eq!(verdict(false, "error: unexpected argument\n"), AuditVerdict::Unclear);
    }

    #[test]
    fn loaded_database_gives_a_verdict() {
        assert_eq!(verdict(true, LOADED), AuditVerdict::Clean);
        let found = format!("{LOADED}Crate:     time\nID:        RUSTSEC-2020-0071\nerror: 1 vulnerability found!\n");
        assert_eq!(verdict(false, &found), AuditVerdict::Found);
        assert_eq!(verdict(false, &format!("{LOADED}error: not found: Couldn't load x\n")), AuditVerdict::Unclear);
    }

    #[test]
    fn ignored_advisories_come_from_deny_toml() {
        let config = "ignore = [\n  # \"RUSTSEC-2020-0001\"\n  { id = \"RUSTSEC-2024-0436\", reason = \"x\" },\n]\n";
        assert_eq!(ignored_advisories(config), ["RUSTSEC-2024-0436"]);
    }
}
