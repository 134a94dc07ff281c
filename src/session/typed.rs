//! What typed words mean where a button, a menu or a field is open, and which order a whole message is.
//!
//! ```text
//! "the second one, please" ─▶ words ─▶ each language by itself: courtesy off both ends ─▶ the name, the id or the
//!                                      number of an option, yes or no ─▶ Reading::Settled
//! ```
//!
//! A reply settles a question only where it *is* an answer: what remains besides courtesy must be the label, the id or
//! the number of an option. A question, a condition, a negation or a correction leaves something over and settles
//! nothing, without any list of such words. The words themselves travel with the answer, so that nothing is lost where
//! they said more than the option does. Approvals, reviews and confirmations are never given by words.
//!
//! The words of each language are data: `manifests/lexicon/replies.toml`.

mod field;
mod lexicon;
mod options;
mod tokens;

pub(super) use self::tokens::tokens as tokens_of;

use self::{
    lexicon::{Language, languages},
    tokens::{Tokens, tokens},
};
use super::Command;
use crate::model::ui::{Control, Input, Reply};

/// What typed words are to an open question.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// This answer.
    Settled(Reply),
    /// Words that name one option among others; its label.
    Unsure(String),
    /// Something else.
    NotAnAnswer {
        /// It asks something.
        is_question: bool,
    },
}

/// Reads typed words as a reply to a control.
///
/// ```
/// # use anteroom::{session::typed::{Reading, read}, model::ui::{Choice, Choose, Control, Reply}};
/// let option = |id: &str, label: &str| Choice {
///     id: id.into(), label: label.into(), description: None, icon: None,
/// };
/// let choices = vec![option("yes", "Yes"), option("no", "No")];
/// let control = Control::Choose(Choose { choices, multiple: false, required: true, ..Choose::default() });
/// let Reading::Settled(Reply::Chosen { ids, free_text }) = read(&control, "no, thanks") else { panic!() };
/// assert_eq!((ids, free_text.as_deref()), (vec!["no".to_owned()], Some("no, thanks")));
/// assert_eq!(read(&control, "what if yes?"), Reading::NotAnAnswer { is_question: true });
/// ```
pub fn read(control: &Control, text: &str) -> Reading {
    let text = text.trim();
    let is_question = is_question(text);
    match control {
        Control::Choose(choose) => options::read(choose, text),
        Control::Ask(_) => Reading::Settled(Reply::Text { text: text.to_owned() }),
        Control::Form(form) => match form.fields.as_slice() {
            [only] => match field::read(only, text) {
                Some(value) => {
                    let values = [(only.path.clone(), value)].into_iter().collect();
                    Reading::Settled(Reply::Filled { values })
                }
                None => Reading::NotAnAnswer { is_question },
            },
            _ => Reading::NotAnAnswer { is_question },
        },
        Control::Review(_) | Control::Upload(_) | Control::Decide(_) | Control::Confirm(_) => {
            Reading::NotAnAnswer { is_question }
        }
    }
}

/// Whether a control takes any words at all as its answer, so that an order must be looked for first.
pub(super) fn takes_any_words(control: &Control) -> bool {
    match control {
        Control::Ask(_) => true,
        Control::Form(form) => matches!(
            form.fields.as_slice(),
            [only] if matches!(only.input, Input::Text { .. } | Input::Lines)
        ),
        Control::Choose(_)
        | Control::Review(_)
        | Control::Upload(_)
        | Control::Decide(_)
        | Control::Confirm(_) => false,
    }
}

/// The order that a whole message is, in any known language and with courtesy around it: "delete my data please" is
/// one, "I want to stop working in retail" is an answer.
///
/// ```
/// # use anteroom::session::{Command, typed::order};
/// assert_eq!(order("Bitte abbrechen!"), Some(Command::Stop));
/// assert_eq!(order("I want to stop working in retail"), None);
/// ```
pub fn order(text: &str) -> Option<Command> {
    let words = tokens(text);
    languages().iter().find_map(|language| {
        let words = language.spelt_out(&words);
        let bare = language.unfilled(&words);
        let asking = language.with_someone(&bare);
        let all = [&words, &bare, &asking];
        let mut stages = all.into_iter().flat_map(|words| language.stages(words));
        command(stages.find_map(|words| language.order(words))?)
    })
}

