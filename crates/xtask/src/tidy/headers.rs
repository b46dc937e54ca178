//! Rule for the first word of a module header, which has to be a noun phrase. The words of [`REFUSED`] cannot begin one
//! ("What is stored of …", "Reads a …").

use super::File;

/// Refused first words. A verb form that is also a plural noun (`Answers`, `Counts`, `Lists`, `Stores`) is not here.
const REFUSED: [&str; 5] = [
    // Interrogatives.
    "How However What Whatever When Whenever Where Wherever Whether Which Whichever Who Whoever Whom Whose Why",
    // Pronouns.
    "Anybody Anything Everybody Everyone Everything It Nobody None Nothing Somebody Something That These They This \
     Those We You",
    // Conjunctions.
    "Although And As Because But If Or So Unless Until While",
    // Prepositions.
    "Above After Among At Before Behind Below Beneath Beside Between By During For From In Into Of On Out Over \
     Through To Under Upon With Within Without",
    // Verb forms.
    "Adds Asks Brings Builds Cleans Closes Collects Compares Contains Converts Creates Decides Defines Draws Finds \
     Follows Gets Gives Goes Handles Has Holds Implements Is Keeps Knows Lets Loads Looks Makes Means Opens Parses \
     Prints Provides Puts Reads Removes Runs Says Sends Serves Shows Sorts Takes Tells Tries Turns Watches Writes",
];

pub(super) fn check(file: &File) -> Option<String> {
    if !file.is_rust() || file.path.starts_with("fixtures/") {
        return None;
    }
    let header = file.text.lines().next()?.strip_prefix("//!")?.trim_start();
    let word = header.split(|letter: char| !letter.is_alphanumeric()).next()?;
    let is_refused = REFUSED.iter().flat_map(|words| words.split_whitespace()).any(|refused| refused == word);
    is_refused
        .then(|| file.error(0, &format!("the header begins with `{word}`: name the thing first (\"Journal of …\")")))
}
