// `console`: lines for the task's timeline.
export default function (native) {
  const DEPTH_MAX = 4;
  const ITEMS_MAX = 100;

  const show = (value, depth, seen) => {
    if (typeof value === "string") return depth === 0 ? value : native.stringify(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
    if (value === null || typeof value !== "object") return String(value);
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (seen.includes(value)) return "[circular]";
    if (depth >= DEPTH_MAX) return Array.isArray(value) ? "[…]" : "{…}";
    const inner = [...seen, value];
    const each = (item) => show(item, depth + 1, inner);
    const list = (items) => {
      const shown = items.slice(0, ITEMS_MAX);
      return (shown.length < items.length ? [...shown, `… ${items.length - shown.length} more`] : shown).join(", ");
    };
    if (Array.isArray(value)) return `[${list(value.map(each))}]`;
    if (value instanceof Set) return `Set {${list([...value].map(each))}}`;
    if (value instanceof Map) return `Map {${list([...value].map(([k, v]) => `${each(k)} => ${each(v)}`))}}`;
    const name = value.constructor?.name;
    const fields = list(Object.keys(value).map((key) => `${key}: ${each(value[key])}`));
    return `${name && name !== "Object" ? `${name} ` : ""}{${fields}}`;
  };

  const line = (level) => (...values) => {
    native.log(level, values.map((value) => show(value, 0, [])).join(" ").toWellFormed());
  };
  const console = {
    debug: line("debug"),
    trace: line("debug"),
    log: line("info"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    assert: (held, ...values) => {
      if (!held) console.error("Assertion failed", ...values);
    },
  };
  return { console };
}
