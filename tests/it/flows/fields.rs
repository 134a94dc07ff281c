//! Mistakes in the fields of data: each is found, with its line and what to do about it.

use super::said;

/// A valid flow, and the table of it that is replaced by fields.
const VALID: &str = include_str!("../../fixtures/flows/volunteers.toml");
const SCHEMA: &str = "[data.interests]\nschema = \"builtin:string_list\"\n";

fn with(table: &str) -> String {
    let flow = VALID.replacen(SCHEMA, &format!("{SCHEMA}\n[data.extra]\n{table}\n"), 1);
    assert_ne!(flow, VALID);
    said(&flow)
}

#[test]
fn each_mistake_in_a_field_is_told_with_what_to_do() {
    for (field, expected) in [
        (r#"{ type = "txt" }"#, "`txt` is not one of"),
        (r#"{ type = "txt" }"#, "did you mean `text`?"),
        ("{ }", "`type` is missing"),
        (r#"{ type = "text", hlep = "x" }"#, "did you mean `help`?"),
        (r#"{ type = "text", min = 2 }"#, "use `min_length` and `max_length` for texts"),
        (
            r#"{ type = "email", max_length = 9 }"#,
            "`max_length` does nothing here: `it` is an e-mail address",
        ),
        (r#"{ type = "date", whole = true }"#, "`whole` does nothing here: `it` is a date"),
        (r#"{ type = "text", options = { a = "A" } }"#, "`options` does nothing here"),
        (
            r#"{ type = "text", min_length = 9, max_length = 2 }"#,
            "`min_length` is greater than `max_length`",
        ),
        (r#"{ type = "text", max_length = 0 }"#, "no text fits `it`"),
        (r#"{ type = "number", min = 9, max = 2.5 }"#, "`min` is greater than `max`"),
        (r#"{ type = "choice" }"#, "`it` has nothing to choose from"),
        (r#"{ type = "choices", options = {} }"#, "`it` has nothing to choose from"),
        (r#"{ type = "choice", options = { a = "" } }"#, "the option `a` of `it` has no label"),
        (
            r#"{ type = "choice", options = { a = "A", b = "A" } }"#,
            "two options of `it` are called “A”",
        ),
        (
            r#"{ type = "choices", options = { a = "A" }, min = 2 }"#,
            "wants more choices than its 1 options",
        ),
        (
            r#"{ type = "choices", options = { a = "A" }, max = 0 }"#,
            "nothing can be picked for `it`",
        ),
        (
            r#"{ type = "choices", options = { a = "A" }, min = 0.5 }"#,
            "`0.5` is not a number of choices",
        ),
    ] {
        let said = with(&format!("[data.extra.fields]\nit = {field}"));
        assert!(said.contains(expected), "{field}: {said}");
        assert!(said.starts_with("flow.toml:60:"), "{field}: {said}");
    }
}

#[test]
fn a_table_of_data_has_one_schema() {
    let both = with("schema = \"builtin:string_list\"\nfields = { it = { type = \"text\" } }");
    assert!(both.contains("set either `fields` or a schema, not both"), "{both}");
    let empty = with("fields = {}");
    assert!(empty.contains("there are no fields"), "{empty}");
    let named = with("fields = { \"First name\" = { type = \"text\" } }");
    assert!(named.contains("`First name` can't be the name of a field"), "{named}");
    assert!(with("").contains("use `fields` or `schema_inline`"));
}

#[test]
fn fields_are_known_to_expressions_and_drafts() {
    let flow = VALID.replacen(
        r#"prompt = "What would you like to do, {{ records.person.name }}?""#,
        r#"prompt = "What would you like to do, {{ records.extra.nme }}?""#,
        1,
    );
    let flow = flow.replacen(
        SCHEMA,
        &format!("{SCHEMA}\n[data.extra.fields]\nname = {{ type = \"text\" }}\n"),
        1,
    );
    let said = said(&flow);
    assert!(said.contains("`extra` has no field `nme`"), "{said}");
}
