//! In memory, for tests: plain maps behind one lock, with the semantics of a real backend.

mod portable;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ring::rand::{SecureRandom as _, SystemRandom};
use uuid::Uuid;

use super::{
    Capacity, Charge, Commit, Erasure, Error, Find, Loaded, Note, Store, Timer, TimerKind,
    health::Health,
    hour_of, left_outside,
    portable::Secret,
    put_back, rendered, salt,
    sealing::{self, Digest, SECRET, StoreSecret},
};
use crate::{
    base::ids::{CountingIds, EffectId, Ids, SessionId, WaitId},
    model::{
        STORED_VERSION,
        audit::{AuditRecord, CHAIN_START, Sealed},
        effect::{Act, Cause, Delivery, Effect, Priority, Recipient, Rendering},
        file_key::{self, FileKey, FileKeys, KeyError},
        posted,
        session::{Head, Status},
        usage::Balance,
        wait::Wait,
    },
};

/// Keeps everything in memory; nothing outlives the value.
///
/// ```
/// let store = anteroom::store::memory::MemoryStore::default();
/// ```
pub struct MemoryStore {
    ids: Arc<dyn Ids>,
    secret: Arc<StoreSecret>,
    state: Mutex<State>,
}

impl MemoryStore {
    /// An empty store; `ids` salts the words of audit records.
    pub fn new(ids: Arc<dyn Ids>) -> Self {
        let mut secret = [0; SECRET];
        // Nothing outlives the value, so nothing is lost where the system gives no random bytes.
        _ = sealing::fill(&mut secret);
        Self::with_secret(ids, &Secret(secret))
    }

    /// An empty store that copies are put into from the one that has this secret.
    pub fn with_secret(ids: Arc<dyn Ids>, Secret(secret): &Secret) -> Self {
        Self { ids, secret: Arc::new(StoreSecret::new(secret)), state: Mutex::default() }
    }

    /// A store that holds the same, and goes its own way from here.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        let state = Mutex::new(self.state().clone());
        Self { ids: Arc::clone(&self.ids), secret: Arc::clone(&self.secret), state }
    }

    /// Forgets who claimed what, who queued what and what is blocked, as the end of a process does: such effects are handed
    /// out again. Everything else stays.
    pub fn restart(&self) {
        let mut state = self.state();
        state.inherited = state.owners.keys().copied().collect();
        state.claimed.clear();
        state.parked.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is checked first and cannot fail half-way, so the state behind a panic is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    /// An empty store whose salts repeat from run to run.
    fn default() -> Self {
        Self::new(Arc::new(CountingIds::default()))
    }
}

