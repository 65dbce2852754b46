// What `import … from "flo:runtime"` and `"string:runtime"` give.
const { flo, string } = globalThis;
export { flo, string };
export const { state, task, vault, callTool, sleep, time } = flo;
export const { vars, env } = string;
export default flo;
