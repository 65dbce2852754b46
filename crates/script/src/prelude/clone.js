// structuredClone, without transfer.
export default function () {
  const VIEWS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView];
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const refuse = (value) => {
    throw new DOMException(`${typeof value === "symbol" ? "a symbol" : `a ${typeof value}`} cannot be cloned`, "DataCloneError");
  };

  const clone = (value, seen) => {
    if (typeof value === "function" || typeof value === "symbol") refuse(value);
    if (value === null || typeof value !== "object") return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => (seen.set(value, copy), copy);
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof Boolean || value instanceof Number || value instanceof String) return keep(Object(value.valueOf()));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    const View = VIEWS.find((View) => value instanceof View);
    if (View) return keep(new View(clone(value.buffer, seen), value.byteOffset, value.length ?? value.byteLength));
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [k, v] of [...value]) copy.set(clone(k, seen), clone(v, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const item of [...value]) copy.add(clone(item, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(new (ERRORS[value.name] ?? Error)(value.message));
      Object.defineProperty(copy, "stack", { value: value.stack, writable: true, configurable: true });
      if ("cause" in value) copy.cause = clone(value.cause, seen);
      return copy;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) refuse(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, configurable: true, enumerable: true });
    }
    return copy;
  };
  return { structuredClone: (value) => clone(value, new Map()) };
}
