//! Buttons, menus and forms of questions: what they open, what they answer.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;

use crate::{
    chat::{
        form::{ComponentId, words},
        handler::{self, Buttons, Questions, ReplyTarget, Update, Used},
        message_index::MessageRef,
    },
    engine::{Error, Inbound, InboundKind, Receipt},
    gateway::slack::{
        answer,
        commands::{self, Act},
        files,
        inbound::{Ack, Action, File, Inputs, NotSaved, Submission},
        render::{self, markup::Mrkdwn},
        send,
        update::{Form, UpdateContext},
    },
    messages,
    model::{
        artifact::Offer,
        transcript::Via,
        ui::{Control, Upload},
        wait::{Settlement, Wait},
    },
};

#[async_trait]
impl Questions for UpdateContext<'_> {
    async fn control(&self, used: Used, act: &Act) -> Result<Ack, NotSaved> {
        let Act::Button(action) = act else { return Ok(Ack::Empty) };
        let used = Used { element: answer::resolve(used.element, &action.inputs), ..used };
        let Used { element, wait, head, .. } = &used;
        if answer::is_idle(element) {
            return Ok(Ack::Empty);
        }
        // What was answered can still be read.
        if (wait.status.is_pending() || element.action == "read")
            && let is_scripted = handler::is_scripted(self.engine, wait).await
            && let Some(form) = form_of(wait, element, action, is_scripted)
        {
            let reply_target = self.target(act);
            let refused =
                handler::refuse_to_show(self, wait, head, &action.by, &reply_target).await;
            return Ok(refused.unwrap_or_else(|| {
                self.open(form, action, reply_target);
                Ack::Empty
            }));
        }
        let reply = answer::read(wait, element, &action.inputs)
            .map_err(|errors| errors.into_values().collect::<Vec<_>>().join(" "));
        let said = handler::answered(self, &used, reply, act).await?;
        if !wait.status.is_pending() || element.revision != wait.revision {
            self.redraw(used);
        }
        Ok(said)
    }

    async fn other(&self, act: &Act) -> Result<Ack, NotSaved> {
        commands::pressed(self, act).await
    }
}

impl UpdateContext<'_> {
    /// A form was sent.
    pub(super) async fn submitted(&self, submission: Submission) -> Result<Ack, NotSaved> {
        if let Some(session) = commands::asked_about(&submission.view.callback_id) {
            return commands::explained(self, session, submission).await;
        }
        let Submission { by, view, inputs } = submission;
        let Some(element) = ComponentId::parse(&view.callback_id) else {
            tracing::warn!("a form was sent that nobody here has made");
            return Ok(Ack::Empty);
        };
        let spot = MessageRef::parse(&view.private_metadata);
        let reply_target = ReplyTarget {
            user: by.user.clone(),
            channel: spot.as_ref().map_or_else(|| by.user.clone(), |spot| spot.channel.clone()),
            thread: None,
        };
        let found = match self.app.store.wait(element.wait).await {
            Ok(found) => found,
            Err(error) => return Ok(complain(&inputs, &words::of_error(&Error::Store(error)))),
        };
        let Some((wait, _)) = found else {
            return Ok(complain(&inputs, messages::notices::QUESTION_CLOSED));
        };
        let head = match handler::head_of(self.engine, wait.session).await {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(complain(&inputs, messages::notices::NO_CONVERSATION)),
            Err(error) => return Ok(complain(&inputs, &words::of_error(&Error::Store(error)))),
        };
        let from = match handler::answerer(self, &wait, &head, &by).await {
            Ok(from) => from,
            Err(words) => return Ok(complain(&inputs, &words)),
        };
        let what = match meant(&wait, &element, &inputs) {
            Ok(what) => what,
            Err(ack) => return Ok(ack),
        };
        let me = from.person.clone();
        let inbound = Inbound { key: self.key.clone(), session: wait.session, from, what };
        match self.engine.receive(inbound).await {
            Ok(Receipt::Settled(Settlement::Invalid { errors })) => {
                Ok(Ack::Errors(answer::place(&wait, &element, &errors)))
            }
            Ok(Receipt::Settled(Settlement::Superseded)) if wait.status.is_pending() => Ok(
                self.complain_or_tell(&inputs, messages::slack::CHANGED_MEANWHILE, &reply_target)
            ),
            Ok(receipt @ (Receipt::Settled(_) | Receipt::Refused(_))) => {
                // The text stays in the form, to be copied.
                let words = words::of_receipt(&receipt, Some(&wait.prompt), &me);
                let words = words.map(|words| words.write(&Mrkdwn));
                Ok(words.map_or(Ack::Empty, |words| {
                    self.complain_or_tell(&inputs, &words, &reply_target)
                }))
            }
            Ok(receipt) => Ok(handler::report(self, &receipt, Some(&wait), &me, &reply_target)),
            Err(error) => Ok(complain(&inputs, &words::of_error(&error))),
        }
    }

    /// Draws a card again that somebody pressed after it was closed.
    fn redraw(&self, Used { wait, shown, .. }: Used) {
        if shown.is_empty() {
            return;
        }
        let app = Arc::clone(self.app);
        self.app.afterwards.spawn(async move { send::redraw(&app, &wait, &shown).await });
    }

    /// A form without an input has no place for a complaint.
    fn complain_or_tell(&self, inputs: &Inputs, words: &str, reply_target: &ReplyTarget) -> Ack {
        if inputs.0.is_empty() {
            self.tell(reply_target, words);
        }
        complain(inputs, words)
    }
}

