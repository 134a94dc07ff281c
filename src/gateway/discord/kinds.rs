//! Discord's numbers by name, all in one place: kinds of components, of answers to interactions, of channels, messages
//! and commands, styles, flags. What serenity has a name for is taken from there; what is newer than serenity 0.12, or
//! what it keeps to itself, has its name here.

use serde::{Serialize, Serializer};
pub use serenity::{
    constants::Opcode,
    model::{
        application::{
            ButtonStyle, CommandOptionType, CommandType, InputTextStyle, InstallationContext,
            InteractionContext, InteractionType,
        },
        channel::{ChannelType, MessageFlags, MessageType},
        guild::GuildMemberFlags,
    },
};

/// The kind that a number stands for. Kinds are small: one beyond a byte is as unknown as the last of them.
pub(super) fn kind<K: From<u8>>(number: u64) -> K {
    K::from(u8::try_from(number).unwrap_or(u8::MAX))
}

/// The message is made of components; one that is stays so for ever.
pub(super) const IS_COMPONENTS_V2: MessageFlags = MessageFlags::from_bits_retain(1 << 15);

/// Components that serenity doesn't write; it numbers rows, buttons and menus itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComponentKind {
    TextInput = 4,
    Section = 9,
    TextDisplay = 10,
    Thumbnail = 11,
    MediaGallery = 12,
    Separator = 14,
    Container = 17,
    Label = 18,
    FileUpload = 19,
    RadioGroup = 21,
    CheckboxGroup = 22,
}

/// Room around a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spacing {
    /// Little.
    Small = 1,
}

/// First answers to an interaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallbackKind {
    Pong = 1,
    Message = 4,
    /// A message that comes later, as an edit of this answer.
    MessageLater = 5,
    /// None that is seen: the message that was used may change later.
    Seen = 6,
    Update = 7,
    Modal = 9,
}

/// They stand in JSON as their numbers.
macro_rules! as_numbers {
    ($($kind:ty),+) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u8(*self as u8)
            }
        }
    )+};
}

as_numbers!(ComponentKind, Spacing, CallbackKind);