impl fmt::Debug for MemoryStore {
    // The secret is nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("state", &self.state()).finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, commit: Commit) -> Result<(), Error> {
        self.state().commit(commit, &self.secret, self.ids.as_ref())
    }

    async fn load(&self, session: SessionId) -> Result<Option<Loaded>, Error> {
        let state = self.state();
        let Some(loaded) = state.sessions.get(&session) else { return Ok(None) };
        match loaded.events.iter().find(|event| event.v > STORED_VERSION) {
            Some(newer) => Err(Error::newer(format_args!("session `{session}`"), newer.v)),
            None => Ok(Some(loaded.clone())),
        }
    }

    async fn find(&self, by: Find) -> Result<Vec<Head>, Error> {
        let state = self.state();
        let heads = state.sessions.values().rev().map(|loaded| &loaded.head);
        let is_wanted = |head: &&Head| match &by {
            Find::Place(place) => head.place == *place,
            Find::Person(person) => head.participant == *person,
            Find::One(session) => head.id == *session,
            Find::Newest { before, .. } => before.is_none_or(|before| head.id < before),
            Find::WantsStaff { after, .. } => head.wants_staff() && Some(head.id) > *after,
            Find::Paused { after, .. } => head.status == Status::Paused && Some(head.id) > *after,
            Find::Children { after, .. } => head.parent.is_some() && Some(head.id) > *after,
            Find::DueToGo { by, after, .. } => head.goes_at.is_some_and(|at| {
                let after = after.map(|(at, session)| (hour_of(at), session));
                at <= *by && Some((hour_of(at), head.id)) > after
            }),
            Find::RecentlyUpdated { platform, is_active, since, after, .. } => {
                head.place.platform == *platform
                    && head.is_active() == *is_active
                    && head.updated_at >= *since
                    && after.is_none_or(|(at, session)| updated_hour(head) < (hour_of(at), session))
            }
        };
        let is_child = matches!(by, Find::Children { .. });
        let mut found: Vec<Head> = heads
            .filter(|head| head.parent.is_some() == is_child)
            .filter(is_wanted)
            .cloned()
            .collect();
        match by {
            Find::Newest { limit, .. } => found.truncate(limit),
            Find::WantsStaff { limit, .. }
            | Find::Paused { limit, .. }
            | Find::Children { limit, .. } => {
                found.reverse();
                found.truncate(limit);
            }
            Find::DueToGo { limit, .. } => {
                found.sort_by_key(|head| (head.goes_at.map(hour_of), head.id));
                found.truncate(limit);
            }
            Find::RecentlyUpdated { limit, .. } => {
                found.sort_by_key(|head| Reverse(updated_hour(head)));
                found.truncate(limit);
            }
            _ => {}
        }
        Ok(found)
    }

    async fn wait(&self, id: WaitId) -> Result<Option<(Wait, Vec<Rendering>)>, Error> {
        let state = self.state();
        let Some(wait) = state.waits.get(&id) else { return Ok(None) };
        let renderings = state.renderings.get(&id).into_iter().flatten();
        let renderings = renderings
            .map(|(effect, message)| Rendering { effect: *effect, message: message.clone() })
            .collect();
        Ok(Some((wait.clone(), renderings)))
    }

    async fn due(&self, now: DateTime<Utc>, limit: usize) -> Result<Vec<Timer>, Error> {
        let state = self.state();
        let mut due: Vec<Timer> = state
            .timers
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|((session, kind), at)| Timer { session: *session, kind: *kind, at: *at })
            .collect();
        due.sort_by_key(|timer| (timer.at, timer.session, timer.kind));
        due.truncate(limit);
        Ok(due)
    }

    async fn claim(&self, now: DateTime<Utc>, capacity: Capacity) -> Result<Vec<Effect>, Error> {
        Ok(self.state().claim(now, capacity))
    }

    async fn done(&self, effect: EffectId, delivery: Delivery) -> Result<(), Error> {
        self.state().done(effect, &delivery);
        Ok(())
    }

    async fn hurry(&self, cause: &Cause, most: usize) -> Result<usize, Error> {
        Ok(self.state().hurry(cause, most))
    }

    async fn blocked(&self) -> Result<Vec<(Cause, usize)>, Error> {
        let mut blocked: HashMap<Cause, usize> = HashMap::new();
        for parked in self.state().parked.values() {
            *blocked.entry(parked.cause.clone()).or_default() += 1;
        }
        Ok(blocked.into_iter().collect())
    }

    async fn outbox(&self, session: SessionId) -> Result<Vec<Effect>, Error> {
        let state = self.state();
        let own = state.effects.iter().filter(|((owner, _), _)| *owner == session);
        Ok(own.map(|(_, effect)| effect.clone()).collect())
    }

    async fn sessions(&self, after: Option<SessionId>, limit: usize) -> Result<Vec<Head>, Error> {
        let state = self.state();
        let heads = state.sessions.values().map(|loaded| &loaded.head);
        Ok(heads.filter(|head| Some(head.id) > after).take(limit).cloned().collect())
    }

    async fn has(&self, session: SessionId) -> Result<bool, Error> {
        Ok(self.state().sessions.contains_key(&session))
    }

    async fn audit(&self, from: u64, limit: usize) -> Result<Vec<Sealed>, Error> {
        let state = self.state();
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(state.chain.iter().skip(from).take(limit).cloned().collect())
    }

    async fn erase(&self, erasure: Erasure) -> Result<(), Error> {
        erasure.check()?;
        self.state().erase(erasure, self.ids.as_ref())
    }

    async fn is_known_event(&self, key: &str) -> Result<bool, Error> {
        let digest = self.secret.digest(b'd', key);
        Ok(self.state().dedup.contains_key(&digest))
    }

    async fn balance(&self, account: &str) -> Result<Balance, Error> {
        let digest = account_of(&self.secret, account);
        Ok(self.state().accounts.get(&digest).copied().unwrap_or_default())
    }

    async fn note(&self, note: Note) -> Result<(), Error> {
        let mut state = self.state();
        state.notes.remove(&note.key);
        let is_at_home = note.session.is_none_or(|session| state.sessions.contains_key(&session));
        if note.value.is_some() && is_at_home {
            state.notes.insert(note.key.clone(), note);
        }
        Ok(())
    }

    async fn noted(&self, key: &str) -> Result<Option<Note>, Error> {
        Ok(self.state().notes.get(key).cloned())
    }

    async fn notes(&self, prefix: &str) -> Result<Vec<Note>, Error> {
        let state = self.state();
        let wanted =
            state.notes.values().filter(|n| n.session.is_none() && n.key.starts_with(prefix));
        Ok(wanted.cloned().collect())
    }

    fn is_inherited(&self, effect: EffectId) -> bool {
        self.state().inherited.contains(&effect)
    }

    fn health(&self) -> Health {
        // Memory has no bad times.
        Health::Well
    }
}

