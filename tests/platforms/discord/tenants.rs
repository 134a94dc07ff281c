//! A server that belongs to a customer of the bot: its channels, roles, deciders and staff are that customer's own.

use insta::assert_snapshot;

use crate::discord::{
    bot::{ADA, APPROVALS, Bot, INTRODUCTIONS, Plan},
    emulator::state::GUILD,
    welcome::{newest, requesting},
};

/// A server of somebody else's.
const ELSEWHERE: u64 = 1_500_000_000_000_000_001;

fn plan(tenant: u64) -> Plan {
    Plan { tenant: Some(tenant), ..Plan::default() }
}

#[tokio::test]
async fn a_member_is_welcomed_with_what_is_set_up_for_the_tenant() {
    let bot = requesting(plan(GUILD)).await;
    assert!(newest(&bot, INTRODUCTIONS).to_string().contains(&format!("<@{ADA}>")));
    let card = newest(&bot, APPROVALS).to_string();
    assert!(card.contains("@Ada") || card.contains("Contributor"), "{card}");
    let desk = bot.grace().at("staff-approvals");
    assert!(desk.screen().contains("@Contributor"), "{}", desk.screen());
    // Staff of the tenant see how everyone is doing; who is none does not.
    let linus = bot.linus().at("staff-approvals");
    linus.command("/review", &[]).await;
    assert!(linus.screen().contains("Ada"), "{}", linus.screen());
    bot.mallory().at("staff-approvals").press("Approve").await;
    assert!(!bot.roles(ADA).contains(&"Contributor".to_owned()), "{:?}", bot.roles(ADA));
    desk.press("Approve").await;
    desk.press("Yes, approve").await;
    assert!(bot.roles(ADA).contains(&"Contributor".to_owned()), "{:?}", bot.roles(ADA));
}

#[tokio::test]
async fn in_a_server_of_no_tenant_nothing_begins_and_nobody_has_a_say() {
    let bot = Bot::planned(plan(ELSEWHERE)).await;
    let grace = bot.grace().at("welcome");
    grace.command("/onboard start", &[]).await;
    assert_snapshot!(grace.news(), @"
    #welcome
      + Anteroom (only you): There's no interview to take part in here yet. The team can invite you when there is.
    ");
    // She has the role of those who decide, and he is staff: of the other server's team.
    for member in [bot.grace(), bot.linus()] {
        let member = member.at("welcome");
        drop(member.news());
        member.command("/review", &[]).await;
        let news = member.news();
        assert!(news.ends_with("Only the team can do that.\n"), "{news}");
    }
    assert_eq!(bot.engine.newest((None, 1), |_| true).await.unwrap().0.len(), 0);
}
