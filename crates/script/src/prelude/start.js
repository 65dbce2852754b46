// Sets up the global object. What is large is made when a script first touches it.
export default function (native) {
  const { defineProperty, getOwnPropertyDescriptor, entries, create } = Object;
  const { apply } = Reflect;
  const modules = {
    "internal:flo": ["flo", "string"],
    "internal:console": ["console"],
    "internal:timers": ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    "internal:text": ["TextEncoder", "TextDecoder", "atob", "btoa"],
    "internal:url": ["URL", "URLSearchParams"],
    "internal:clone": ["structuredClone"],
    "internal:crypto": ["crypto"],
    "internal:abort": ["AbortController", "AbortSignal"],
    "internal:body": ["Blob", "File", "FormData", "Headers", "Request", "Response"],
    "internal:fetch": ["fetch"],
  };
  // What scripts may have changed by the time a module is made.
  native.stringify = JSON.stringify;
  native.captureStackTrace = Error.captureStackTrace;

  // Stacks name places in what the author wrote. They are looked up when somebody reads one.
  const { get: stackOf } = getOwnPropertyDescriptor(Error.prototype, "stack");
  const authored = (stack) => (typeof stack === "string" ? native.authored(stack) : stack);
  defineProperty(Error.prototype, "stack", {
    get() {
      return authored(apply(stackOf, this, []));
    },
    set(value) {
      defineProperty(this, "stack", { value, writable: true, configurable: true, enumerable: false });
    },
  });
  const captureStackTrace = (target, above = captureStackTrace) => {
    native.captureStackTrace(target, above);
    target.stack = authored(target.stack);
  };
  defineProperty(Error, "captureStackTrace", { value: captureStackTrace });

  // Where these have no memory left, the engine throws what is no value at all.
  for (const name of ["normalize", "localeCompare"]) {
    const original = String.prototype[name];
    const guarded = {
      [name](...given) {
        try {
          return apply(original, this, given);
        } catch (error) {
          throw typeof error === "unknown" ? new InternalError("out of memory") : error;
        }
      },
    };
    defineProperty(String.prototype, name, { value: guarded[name] });
  }

  const home = create(null);
  const made = create(null);
  const use = (name) => {
    if (!(name in made)) {
      const values = native.module(home[name])(native, use);
      for (const [key, value] of entries(values)) made[key] = value;
    }
    return made[name];
  };
  for (const [module, names] of entries(modules)) {
    const fixed = module === "internal:flo";
    for (const name of names) {
      home[name] = module;
      const put = (value) =>
        defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
      defineProperty(globalThis, name, {
        get: () => use(name),
        set: fixed ? undefined : put,
        configurable: !fixed,
        enumerable: false,
      });
    }
  }
}
