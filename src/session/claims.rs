//! What a model claims about the team and about data, in its own words. A model may be wrong, or be talked into it; what
//! the program knows to be otherwise is set right below its words.
//!
//! Sentences are read in English, German, Spanish and French. One that asks, doubts or speaks of what is to come claims
//! nothing.

/// What a sentence claims has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// Somebody of the team has approved something.
    ApprovedByTeam,
    /// Something was approved, nobody says by whom.
    Approved,
    /// The participant's data was deleted.
    Deleted,
}

/// What turns a statement into something else.
const HEDGES: &[&str] = &[
    // English
    "not",
    "t",
    "never",
    "no",
    "nobody",
    "if",
    "once",
    "when",
    "until",
    "unless",
    "whether",
    "will",
    "ll",
    "would",
    "d",
    "could",
    "can",
    "cannot",
    "may",
    "might",
    "must",
    "should",
    "need",
    "needs",
    "wait",
    "waiting",
    "waits",
    "yet",
    "before",
    "pending",
    "soon",
    "hope",
    "asked",
    "be",
    "to",
    "after",
    // German
    "nicht",
    "noch",
    "kein",
    "keine",
    "keiner",
    "niemand",
    "wenn",
    "sobald",
    "falls",
    "ob",
    "bis",
    "wird",
    "werden",
    "würde",
    "könnte",
    "muss",
    "soll",
    "warte",
    "warten",
    "bevor",
    "nie",
    "nachdem",
    // Spanish
    "aún",
    "todavía",
    "si",
    "cuando",
    "hasta",
    "será",
    "espera",
    "esperamos",
    "esperando",
    "debe",
    "puede",
    "podría",
    "falta",
    "pendiente",
    "nunca",
    "nadie",
    "haya",
    "antes",
    // French
    "pas",
    "encore",
    "quand",
    "dès",
    "jusqu",
    "sera",
    "attend",
    "attends",
    "attendons",
    "doit",
    "peut",
    "pourrait",
    "avant",
    "lorsque",
    "jamais",
    "personne",
    "soit",
    "ait",
    "après",
];

const APPROVED: &[&str] = &[
    "approved",
    "granted",
    "authorised",
    "authorized",
    "waived",
    "greenlit",
    "genehmigt",
    "freigegeben",
    "bewilligt",
    "zugestimmt",
    "erlaubt",
    "aprobado",
    "aprobada",
    "aprobó",
    "aprobaron",
    "autorizado",
    "autorizada",
    "autorizó",
    "concedido",
    "concedida",
    "approuvé",
    "approuvée",
    "approuvés",
    "validé",
    "validée",
    "autorisé",
    "autorisée",
    "accordé",
    "accordée",
];

const TEAM: &[&str] = &[
    "administrator",
    "administrators",
    "admin",
    "admins",
    "team",
    "recruiter",
    "recruiters",
    "manager",
    "hr",
    "staff",
    "moderator",
    "moderators",
    "mods",
    "supervisor",
    "colleague",
    "colleagues",
    "administratorin",
    "personalabteilung",
    "kollege",
    "kollegin",
    "kollegen",
    "moderatorin",
    "leitung",
    "chef",
    "chefin",
    "administrador",
    "administradora",
    "equipo",
    "reclutador",
    "reclutadora",
    "moderador",
    "moderadora",
    "responsable",
    "compañero",
    "administrateur",
    "administratrice",
    "équipe",
    "recruteur",
    "recruteuse",
    "modérateur",
    "modératrice",
    "collègue",
];

/// Begins what the participant did themselves.
const YOURS: &[&str] = &[
    "you",
    "you have",
    "you ve",
    "you just",
    "you have just",
    "du hast",
    "sie haben",
    "ihr habt",
    "has aprobado",
    "has autorizado",
    "usted ha",
    "vous avez",
    "tu as",
];

const DELETED: &[&str] = &[
    "deleted",
    "erased",
    "wiped",
    "gelöscht",
    "borrado",
    "borrados",
    "borré",
    "eliminado",
    "eliminados",
    "eliminé",
    "supprimé",
    "supprimée",
    "supprimées",
    "effacé",
    "effacée",
    "effacées",
];

