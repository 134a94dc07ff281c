//! Who somebody is and what they may do, by what came with the thing they did: nothing is asked, so nothing is stale.
//!
//! Rights come from the lists and roles of the configuration, looked at with each click. Who administers a server sees
//! everything in it anyway and so counts as staff; to decide, they must be listed like everybody else.

use crate::{
    config::Lists,
    gateway::discord::inbound::Actor,
    model::session::{PersonId, Place, Platform},
    session::Responder,
};

/// The server's name in ids where there is none: a direct conversation.
pub(crate) const NO_GUILD: &str = "direct";

/// What people are called of whom nothing is known.
const SOMEBODY: &str = "somebody";

/// A person in a server.
pub fn person_id(guild: &str, user: &str) -> PersonId {
    let (workspace, user) = (guild.to_owned(), user.to_owned());
    PersonId { platform: Platform::Discord, workspace, user }
}

/// Whether a place is a direct conversation: its channel is then a person. Otherwise its thread is named by the person
/// for whom it is, since it is made after the conversation has begun.
pub const fn is_direct(place: &Place) -> bool {
    place.thread.is_none()
}

/// Who did something, with what they may do in that server now.
pub fn responder(lists: &Lists, guild: &str, by: &Actor) -> Responder {
    let mut responder = known(guild, by);
    let Some(member) = &by.member else {
        // Outside of a server nobody has roles; the lists by name hold everywhere.
        if let Some(approver_of) = lists.rights_of(&responder.person, &[].into()) {
            responder = Responder { approver_of, staff: true, ..responder };
        }
        return responder;
    };
    let roles = member.roles.iter().cloned().collect();
    match lists.rights_of(&responder.person, &roles) {
        Some(approver_of) => Responder { approver_of, staff: true, ..responder },
        None => Responder { staff: member.permissions.administrator(), ..responder },
    }
}

/// Who did something that needs no rights, such as giving one's own answer.
pub fn known(guild: &str, by: &Actor) -> Responder {
    let name = if by.name.trim().is_empty() { SOMEBODY } else { by.name.as_str() };
    Responder::without_rights(person_id(guild, &by.user), name.to_owned())
}

/// Whether somebody looks after a server: they may post the panel.
pub(crate) fn manages(by: &Actor) -> bool {
    by.member.as_ref().is_some_and(|member| {
        member.permissions.administrator() || member.permissions.manage_guild()
    })
}

#[cfg(test)]
mod tests {
    use serenity::model::Permissions;

    use super::*;
    use crate::{config::Approvers, gateway::discord::inbound::Member};

    fn lists() -> Lists {
        let list = Approvers { discord_roles: vec!["20".to_owned()], ..Approvers::default() };
        Lists {
            approvers: [("staff_approvals".to_owned(), list)].into(),
            staff_users: ["7".to_owned()].into(),
            staff_groups: ["21".to_owned()].into(),
        }
    }

    fn rights(user: &str, roles: &[&str], permissions: Permissions) -> (bool, Vec<String>) {
        let roles = roles.iter().map(|&role| role.to_owned()).collect();
        let member = Some(Member { roles, permissions, ..Member::default() });
        let by = Actor { user: user.to_owned(), member, ..Actor::default() };
        let found = responder(&lists(), "500", &by);
        (found.staff, found.approver_of)
    }

    #[test]
    fn rights_come_from_roles_names_and_the_servers_own_administrators() {
        let none = Permissions::empty();
        let decides = vec!["staff_approvals".to_owned()];
        assert_eq!(rights("1", &["20"], none), (true, decides));
        assert_eq!(rights("1", &["21"], none), (true, Vec::new()));
        assert_eq!(rights("7", &[], none), (true, Vec::new()));
        assert_eq!(rights("1", &["22"], none), (false, Vec::new()));
        // An administrator looks on, and decides nothing.
        assert_eq!(rights("1", &[], Permissions::ADMINISTRATOR), (true, Vec::new()));
        assert_eq!(rights("1", &[], Permissions::MANAGE_ROLES), (false, Vec::new()));
        let outside = Actor { user: "7".to_owned(), ..Actor::default() };
        assert!(responder(&lists(), NO_GUILD, &outside).staff);
    }
}
