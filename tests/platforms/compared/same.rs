//! The same flow, the same answers, three platforms and the smallest one there can be.

use anteroom::store::Store;
use insta::assert_snapshot;

use super::{
    bot::{ADA, Bot, Plan},
    log,
    plain::bot::Bot as PlainBot,
    slack::bot::Bot as SlackBot,
    web::Web,
};

/// A notice, a choice, several, a file, data that is corrected, words; each answered by what the platform has for it.
const FLOW: &str = r#"
format = 1
id = "same"
version = "1.0.0"
title = "Everywhere the same"

[start.slack]
commands = ["/onboard"]
place = "dm"

[start.discord]
panel = true
panel_text = "Press Start."
place = "private-thread"
parent = "welcome"
fallback = "dm"

[notice]
required = true
text = "This is a bot."
accept = "Go on"
human = "A person"
decline = "Not now"

[approvals.override]
decider = "participant"

[handoff]
channel = "recruiting_desk"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"kind":{"type":"string"}}}'
review = true

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "get_user_upload"]
uploads = { accept = ["txt", "md"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  skip = "participant"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "drinks"
  tool = "get_user_option"
  args = { prompt = "What do you drink?", allowMultiple = true, options = [ { id = "tea", label = "Tea" }, { id = "milk", label = "Milk" }, { id = "rum", label = "Rum" } ] }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["txt", "md"] }

[[phase]]
id = "two"
title = "Two"
mode = "script"
tools = ["submit_for_validation", "request_user_input", "get_user_option"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "review"
  tool = "submit_for_validation"
  save = "pet"
  args = { dataType = "pet", message = "Is that your pet?", data = { name = "Rax" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }

  [[phase.step]]
  id = "last"
  tool = "get_user_option"
  args = { prompt = "Was it bearable?", options = [ { id = "yes", label = "Yes" }, { id = "no", label = "No" } ] }
"#;

const CV: (&str, &[u8]) = ("cv.txt", b"Programmer since 1842.");

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "the log is shown whole")]
async fn the_same_answers_to_the_same_flow_are_the_same_log_on_every_platform() {
    let web = on_the_web().await;
    let slack = in_slack().await;
    let discord = in_discord().await;
    let plain = in_a_plain_chat().await;
    same("Slack", &web, &slack);
    same("Discord", &web, &discord);
    same("a plain chat", &web, &plain);
    assert_snapshot!(web, @r#"
    1 {"type":"started","session":"ses 1","flow":{"id":"same","version":"1.0.0","digest":"c1b8a680a6b603c78d50c269fb0650514a7c11776578df74661c30e6fbcc3e4e"},"participant":"person","name":"Ada Byron","place":"place","test":false}
    2 {"type":"asked","id":"wait 2","session":"ses 1","revision":1,"purpose":{"kind":"notice"},"state":null,"prompt":{"title":"Everywhere the same","body":"This is a bot.","control":{"kind":"choose","choices":[{"id":"accept","label":"Go on"},{"id":"human","label":"A person"},{"id":"decline","label":"Not now"}],"multiple":false,"required":true}},"answerers":{"who":"participant"},"digest":"7e2762ee0bd391258bb077857c97f809be9a31fc566aff718515d6ee4adef62f","asked_at":"time","standing":{"is":"pending"}}
    3 {"type":"answered","wait":"wait 2","reply":{"kind":"chosen","ids":["accept"]},"by":"person","by_name":"Ada Byron","via":"component"}
    4 {"type":"applied","wait":"wait 2"}
    5 {"type":"notice_answered","choice":"accepted","text_sha256":"7e2762ee0bd391258bb077857c97f809be9a31fc566aff718515d6ee4adef62f","version":"1.0.0","locale":"en"}
    6 {"type":"status_changed","to":"open","reason":"the interview begins"}
    7 {"type":"advanced","from":null,"to":"one","grounds":{"because":"began"}}
    8 {"type":"called","id":"step_colour_1","tool":"get_user_option","args":{"prompt":"Which colour?","options":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}]},"phase":"one","origin":{"from":"step","step":"colour"}}
    9 {"type":"asked","id":"wait 3","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_colour_1","tool":"get_user_option"},"state":{},"prompt":{"body":"Which colour?","control":{"kind":"choose","choices":[{"id":"red","label":"Red"},{"id":"blue","label":"Blue"}],"multiple":false,"required":true}},"answerers":{"who":"participant"},"digest":"618206a1af02270c32a579a72a3e501eda9ed1535af4fa16500da270f12c3fb4","asked_at":"time","standing":{"is":"pending"}}
    10 {"type":"answered","wait":"wait 3","reply":{"kind":"chosen","ids":["blue"]},"by":"person","by_name":"Ada Byron","via":"component"}
    11 {"type":"applied","wait":"wait 3"}
    12 {"type":"returned","call":"step_colour_1","result":{"outcome":"ok","value":{"selectedIds":["blue"],"timestamp":"time"}}}
    13 {"type":"objective_set","objective":"coloured","status":"completed","by":"evidence"}
    14 {"type":"stepped","phase":"one","step":"colour","next":"drinks"}
    15 {"type":"called","id":"step_drinks_1","tool":"get_user_option","args":{"prompt":"What do you drink?","allowMultiple":true,"options":[{"id":"tea","label":"Tea"},{"id":"milk","label":"Milk"},{"id":"rum","label":"Rum"}]},"phase":"one","origin":{"from":"step","step":"drinks"}}
    16 {"type":"asked","id":"wait 4","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_drinks_1","tool":"get_user_option"},"state":{},"prompt":{"body":"What do you drink?","control":{"kind":"choose","choices":[{"id":"tea","label":"Tea"},{"id":"milk","label":"Milk"},{"id":"rum","label":"Rum"}],"multiple":true,"required":true}},"answerers":{"who":"participant"},"digest":"52271d0d3799ef7ad853e7793faf7ca64e669d31ef7fa46b63e32358f9362081","asked_at":"time","standing":{"is":"pending"}}
    17 {"type":"answered","wait":"wait 4","reply":{"kind":"chosen","ids":["tea","rum"]},"by":"person","by_name":"Ada Byron","via":"component"}
    18 {"type":"applied","wait":"wait 4"}
    19 {"type":"returned","call":"step_drinks_1","result":{"outcome":"ok","value":{"selectedIds":["tea","rum"],"timestamp":"time"}}}
    20 {"type":"stepped","phase":"one","step":"drinks","next":"file"}
    21 {"type":"called","id":"step_file_1","tool":"get_user_upload","args":{"uploadType":"other","prompt":"A file, please.","acceptedFormats":["txt","md"]},"phase":"one","origin":{"from":"step","step":"file"}}
    22 {"type":"asked","id":"wait 5","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_file_1","tool":"get_user_upload"},"state":{},"prompt":{"body":"A file, please.","control":{"kind":"upload","upload_type":"other","accept":["txt","md"],"max_bytes":1048576,"max_files":1,"required":false}},"answerers":{"who":"participant"},"digest":"a36c24f14c180e2996391a3920f45c76f1b18f227f4f696913062a4296370d5e","asked_at":"time","standing":{"is":"pending"}}
    23 {"type":"kept","id":"upload 6","upload_type":"other","filename":"cv.txt","content_type":"text/plain","size_bytes":22,"sha256":"c4a95df6f1cc965c25c2c3c5384a181b51cd0605f8e77553c2da40042b99e79f","kept_at":"time"}
    24 {"type":"objective_set","objective":"filed","status":"completed","by":"evidence"}
    25 {"type":"answered","wait":"wait 5","reply":{"kind":"uploaded","artifacts":["upload 6"]},"by":"person","by_name":"Ada Byron","via":"component"}
    26 {"type":"applied","wait":"wait 5"}
    27 {"type":"returned","call":"step_file_1","result":{"outcome":"ok","value":{"uploads":[{"id":"upload 6","filename":"cv.txt","storageUrl":"artifact:upload 7","extractedText":""}],"status":"uploaded"}}}
    28 {"type":"stepped","phase":"one","step":"file","next":null}
    29 {"type":"called","id":"advance_1","tool":"next_phase","args":{"overrides":[]},"phase":"one","origin":{"from":"engine"}}
    30 {"type":"advanced","from":"one","to":"two","grounds":{"because":"criteria_met"}}
    31 {"type":"returned","call":"advance_1","result":{"outcome":"ok","value":{"status":"approved","advanced_to":"two"}}}
    32 {"type":"called","id":"step_review_1","tool":"submit_for_validation","args":{"dataType":"pet","message":"Is that your pet?","data":{"name":"Rax"}},"phase":"two","origin":{"from":"step","step":"review"}}
    33 {"type":"asked","id":"wait 8","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_review_1","tool":"submit_for_validation"},"state":{"data_type":"pet","draft":{"name":"Rax"},"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"kind":{"type":"string"}}}},"prompt":{"title":"Pet","body":"Is that your pet?","control":{"kind":"review","data_type":"pet","data":{"name":"Rax"},"schema":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"kind":{"type":"string"}}},"groups":[{"path":"","title":"Pet","fields":[{"path":"name","label":"Name","required":true,"input":{"type":"text","multiline":false,"min":null,"max":null},"value":"Rax"},{"path":"kind","label":"Kind","required":false,"input":{"type":"text","multiline":false,"min":null,"max":null}}]}],"lists":[],"skippable":false}},"answerers":{"who":"participant"},"digest":"7728157f48863731984e22bceba7e52dfe3863bfe7e7cb8664ef61c02eeee1f8","asked_at":"time","standing":{"is":"pending"}}
    34 {"type":"edited","wait":"wait 8","data":{"name":"Rex"},"by":"person","by_name":"Ada Byron"}
    35 {"type":"answered","wait":"wait 8","reply":{"kind":"reviewed","verdict":"modified","data":{"name":"Rex"}},"by":"person","by_name":"Ada Byron","via":"component"}
    36 {"type":"saved","record":"record 9","data_type":"pet","data":{"name":"Rex"},"reviewed":true}
    37 {"type":"objective_set","objective":"pet","status":"completed","by":"evidence"}
    38 {"type":"applied","wait":"wait 8"}
    39 {"type":"returned","call":"step_review_1","result":{"outcome":"ok","value":{"status":"modified","data":{"name":"Rex"},"changes":[{"field":"name","oldValue":"Rax","newValue":"Rex"}]}}}
    40 {"type":"stepped","phase":"two","step":"review","next":"word"}
    41 {"type":"called","id":"step_word_1","tool":"request_user_input","args":{"prompt":"A word, please."},"phase":"two","origin":{"from":"step","step":"word"}}
    42 {"type":"asked","id":"wait 10","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_word_1","tool":"request_user_input"},"state":{},"prompt":{"body":"A word, please.","control":{"kind":"ask","max":20000,"required":true}},"answerers":{"who":"participant"},"digest":"b2690edf36d388241e7570e43ac94c88be75eee17f6b065a6b4a444c83860d63","asked_at":"time","standing":{"is":"pending"}}
    43 {"type":"answered","wait":"wait 10","reply":{"kind":"text","text":"Bone"},"by":"person","by_name":"Ada Byron","via":"typed"}
    44 {"type":"applied","wait":"wait 10"}
    45 {"type":"returned","call":"step_word_1","result":{"outcome":"ok","value":{"userInput":"Bone"}}}
    46 {"type":"objective_set","objective":"worded","status":"completed","by":"evidence"}
    47 {"type":"stepped","phase":"two","step":"word","next":"last"}
    48 {"type":"called","id":"step_last_1","tool":"get_user_option","args":{"prompt":"Was it bearable?","options":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]},"phase":"two","origin":{"from":"step","step":"last"}}
    49 {"type":"asked","id":"wait 11","session":"ses 1","revision":1,"purpose":{"kind":"call","call":"step_last_1","tool":"get_user_option"},"state":{},"prompt":{"body":"Was it bearable?","control":{"kind":"choose","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}],"multiple":false,"required":true}},"answerers":{"who":"participant"},"digest":"799a64cc67679c43736781af9defa4df12b2feb726efe9bf6230d0e4981f045d","asked_at":"time","standing":{"is":"pending"}}
    50 {"type":"answered","wait":"wait 11","reply":{"kind":"chosen","ids":["yes"]},"by":"person","by_name":"Ada Byron","via":"typed"}
    51 {"type":"applied","wait":"wait 11"}
    52 {"type":"returned","call":"step_last_1","result":{"outcome":"ok","value":{"selectedIds":["yes"],"timestamp":"time"}}}
    53 {"type":"stepped","phase":"two","step":"last","next":null}
    54 {"type":"called","id":"advance_2","tool":"next_phase","args":{"overrides":[]},"phase":"two","origin":{"from":"engine"}}
    55 {"type":"advanced","from":"two","to":null,"grounds":{"because":"criteria_met"}}
    56 {"type":"status_changed","to":"completed","reason":"the last phase is done"}
    57 {"type":"posted","effect":"eff 12","audience":"participant","text":[{"markdown":"That's everything, thank you! The team can see the following:\n\n- "},{"quoted":"Pet"},{"markdown":"\n- file "},{"quoted_emphasised":"cv.txt"},{"markdown":"\n\nType *export* for a copy, or *delete my data* to erase it."}]}
    58 {"type":"export_offered","effect":"eff 12"}
    59 {"type":"returned","call":"advance_2","result":{"outcome":"ok","value":{"status":"approved","advanced_to":null}}}
    "#);
}

/// Line by line, so that it is seen where they part.
fn same(platform: &str, web: &str, there: &str) {
    for (ours, theirs) in web.lines().zip(there.lines()) {
        assert_eq!(ours, theirs, "on the web and in {platform}");
    }
    assert_eq!(
        web.lines().count(),
        there.lines().count(),
        "{platform} has more, or less:\n{there}"
    );
}

async fn on_the_web() -> String {
    let mut ada = Web::begin(FLOW, "Ada Byron").await;
    ada.press("Go on").await;
    ada.press("Blue").await;
    ada.tick("Done", &["tea", "rum"]).await;
    ada.upload("Send", CV.0, CV.1).await;
    ada.fill("Save", &[("name", "Rex")]).await;
    ada.press("Looks right").await;
    ada.say("Bone").await;
    ada.say("yes").await;
    read(&*ada.store).await
}

async fn in_slack() -> String {
    let bot = SlackBot::on(FLOW).await;
    let ada = bot.ada();
    ada.command("/onboard start").await;
    ada.press("Go on").await;
    ada.press("Blue").await;
    ada.pick("Tea").await;
    ada.pick("Rum").await;
    ada.press("Done").await;
    ada.press("Upload").await;
    ada.attach("File", CV.0, CV.1).await;
    ada.submit().await;
    ada.press("Edit").await;
    ada.fill("Name", "Rex").await;
    ada.submit().await;
    ada.press("Looks right").await;
    ada.reply("Bone").await;
    ada.reply("yes").await;
    read(&*bot.store).await
}

async fn in_discord() -> String {
    let discord = "message_content = true".to_owned();
    let bot = Bot::planned(Plan { flow: Some(FLOW.to_owned()), discord, ..Plan::default() }).await;
    bot.discord.with(|state| "Ada Byron".clone_into(&mut state.users.get_mut(&ADA).unwrap().name));
    bot.ada().at("welcome").command("/onboard start", &[]).await;
    let ada = bot.ada().at("welcome-ada-byron");
    ada.press("Go on").await;
    ada.press("Blue").await;
    ada.pick(&["Tea", "Rum"]).await;
    ada.press("Done").await;
    ada.press("Upload").await;
    let file =
        bot.discord.with(|state| state.upload(ada.channel(), (CV.0, "text/plain"), CV.1, true));
    ada.attach(&file);
    ada.submit().await;
    ada.press("Edit").await;
    ada.fill("Name", "Rex");
    ada.submit().await;
    ada.press("Looks right").await;
    ada.write("Bone").await;
    ada.write("yes").await;
    read(&*bot.store).await
}

async fn in_a_plain_chat() -> String {
    let bot = PlainBot::begun(FLOW, None).await;
    let ada = bot.ada();
    ada.press("Go on").await;
    ada.press("Blue").await;
    ada.fill("Done", &[("pick", "Tea, Rum")]).await;
    ada.sends("", &[CV]).await;
    ada.fill("Save", &[("name", "Rex")]).await;
    ada.press("Looks right").await;
    ada.says("Bone").await;
    ada.says("yes").await;
    read(&*bot.store).await
}

/// The log of the only conversation there is.
async fn read(store: &dyn Store) -> String {
    let heads = store.sessions(None, 2).await.unwrap();
    assert_eq!(heads.len(), 1);
    log::of(&store.load(heads[0].id).await.unwrap().unwrap().events)
}
