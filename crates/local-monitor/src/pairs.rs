//! Parts of a request's address.

/// The segments of a path, decoded.
pub(crate) fn segments(path: &str) -> Vec<String> {
    path.split('/').filter(|segment| !segment.is_empty()).map(decoded).collect()
}

/// Name and value of each parameter.
pub(crate) fn pairs(query: &str) -> Vec<(String, String)> {
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// A segment without its percent-encoding. A plus is itself, unlike in a query.
fn decoded(segment: &str) -> String {
    let segment = segment.replace('+', "%2B");
    let mut pairs = form_urlencoded::parse(segment.as_bytes());
    // `=` and `&` are encoded in a segment of the page.
    pairs.next().map_or_else(String::new, |(name, _)| name.into_owned())
}
