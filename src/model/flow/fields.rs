//! Fields of data, as tables of a flow: what people fill in, without JSON Schema.

use std::{fmt, marker::PhantomData};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::Number;

/// A table whose entries keep the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InOrder<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for InOrder<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, entry)| (name, entry)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for InOrder<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = InOrder<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(InOrder(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for InOrder<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Table_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let entry = generator.subschema_for::<T>();
        schemars::json_schema!({ "type": "object", "additionalProperties": entry })
    }
}

/// One field of data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataField {
    /// What may be filled in.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Its label; without it, its name in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A hint below the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Must be filled in.
    #[serde(default = "super::yes")]
    pub required: bool,
    /// Fewest characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u32>,
    /// Most characters of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// Least number, or fewest choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Number>,
    /// Greatest number, or most choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Number>,
    /// Whole numbers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<bool>,
    /// What there is to choose from: labels by what is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<InOrder<String>>,
    /// Who sees it besides the participant and the transcript; without it, everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible_to: Option<Vec<Reader>>,
}

/// Who is shown what a participant has told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Reader {
    /// Those who decide, on their cards.
    Deciders,
    /// The team: summaries, the staff page, and the records in exports.
    Team,
    /// Web hooks.
    Hooks,
}

impl Reader {
    /// The word in a flow.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Deciders => "deciders",
            Self::Team => "team",
            Self::Hooks => "hooks",
        }
    }
}

/// What may be filled into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FieldType {
    /// One line of text.
    Text,
    /// Several lines.
    LongText,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// A day.
    Date,
    /// Yes or no.
    YesNo,
    /// A number.
    Number,
    /// One of some options.
    Choice,
    /// Several of them.
    Choices,
}