/// What a form stands for, or what is wrong with it.
fn meant(wait: &Wait, element: &ComponentId, inputs: &Inputs) -> Result<InboundKind, Ack> {
    let (id, revision, via) = (wait.id, element.revision, Via::Component);
    let sent = answer::files(inputs);
    let upload = match &wait.prompt.control {
        Control::Upload(upload) if !sent.is_empty() => upload,
        _ => {
            let reply = answer::read(wait, element, inputs).map_err(Ack::Errors)?;
            return Ok(InboundKind::Answer { wait: id, revision, reply, via });
        }
    };
    if !wait.status.is_pending() {
        return Err(complain(inputs, messages::notices::QUESTION_CLOSED));
    }
    let files = offers(upload, &sent).map_err(|words| complain(inputs, &words))?;
    Ok(InboundKind::Offered { wait: Some(id), files, text: None })
}

/// Files as they are offered to an upload; or what is wrong with one of them, as far as it can be seen from here.
fn offers(upload: &Upload, files: &[File]) -> Result<Vec<Offer>, String> {
    let offer = |file| handler::check_upload(upload, files::offer(file).map_err(str::to_owned)?);
    files.iter().map(offer).collect()
}

/// The form that a button opens, or that a button in a form turns it into.
fn form_of(wait: &Wait, element: &ComponentId, action: &Action, is_scripted: bool) -> Option<Form> {
    let reader = wait.answerers.audience().into();
    let mut cx = render::Cx { reader, is_scripted, ..render::Cx::default() };
    // A button on Home stands in a view that is no form.
    let within =
        action.view.as_ref().and_then(|view| Some((view, ComponentId::parse(&view.callback_id)?)));
    if let Some((view, shown)) = within {
        cx.metadata.clone_from(&view.private_metadata);
        let view = render::rearranged(wait, &shown.action, &element.action, &cx)?;
        return Some(Form::Changed(view));
    }
    if let Some((channel, ts)) = &action.message {
        cx.metadata = MessageRef { channel: channel.clone(), message: ts.clone() }.name();
    }
    render::modal(wait, &element.action, &cx).map(Form::New)
}

/// What is wrong with a form as a whole, at its first input: there is no other place for it.
fn complain(inputs: &Inputs, words: &str) -> Ack {
    match inputs.0.keys().next() {
        Some(block) => Ack::Errors(BTreeMap::from([(block.clone(), words.to_owned())])),
        None => Ack::Empty,
    }
}
