//! A home with tools in it, and short ways to write and call them.

use testkit::World;

/// A world whose scripts run in workers of the real binary.
pub(crate) async fn world() -> World {
    World::with_program(env!("CARGO_BIN_EXE_string")).await
}

/// Writes a tool named `NAME` whose function `run` has this body, with more lines for its manifest.
pub(crate) fn tool(world: &World, name: &str, manifest: &str, body: &str) {
    let source = format!(
        "import * as flo from \"flo:runtime\";\nimport {{ string }} from \"string:runtime\";\n\
         export async function run(input: any) {{\n{body}\n}}\n"
    );
    world.home.write(&format!("tools/{name}.ts"), source);
    let schema = if manifest.contains("input_schema:") { "" } else { "input_schema: { type: object }\n" };
    let text = format!(
        "name: {name}\ndescription: The tool {name}.\n{schema}\
         execution: {{ type: script, script_file: {name}.ts }}\n{manifest}\n"
    );
    world.home.write(&format!("tools/{name}.tool.yaml"), text);
}