/// Whether a whole message asks for a person.
pub(crate) fn asks_for_person(text: &str) -> bool {
    order(text) == Some(Command::Human)
}

/// Whether a whole message asks for a moment: `wait`, `one moment please`.
///
/// ```
/// # use anteroom::session::typed::asks_to_wait;
/// assert!(asks_to_wait("Wait!") && asks_to_wait("einen Moment bitte") && asks_to_wait("attends"));
/// assert!(!asks_to_wait("Wait, I meant the other one."));
/// ```
pub fn asks_to_wait(text: &str) -> bool {
    is_whole(text, |language| &language.wait)
}

/// Whether a whole message says no more than that it was read: `ok`, `thank you`, a smile.
pub(super) fn acknowledges(text: &str) -> bool {
    let is_courtesy = |language: &Language| language.is_courtesy(&tokens(text));
    tokens(text).is_empty()
        || languages().iter().any(is_courtesy)
        || is_whole(text, |language| &language.yes)
}

/// Whether a whole text is one of these, with courtesy around it.
fn is_whole(text: &str, of: impl Fn(&'static Language) -> &'static [Tokens]) -> bool {
    let words = tokens(text);
    languages().iter().any(|language| {
        let words = language.spelt_out(&words);
        language.stages(&words).any(|words| of(language).iter().any(|one| one == words))
    })
}

/// Whether a whole text declines what was asked, in any known language and with courtesy around it.
///
/// ```
/// # use anteroom::session::typed::declines;
/// assert!(declines("No, thanks.") && declines("Lieber nicht") && declines("skip this one"));
/// assert!(!declines("No pets but a dog.") && !declines("Not sure"));
/// ```
pub fn declines(text: &str) -> bool {
    is_whole(text, |language| &language.no) || order(text) == Some(Command::Skip)
}

fn command(name: &str) -> Option<Command> {
    Some(match name {
        "stop" => Command::Stop,
        "resume" => Command::Resume,
        "human" => Command::Human,
        "later" => Command::Later,
        "delete" => Command::Delete,
        "export" => Command::Export,
        "skip" => Command::Skip,
        "stop_reminders" => Command::StopReminders,
        "ask_again" => Command::AskAgain,
        _ => return None,
    })
}

/// Whether a text asks something back, whatever it replies to: `Why do you ask`, not `Which bug to leave.`
pub(super) fn asks_back(text: &str) -> bool {
    has_mark(text) || (!text.trim_end().ends_with('.') && begins(text, |language| &language.asking))
}

/// Whether a reply to choices asks something, as far as its mark or its first words tell.
fn is_question(text: &str) -> bool {
    has_mark(text) || begins(text, |language| &language.questions)
}

fn has_mark(text: &str) -> bool {
    text.trim_end().ends_with('?') || text.trim_start().starts_with('¿')
}

/// Whether a short text begins with one of these and does not end there.
fn begins(text: &str, with: impl Fn(&'static Language) -> &'static [Tokens]) -> bool {
    let words = tokens(text);
    let is_begun = |language| {
        with(language).iter().any(|first| words.starts_with(first) && words.len() > first.len())
    };
    // A story may begin with any of these words.
    words.len() <= SHORT && languages().iter().any(is_begun)
}

/// Most words of a question without a question mark.
const SHORT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_known_by_its_mark_or_its_first_words() {
        for text in ["why do you ask", "¿Qué es esto", "was heisst das", "yes?", "Pourquoi pas moi"]
        {
            assert!(is_question(text), "{text}");
        }
        for text in ["why", "I know why you ask", "Full-time", "ja"] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn an_answer_may_begin_like_a_question() {
        for text in ["Why do you ask", "what is this for", "was meinen Sie damit", "Really?"] {
            assert!(asks_back(text), "{text}");
        }
        for text in ["Which bug to leave.", "How to say no", "What is this worth is what I asked."]
        {
            assert!(!asks_back(text), "{text}");
        }
    }

    /// Whole messages, labelled before the reader knew them: what asks for a person, in each language, and what only
    /// speaks of people.
    const PEOPLE: &str = "
        asks en: can I talk to someone
        asks en: Could I please speak with a real person?
        asks en: I would like to talk to a human
        asks en: I'd rather talk to a person, please
        asks en: I want to speak to somebody from the team
        asks en: Is there someone I can talk to?
        asks en: is there a person I could speak with
        asks en: let me talk to a human
        asks en: Please connect me with a person
        asks en: can you put me through to someone
        asks en: Could you get me a human please
        asks en: I need to talk to a real person now
        asks en: I'd prefer to speak with a human being
        asks en: can a human help me
        asks en: May I speak to a member of staff?
        asks en: I don't want to talk to a bot
        asks en: I want a human
        asks en: Hi, can I speak with a recruiter please?
        asks en: give me a real person
        asks en: Would it be possible to talk to someone?
        asks en: Hello, I'd like to chat with someone from your team, thanks
        asks en: could someone from the team contact me?
        asks en: I'd like a human to take over
        asks en: Can I talk to a person instead?
        asks de: Ich möchte mit einem Menschen sprechen
        asks de: Kann ich bitte mit jemandem reden?
        asks de: Könnte ich mit einer echten Person sprechen?
        asks de: Ich würde gerne mit jemandem vom Team sprechen
        asks de: ich will mit einem richtigen Menschen reden
        asks de: Bitte verbinden Sie mich mit einem Mitarbeiter
        asks de: Verbinde mich mit einer Person
        asks de: Gibt es jemanden, mit dem ich sprechen kann?
        asks de: Gibt es einen Menschen, mit dem ich reden kann
        asks de: Ich hätte gern einen Menschen
        asks de: Ich brauche einen Ansprechpartner
        asks de: Ist da ein Mensch, mit dem ich sprechen kann?
        asks de: Kann mir ein Mensch helfen?
        asks de: Ich möchte nicht mit einem Bot sprechen
        asks de: Lieber mit einem Menschen, bitte
        asks de: Hallo, könnte ich bitte mit einem Kollegen sprechen? Danke
        asks de: Ich moechte lieber mit einem Menschen schreiben
        asks de: Darf ich mit einer Mitarbeiterin reden?
        asks de: Können Sie mich mit jemandem verbinden?
        asks de: Wäre es möglich, mit jemandem zu sprechen?
        asks es: quiero hablar con una persona
        asks es: ¿Puedo hablar con alguien?
        asks es: ¿Podría hablar con una persona real, por favor?
        asks es: Me gustaría hablar con un humano
        asks es: Necesito hablar con alguien del equipo
        asks es: Quisiera hablar con una persona de verdad
        asks es: prefiero hablar con un ser humano
        asks es: ¿Hay alguien con quien pueda hablar?
        asks es: ¿Hay una persona con la que pueda hablar?
        asks es: Póngame con una persona, por favor
        asks es: ¿Me puede comunicar con alguien?
        asks es: pásame con un humano
        asks es: Quiero que me atienda una persona
        asks es: ¿Me puede ayudar una persona?
        asks es: No quiero hablar con un bot
        asks es: Hola, ¿podría hablar con un reclutador? Gracias
        asks es: hablar con un agente
        asks es: necesito una persona
        asks es: ¿Sería posible hablar con alguien?
        asks es: ¿Se puede hablar con alguien?
        asks fr: je voudrais parler à quelqu'un
        asks fr: Puis-je parler à une personne ?
        asks fr: Est-ce que je peux parler à un humain s'il vous plaît ?
        asks fr: J'aimerais parler avec quelqu'un de l'équipe
        asks fr: je veux parler à une vraie personne
        asks fr: Pourrais-je parler à quelqu'un ?
        asks fr: Je préfère parler à un humain
        asks fr: J'ai besoin de parler à quelqu'un
        asks fr: Y a-t-il quelqu'un à qui je peux parler ?
        asks fr: Mettez-moi en contact avec une personne
        asks fr: Pouvez-vous me passer quelqu'un ?
        asks fr: Passez-moi un humain s'il vous plaît
        asks fr: je ne veux pas parler à un robot
        asks fr: Bonjour, je souhaite parler à un recruteur, merci
        asks fr: Je souhaiterais échanger avec une personne
        asks fr: Un humain peut-il m'aider ?
        asks fr: parler à un conseiller
        asks fr: Serait-il possible de parler à quelqu'un ?
        asks fr: Peut-on parler à quelqu'un ?
        speaks en: I talked to a person at your company last week
        speaks en: I managed people
        speaks en: human resources was my role
        speaks en: I like talking to people
        speaks en: I spoke with a recruiter yesterday
        speaks en: I would like to talk to customers all day
        speaks en: a person I admire is my mother
        speaks en: I was the human in the loop
        speaks en: someone told me about this role
        speaks en: someone
        speaks en: I can talk to anyone
        speaks en: Is a person going to read this?
        speaks en: Will a human read my answers?
        speaks en: I don't need to talk to a human
        speaks en: I do not want to talk to anyone
        speaks en: No need to talk to a person
        speaks en: My job was to connect people with a recruiter
        speaks de: Ich habe letzte Woche mit einem Menschen aus Ihrer Firma gesprochen
        speaks de: Ich habe Menschen geführt
        speaks de: Personalwesen war meine Aufgabe
        speaks de: Ich spreche gern mit Menschen
        speaks de: Ein Mensch, den ich bewundere, ist meine Mutter
        speaks de: Liest das ein Mensch?
        speaks de: Jemand hat mir von der Stelle erzählt
        speaks de: Ich muss mit niemandem sprechen
        speaks de: Ich möchte nicht mit einem Menschen sprechen
        speaks de: Mit einem Kollegen habe ich ein Projekt geleitet
        speaks de: Ich brauche keinen Menschen
        speaks de: Ich kann mit jedem reden
        speaks es: La semana pasada hablé con una persona de su empresa
        speaks es: Dirigí a personas
        speaks es: recursos humanos era mi puesto
        speaks es: Me gusta hablar con la gente
        speaks es: Una persona que admiro es mi madre
        speaks es: ¿Una persona va a leer esto?
        speaks es: Alguien me habló de este puesto
        speaks es: No necesito hablar con nadie
        speaks es: no quiero hablar con una persona
        speaks es: Soy una persona tranquila
        speaks es: Puedo hablar con cualquiera
        speaks es: Hablé con un reclutador ayer
        speaks fr: J'ai parlé à une personne de votre entreprise la semaine dernière
        speaks fr: J'ai dirigé des personnes
        speaks fr: ressources humaines était mon poste
        speaks fr: J'aime parler aux gens
        speaks fr: Une personne que j'admire est ma mère
        speaks fr: Est-ce qu'une personne lira ceci ?
        speaks fr: Quelqu'un m'a parlé de ce poste
        speaks fr: Je n'ai pas besoin de parler à quelqu'un
        speaks fr: je ne veux parler à personne
        speaks fr: Je suis une personne calme
        speaks fr: Je peux parler à n'importe qui
        speaks fr: Je ne veux pas parler à un humain
    ";

    #[test]
    fn a_person_is_asked_for_in_many_words_and_not_by_speaking_of_one() {
        let rows = PEOPLE.lines().filter_map(|line| line.trim().split_once(": "));
        let (mut wrong, mut counts) = (Vec::new(), std::collections::BTreeMap::new());
        for (label, text) in rows {
            *counts.entry(label).or_insert(0) += 1;
            let asks = order(text) == Some(Command::Human);
            if asks != label.starts_with("asks") {
                wrong.push(format!("{label}: {text}"));
            }
        }
        assert!(wrong.is_empty(), "{} read wrongly:\n{}", wrong.len(), wrong.join("\n"));
        assert!(
            counts.iter().all(|(label, n)| *n >= if label.starts_with("asks") { 15 } else { 10 }),
            "{counts:?}"
        );
    }
}
