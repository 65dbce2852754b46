//! Skill bundles: an instruction, and the tools that come with it.

use std::path::{Path, PathBuf};

use super::invalid::Invalid;
use super::raw;
use super::tool::{Tool, check_name, one_paragraph, relative_file};

/// The longest instruction.
const INSTRUCTION_MAX: u64 = 256 << 10;

#[derive(Debug)]
pub struct Skill {
    pub id: String,
    pub name: String,
    pub description: String,
    instruction: Instruction,
    /// Tools that it speaks of, its own and others.
    pub tools: Vec<String>,
    /// Tools that the scripts of its definitions may call.
    pub script_tools: Vec<String>,
    pub requires: Vec<String>,
    pub file: PathBuf,
}

#[derive(Debug)]
enum Instruction {
    Text(String),
    /// Beside the manifest; read when it is shown, so that an edit counts at once.
    File(String),
}

impl Skill {
    /// What an agent should know to use it.
    pub fn instruction(&self) -> String {
        match &self.instruction {
            Instruction::Text(text) => text.clone(),
            Instruction::File(name) => read(&self.file, name).unwrap_or_else(|why| format!("({why})")),
        }
    }

    /// The file beside the manifest that holds the instruction.
    pub fn instruction_file(&self) -> Option<&str> {
        match &self.instruction {
            Instruction::File(name) => Some(name),
            Instruction::Text(_) => None,
        }
    }

    /// The skill and the tools that it defines.
    pub fn parse(file: &Path, text: &str) -> Result<(Self, Vec<Tool>), Invalid> {
        let raw: raw::Skill = raw::parse(file, text)?;
        check_name(file, "skill_id", &raw.skill_id)?;
        let instruction = instruction(file, &raw)?;
        let mut tools = Vec::new();
        for mut definition in raw.tool_definitions {
            definition.script_tools.extend(raw.script_tools.iter().cloned());
            tools.push(Tool::check(file, definition)?);
        }
        let mut names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        for name in &raw.tools {
            check_name(file, "tools", name)?;
            if !names.contains(&name.value) {
                names.push(name.value.clone());
            }
        }
        let skill = Self {
            id: raw.skill_id.value,
            name: raw.name.value.trim().to_owned(),
            description: one_paragraph(file, &raw.description)?,
            instruction,
            tools: names,
            script_tools: raw.script_tools.into_iter().map(|name| name.value).collect(),
            requires: raw.requires_skills.into_iter().map(|name| name.value).collect(),
            file: file.to_owned(),
        };
        Ok((skill, tools))
    }
}

fn instruction(file: &Path, raw: &raw::Skill) -> Result<Instruction, Invalid> {
    match (&raw.instruction, &raw.instruction_file) {
        (Some(text), None) => Ok(Instruction::Text(text.value.trim().to_owned())),
        (None, Some(path)) => {
            let invalid = |message: String| Invalid::at(file, "instruction_file", path, message);
            let name = relative_file(&path.value).map_err(invalid)?;
            read(file, &name).map_err(invalid)?;
            Ok(Instruction::File(name))
        }
        _ => {
            let message = "exactly one of instruction and instruction_file is needed";
            Err(Invalid::at(file, "instruction", &raw.skill_id, message))
        }
    }
}

fn read(manifest: &Path, name: &str) -> Result<String, String> {
    let folder = manifest.parent().unwrap_or(Path::new("/"));
    script::read_beneath(folder, name, INSTRUCTION_MAX).map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_brings_its_tools_and_its_instruction() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("how.md"), "# How\n").unwrap();
        std::fs::write(dir.path().join("a.ts"), "export const run = () => 1").unwrap();
        let text = "skill_id: count
name: Counting
description: Count things.
instruction_file: how.md
tools: [other]
script_tools: [helper]
tool_definitions:
  - name: counter
    description: Count.
    input_schema: { type: object }
    execution: { type: script, script_file: a.ts, entrypoint: run }
    script_tools: [mine]
requires_skills: [basics]
";
        let file = dir.path().join("count.skill.yaml");
        let (skill, tools) = Skill::parse(&file, text).unwrap();
        assert_eq!((skill.id.as_str(), skill.instruction().as_str()), ("count", "# How"));
        assert_eq!(skill.tools, ["counter", "other"]);
        assert_eq!(tools[0].script_tools, ["mine", "helper"]);
        assert_eq!(skill.script_tools, ["helper"]);
        for (from, to, field) in [
            ("how.md", "../how.md", "instruction_file"),
            ("instruction_file: how.md\n", "", "instruction"),
            ("skill_id: count", "skill_id: a b", "skill_id"),
            ("script_file: a.ts", "script_file: b.ts", "execution.script_file"),
        ] {
            let invalid = Skill::parse(&file, &text.replace(from, to)).unwrap_err();
            assert_eq!(invalid.field, field, "{invalid}");
        }
    }
}
