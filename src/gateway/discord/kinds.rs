//! Discord's numbers by name, all in one place: kinds of channels, messages and commands, styles, flags. Serenity has
//! names for them.

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