/// An effect that is blocked.
#[derive(Debug, Clone)]
struct Parked {
    to: Recipient,
    cause: Cause,
    until: DateTime<Utc>,
    /// Where it stands among all that are blocked.
    number: u64,
}

#[async_trait]
impl FileKeys for MemoryStore {
    async fn file_key(&self, session: SessionId) -> Result<Option<FileKey>, KeyError> {
        let mut state = self.state();
        if !state.sessions.contains_key(&session) {
            return Ok(None);
        }
        if let Some(known) = state.file_keys.get(&session) {
            return Ok(Some(known.clone()));
        }
        let key = fresh_key()?;
        state.file_keys.insert(session, key.clone());
        Ok(Some(key))
    }

    async fn link_key(&self) -> Result<FileKey, KeyError> {
        Ok(self.secret.link_key())
    }
}

/// The place of a session among those of its platform.
fn updated_hour(head: &Head) -> (DateTime<Utc>, SessionId) {
    (hour_of(head.updated_at), head.id)
}

fn account_of(secret: &StoreSecret, name: &str) -> Digest {
    secret.digest(b'u', name)
}

fn fresh_key() -> Result<FileKey, KeyError> {
    let mut secret = [0; file_key::LENGTH];
    let filled = SystemRandom::new().fill(&mut secret);
    filled.map_err(|_| "the system gives no random bytes")?;
    Ok(FileKey::new(secret))
}

#[derive(Debug, Default, Clone)]
struct State {
    sessions: BTreeMap<SessionId, Loaded>,
    file_keys: HashMap<SessionId, FileKey>,
    waits: HashMap<WaitId, Wait>,
    renderings: HashMap<WaitId, BTreeMap<EffectId, String>>,
    effects: BTreeMap<(SessionId, EffectId), Effect>,
    owners: HashMap<EffectId, SessionId>,
    claimed: HashSet<EffectId>,
    /// What was there at the last restart.
    inherited: HashSet<EffectId>,
    parked: BTreeMap<(SessionId, EffectId), Parked>,
    parkings: u64,
    timers: BTreeMap<(SessionId, TimerKind), DateTime<Utc>>,
    dedup: HashMap<Digest, SessionId>,
    chain: Vec<Sealed>,
    accounts: BTreeMap<Digest, Balance>,
    notes: BTreeMap<String, Note>,
}

