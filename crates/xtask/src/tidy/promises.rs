//! Check of promised proofs: each promise in `SECURITY.md` names an existing command, and each test filter of the soaks
//! (long test runs, `crates/devtools/src/soak.rs`) matches a test.

use super::File;

/// Rows of the tables of promises; the other table there promises nothing.
pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(page) = files.iter().find(|file| file.path == "SECURITY.md") else { return Vec::new() };
    let mut found = Vec::new();
    let mut promises = 0;
    for (number, line) in page.text.lines().enumerate() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [promise, proof] = cells.as_slice() else { continue };
        if !line.starts_with("| ") || promise.trim() == "promise" {
            continue;
        }
        promises += 1;
        let commands: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        if commands.is_empty() {
            found.push(page.error(number, "a promise without the command that proves it"));
        }
        for command in commands.into_iter().filter(|command| !exists(command, files)) {
            found.push(page.error(number, &format!("no such proof: `{command}`")));
        }
    }
    if promises == 0 {
        found.push(page.error(0, "no promise is found here: is the table written differently?"));
    }
    found
}

fn exists(command: &str, files: &[File]) -> bool {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    let says = |path: &str, text: &str| files.iter().any(|file| file.path == path && file.text.contains(text));
    let words: Vec<&str> = command.split(' ').collect();
    match words.as_slice() {
        ["make", "e2e", spec] => has(&format!("e2e/specs/{}.spec.mjs", spec.trim_start_matches("ARGS="))),
        ["make", "soak", proof] => {
            says("crates/devtools/src/soak.rs", &format!("name: \"{}\"", proof.trim_start_matches("ARGS=")))
        }
        ["cargo", "run", "-p", package @ ("xtask" | "devtools"), "--", task] => {
            says(&format!("crates/{package}/src/main.rs"), &format!("\"{task}\" =>"))
        }
        ["cargo", "test", "-p", package @ ("xtask" | "devtools"), name] => {
            has(&format!("crates/{package}/src/{name}.rs"))
        }
        ["cargo", "test", "-p", package, "--test", "it", name] => {
            let tests = format!("crates/{}/tests/it/{name}", package.trim_start_matches("task-"));
            has(&format!("{tests}.rs")) || has(&format!("{tests}/mod.rs"))
        }
        ["cargo", "test", "-p", package, "--lib", name] => {
            let sources = format!("crates/{}/src/", package.trim_start_matches("task-"));
            files.iter().any(|file| {
                file.path
                    .strip_prefix(&sources)
                    .is_some_and(|path| path.trim_end_matches(".rs").split('/').any(|it| it == *name))
                    && (file.text.contains("#[test]") || file.text.contains("#[tokio::test"))
            })
        }
        _ => false,
    }
}

/// Filters of the long proofs (`crates/devtools/src/soak.rs`): each selects a test, because a filter without a test
/// passes.
pub(super) fn check_soaks(files: &[File]) -> Vec<String> {
    let Some(soak) = files.iter().find(|file| file.path == "crates/devtools/src/soak.rs") else { return Vec::new() };
    let mut found = Vec::new();
    for (number, line) in soak.text.lines().enumerate() {
        for call in line.split("tests(\"").skip(1) {
            let Some((package, filter)) = call.split_once("\", \"") else { continue };
            let filter = filter.split('"').next().unwrap_or_default();
            if !selects(package, filter, files) {
                found.push(soak.error(number, &format!("no test of {package} matches `{filter}`")));
            }
        }
    }
    found
}

/// Whether a test function of a package has the filter in its name, or a module of it in its path.
fn selects(package: &str, filter: &str, files: &[File]) -> bool {
    let folder = format!("crates/{}/", package.trim_start_matches("task-"));
    let path = filter.trim_end_matches(':').replace("::", "/");
    files.iter().filter(|file| file.is_rust() && file.path.starts_with(&folder)).any(|file| {
        match filter.contains("::") {
            true => file.path.contains(&format!("/{path}/")) || file.path.ends_with(&format!("/{path}.rs")),
            false => file.text.lines().any(|line| {
                let name = line.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
                name.is_some_and(|name| name.contains(filter)) || module_of(&file.path).is_some_and(|it| it == filter)
            }),
        }
    })
}

/// Module that a file is, by its name.
fn module_of(path: &str) -> Option<&str> {
    path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))?.rsplit('/').next()
}