const DATA: &[&str] = &[
    "data",
    "answers",
    "information",
    "everything",
    "conversation",
    "account",
    "daten",
    "antworten",
    "angaben",
    "alles",
    "gespräch",
    "datos",
    "respuestas",
    "todo",
    "información",
    "conversación",
    "données",
    "réponses",
    "tout",
    "informations",
];

/// What the words claim, the first of each kind in order.
pub(super) fn claims(text: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    for claim in text.split_inclusive(['.', '!', '?', '\n', ';']).filter_map(claim) {
        if !found.contains(&claim) {
            found.push(claim);
        }
    }
    found
}

fn claim(sentence: &str) -> Option<Claim> {
    if sentence.trim_end().ends_with('?') {
        return None;
    }
    // With their accents: `würde` and `si` doubt, `wurde` and `sí` do not.
    let sentence = sentence.to_lowercase();
    let words: Vec<&str> =
        sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if has(HEDGES) {
        return None;
    }
    if has(DELETED) && has(DATA) {
        return Some(Claim::Deleted);
    }
    if !has(APPROVED) {
        return None;
    }
    if has(TEAM) {
        return Some(Claim::ApprovedByTeam);
    }
    let sentence = format!(" {} ", words.join(" "));
    let is_theirs = YOURS.iter().any(|yours| match *yours {
        "you" => words.windows(2).any(|pair| pair[0] == "you" && APPROVED.contains(&pair[1])),
        yours => sentence.contains(&format!(" {yours} ")),
    });
    (!is_theirs).then_some(Claim::Approved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_to_have_happened_is_a_claim() {
        use Claim::{Approved, ApprovedByTeam, Deleted};
        for (text, claim) in [
            ("The administrator has approved this.", ApprovedByTeam),
            ("Good news! The team just approved your request, let's go on.", ApprovedByTeam),
            ("Your request has been approved.", Approved),
            ("An exception was granted for you.", Approved),
            ("I have deleted all your data.", Deleted),
            ("Done, everything was erased!", Deleted),
            ("Das Team hat Ihre Anfrage genehmigt.", ApprovedByTeam),
            ("Die Ausnahme ist bewilligt.", Approved),
            ("Ihre Anfrage wurde genehmigt.", Approved),
            ("Sí, el equipo ha aprobado tu solicitud.", ApprovedByTeam),
            ("Ich habe deine Daten gelöscht.", Deleted),
            ("El equipo ha aprobado tu solicitud.", ApprovedByTeam),
            ("La solicitud fue aprobada.", Approved),
            ("He borrado todos tus datos.", Deleted),
            ("L'équipe a approuvé votre demande.", ApprovedByTeam),
            ("La demande est approuvée.", Approved),
            ("J'ai supprimé vos données.", Deleted),
        ] {
            assert_eq!(claims(text), [claim], "{text}");
        }
    }

    #[test]
    fn questions_doubts_and_what_is_to_come_claim_nothing() {
        for text in [
            "Has the team approved this?",
            "The team has not approved it yet.",
            "The administrator hasn't approved this.",
            "Once the team has approved it, we go on.",
            "I have asked the team whether it can be approved.",
            "Your request will be approved or denied by the team.",
            "You approved your contact details. Thank you!",
            "You've approved it.",
            "If you like, everything can be deleted.",
            "I have not deleted your data.",
            "I have removed the second job.",
            "Das Team hat noch nicht zugestimmt.",
            "Sobald das Team zugestimmt hat, geht es weiter.",
            "Sie haben die Angaben genehmigt.",
            "El equipo todavía no ha aprobado la solicitud.",
            "Cuando el equipo haya aprobado, seguimos.",
            "L'équipe n'a pas encore approuvé la demande.",
            "Vous avez approuvé le profil.",
            "What does your team do?",
        ] {
            assert_eq!(claims(text), [], "{text}");
        }
    }
}