impl State {
    fn commit(&mut self, commit: Commit, secret: &StoreSecret, ids: &dyn Ids) -> Result<(), Error> {
        commit.check()?;
        let session = commit.head.id;
        let dedup = commit.dedup.as_deref().map(|key| secret.digest(b'd', key));
        if dedup.is_some_and(|digest| self.dedup.contains_key(&digest)) {
            return Err(Error::Duplicate);
        }
        let found = self.sessions.get(&session).map_or(0, |loaded| loaded.head.seq);
        if found != commit.expected {
            return Err(Error::Conflict { expected: commit.expected, found });
        }
        // Nothing below can fail.
        if let Some(loaded) = self.sessions.get_mut(&session) {
            loaded.head = commit.head;
            loaded.events.extend(commit.events);
        } else {
            let loaded = Loaded { head: commit.head, events: commit.events };
            self.sessions.insert(session, loaded);
        }
        self.waits.extend(commit.waits.into_iter().map(|wait| (wait.id, wait)));
        for effect in commit.effects {
            self.owners.insert(effect.id, session);
            self.effects.insert((session, effect.id), effect);
        }
        for (kind, at) in commit.timers {
            match at {
                Some(at) => self.timers.insert((session, kind), at),
                None => self.timers.remove(&(session, kind)),
            };
        }
        for record in commit.audit {
            self.seal(record, ids);
        }
        for Charge { account, usage, told } in commit.charges {
            let balance = self.accounts.entry(account_of(secret, &account)).or_default();
            *balance = balance.charged(usage, told);
        }
        self.dedup.extend(dedup.map(|digest| (digest, session)));
        Ok(())
    }

    fn claim(&mut self, now: DateTime<Utc>, mut capacity: Capacity) -> Vec<Effect> {
        // One that is to wait for longer than any pause tells that the clock was set back.
        let is_over = |at: DateTime<Utc>| at <= now || at - now > Effect::PAUSE_MAX;
        self.parked.retain(|_, parked| !is_over(parked.until));
        let mut claimed: Vec<Effect> = Vec::new();
        for priority in [Priority::Normal, Priority::Background] {
            let mut seen = None;
            // Web hooks that are tried again later keep back only what goes to the same one.
            let mut put_off = HashSet::new();
            for ((session, id), effect) in &self.effects {
                if effect.priority != priority || self.is_parked(*session, effect) {
                    continue;
                }
                let is_hook = matches!(effect.to, Recipient::Webhook { .. });
                if put_off.contains(&(*session, &effect.to))
                    || is_hook && !effect.may_leave(now) && put_off.insert((*session, &effect.to))
                {
                    continue;
                }
                let is_oldest = seen.replace(*session) != Some(*session);
                let may_leave = is_oldest
                    && effect.may_leave(now)
                    && capacity.has_room(priority)
                    && !self.is_held_up(*session, effect);
                if may_leave && self.claimed.insert(*id) {
                    capacity.take(priority);
                    claimed.push(effect.clone());
                }
            }
        }
        claimed
    }

    /// Whether an effect waits behind a blocked one for the same recipient, or is blocked itself.
    fn is_parked(&self, session: SessionId, effect: &Effect) -> bool {
        self.of_session(session).any(|(id, other)| {
            let parked = self.parked.get(&(session, *id));
            other.priority == effect.priority && parked.is_some_and(|parked| parked.to == effect.to)
        })
    }

    /// Whether another effect of the session and priority is being delivered, or one of the other priority that draws the
    /// same message must leave before.
    fn is_held_up(&self, session: SessionId, effect: &Effect) -> bool {
        self.of_session(session).any(|(id, other)| {
            let is_claimed = self.claimed.contains(id);
            if other.priority == effect.priority {
                return is_claimed;
            }
            let is_same = match (&effect.act, &other.act) {
                (Act::Show { wait }, Act::Show { wait: other }) => wait == other,
                (Act::Progress { .. }, Act::Progress { .. }) => true,
                _ => false,
            };
            is_same && (*id < effect.id || is_claimed)
        })
    }

