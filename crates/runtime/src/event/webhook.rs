//! Webhook tokens: one per agent, in the address to which others post.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use store::{AtomicWrite, Key, KeyRange, Limit, Space, Store};
use subtle::ConstantTimeEq;

use crate::agent;
use crate::error::{Result, store_failed};
use crate::token::{WEBHOOK, random_digits};

const SPACE: &str = "webhooks";
/// 192 random bits.
const BYTES: usize = 24;
/// As many as there can be agents.
const TOKENS_MAX: usize = 10_000;

/// The secret part of a webhook's address. It is shown on request, and never printed by accident.
#[derive(Clone)]
pub struct Token(Box<str>);

pub struct Webhooks {
    store: Arc<dyn Store>,
    space: Space,
    tokens: RwLock<BTreeMap<agent::Id, Token>>,
    /// Held while a token is made, so that two callers are not shown different ones.
    making: tokio::sync::Mutex<()>,
}

impl Webhooks {
    pub async fn load(store: Arc<dyn Store>) -> Result<Self> {
        let space = Space::new(SPACE);
        let page = store.scan(&space, &KeyRange::all(), Limit::entries(TOKENS_MAX)).await;
        let entries = page.map_err(store_failed)?.entries.into_iter();
        let tokens = entries.filter_map(|entry| {
            let id = agent::Id::parse(entry.key.as_str()?).ok()?;
            Some((id, Token(String::from_utf8(entry.value).ok()?.into())))
        });
        let tokens = RwLock::new(tokens.collect());
        Ok(Self { store, space, tokens, making: tokio::sync::Mutex::default() })
    }

    /// The agent's token, made when it is first asked for.
    pub async fn show(&self, agent: &agent::Id) -> Result<Token> {
        let _making = self.making.lock().await;
        let known = self.tokens.read().unwrap_or_else(PoisonError::into_inner).get(agent).cloned();
        match known {
            Some(token) => Ok(token),
            None => self.make(agent).await,
        }
    }

    /// Gives the agent another token. The old one opens nothing from the moment this returns.
    pub async fn rotate(&self, agent: &agent::Id) -> Result<Token> {
        let _making = self.making.lock().await;
        self.make(agent).await
    }

    /// Whose token this is. Every token is compared in full, so that the time tells nothing about a wrong one.
    pub fn agent_of(&self, given: &str) -> Option<agent::Id> {
        let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
        let mut owner = None;
        for (agent, token) in tokens.iter() {
            if bool::from(token.0.as_bytes().ct_eq(given.as_bytes())) {
                owner = Some(agent.clone());
            }
        }
        owner
    }

    pub async fn forget(&self, agent: &agent::Id) -> Result<()> {
        let _making = self.making.lock().await;
        if !self.tokens.read().unwrap_or_else(PoisonError::into_inner).contains_key(agent) {
            return Ok(());
        }
        let write = AtomicWrite::new().delete(&self.space, &Key::new(agent.as_str()));
        let _ = self.store.commit(write).await.map_err(store_failed)?;
        self.tokens.write().unwrap_or_else(PoisonError::into_inner).remove(agent);
        Ok(())
    }

    async fn make(&self, agent: &agent::Id) -> Result<Token> {
        let token = Token::generate()?;
        let key = Key::new(agent.as_str());
        let write = AtomicWrite::new().put(&self.space, &key, token.0.as_bytes(), None);
        let _ = self.store.commit(write).await.map_err(store_failed)?;
        let mut tokens = self.tokens.write().unwrap_or_else(PoisonError::into_inner);
        tokens.insert(agent.clone(), token.clone());
        Ok(token)
    }
}

impl Token {
    /// The text itself, for the address that is shown to whoever may know it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    fn generate() -> Result<Self> {
        Ok(Self(format!("{WEBHOOK}{}", random_digits(BYTES)?).into()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
