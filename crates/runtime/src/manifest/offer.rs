//! The tools of an agent, as protocols that know tools list them.

use serde_json::Value;

use crate::Runtime;
use crate::agent;
use crate::error::Result;

/// A tool that a manifest declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// What follows `/tool:`.
    pub name: String,
    pub description: String,
    /// JSON Schema 2020-12, of the type `object`.
    pub input_schema: Value,
}

impl Runtime {
    /// The tools that an agent can call, in order of their names. A call is `/tool:NAME` with the input as a JSON
    /// object in the lines below it.
    pub fn manifest_tools(&self, agent: &agent::Id) -> Result<Vec<Offered>> {
        let agent = self.agents.get(agent)?;
        let catalogue = self.tools.of(agent.workspace.home());
        let offered = catalogue.tools().map(|tool| Offered {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool.schema.document.clone(),
        });
        Ok(offered.collect())
    }
}