    fn of_session(&self, session: SessionId) -> impl Iterator<Item = (&EffectId, &Effect)> {
        let (first, last) = (EffectId::from_uuid(Uuid::nil()), EffectId::from_uuid(Uuid::max()));
        let own = self.effects.range((session, first)..=(session, last));
        own.map(|((_, id), effect)| (id, effect))
    }

    fn done(&mut self, id: EffectId, delivery: &Delivery) {
        self.claimed.remove(&id);
        let Some(session) = self.owners.get(&id).copied() else { return };
        self.parked.remove(&(session, id));
        let Some(effect) = self.effects.remove(&(session, id)) else { return };
        if let Delivery::Blocked { cause, not_before } = delivery {
            self.parkings += 1;
            let (to, number) = (effect.to.clone(), self.parkings);
            let parked = Parked { to, cause: cause.clone(), until: *not_before, number };
            self.parked.insert((session, id), parked);
        }
        if let Some(again) = put_back(&effect, delivery) {
            self.effects.insert((session, id), again);
            return;
        }
        self.owners.remove(&id);
        self.note_posted(session, delivery);
        if let Some((wait, message)) = rendered(&effect, delivery) {
            let renderings = self.renderings.entry(wait).or_default();
            if !renderings.values().any(|known| *known == message) {
                renderings.insert(id, message);
            }
        }
    }

    fn hurry(&mut self, cause: &Cause, most: usize) -> usize {
        let waiting = self.parked.iter().filter(|(_, parked)| parked.cause == *cause);
        let mut waiting: Vec<_> = waiting.map(|(at, parked)| (parked.number, *at)).collect();
        waiting.sort_unstable();
        waiting.truncate(most);
        for (_, at) in &waiting {
            self.parked.remove(at);
        }
        waiting.len()
    }

    /// Adds what a delivery left outside to the ledger of its session, unless that one is gone.
    fn note_posted(&mut self, session: SessionId, delivery: &Delivery) {
        let key = posted::ledger_of(session);
        let known = self.notes.get(&key).and_then(|note| note.value.as_deref());
        let Some(ledger) = posted::appended(known, left_outside(delivery)) else { return };
        if self.sessions.contains_key(&session) {
            let note = Note { key: key.clone(), session: Some(session), value: Some(ledger) };
            self.notes.insert(key, note);
        }
    }

    fn erase(&mut self, erasure: Erasure, ids: &dyn Ids) -> Result<(), Error> {
        let found = self.sessions.get(&erasure.session).map_or(0, |loaded| loaded.head.seq);
        erasure.check_seq(found)?;
        let Erasure { session, receipt, effects, rest, .. } = erasure;
        if self.sessions.remove(&session).is_some() {
            self.forget(session);
        }
        if rest.is_none() {
            self.file_keys.remove(&session);
            self.notes.retain(|_, note| note.session != Some(session));
        }
        self.sessions.extend(rest.map(|rest| (session, rest)));
        for effect in effects {
            self.owners.insert(effect.id, session);
            self.effects.insert((session, effect.id), effect);
        }
        self.seal(receipt, ids);
        Ok(())
    }

    fn forget(&mut self, session: SessionId) {
        self.waits.retain(|_, wait| wait.session != session);
        self.renderings.retain(|wait, _| self.waits.contains_key(wait));
        self.effects.retain(|(owner, _), _| *owner != session);
        self.owners.retain(|_, owner| *owner != session);
        self.claimed.retain(|effect| self.owners.contains_key(effect));
        self.parked.retain(|(owner, _), _| *owner != session);
        self.timers.retain(|(owner, _), _| *owner != session);
        self.dedup.retain(|_, owner| *owner != session);
        for sealed in &mut self.chain {
            if sealed.record.session == Some(session) && !sealed.record.words.is_empty() {
                sealed.erase_words();
            }
        }
    }

    fn seal(&mut self, record: AuditRecord, ids: &dyn Ids) {
        let salt = salt(ids, &record);
        let previous = self.chain.last().map_or(CHAIN_START, |sealed| &sealed.seal);
        let sealed = Sealed::seal(self.chain.len() as u64, previous, record, salt);
        self.chain.push(sealed);
    }
}
