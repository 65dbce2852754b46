// `flo` and `string`: every call becomes a call of the host, and every refusal an Error with a code.
export default function (native) {
  const { stringify, captureStackTrace } = native;
  const { freeze, defineProperty } = Object;

  const refused = (why, stack) => {
    if (why === null || typeof why !== "object" || typeof why.code !== "string") return why;
    const error = new Error(why.message);
    const hidden = (name, value) =>
      defineProperty(error, name, { value, writable: true, configurable: true, enumerable: false });
    hidden("name", why.name);
    hidden("stack", native.authored(stack));
    error.code = why.code;
    error.retryable = why.retryable;
    return error;
  };

  // How many bytes all texts of a value have at least: counted in place, where there was no memory for its JSON.
  const weight = (value) => {
    if (typeof value === "string") return value.length;
    if (value === null || typeof value !== "object") return 0;
    let sum = 0;
    for (const key in value) sum += weight(value[key]);
    return sum;
  };

  const isOutOfMemory = (error) => error?.name === "InternalError" && error.message === "out of memory";

  // What JSON cannot hold, such as a cycle or a BigInt, is refused like any other argument.
  const written = (request, name) => {
    const invalid = (message) => ({ name, code: "invalid_argument", message, retryable: false });
    // Half of a surrogate pair leaves as U+FFFD, and keys that differ must not become one.
    for (const field of ["key", "key_prefix"]) {
      const key = request?.[field];
      if (typeof key === "string" && !key.isWellFormed()) throw invalid(`${field} holds half of a surrogate pair`);
    }
    try {
      return stringify(request) ?? "null";
    } catch (error) {
      if (isOutOfMemory(error)) throw error;
      throw invalid(`not JSON: ${error?.message ?? error}`);
    }
  };

  const send = (method, request, name) => {
    let json;
    try {
      json = written(request, name);
    } catch (error) {
      const bytes = isOutOfMemory(error) ? weight(request) : 0;
      if (bytes > native.messageMax) return native.callTooLarge(method, bytes);
      throw error;
    }
    return native.call(method, json);
  };

  const call = async (method, request, name = "FloError") => {
    // The engine has no asynchronous stacks: the author's line is known only now.
    const site = {};
    captureStackTrace(site, call);
    let why;
    try {
      return await send(method, request, name);
    } catch (error) {
      why = error;
    }
    throw refused(why, site.stack);
  };

  const callNow = (method, request) => {
    const site = {};
    captureStackTrace(site, callNow);
    try {
      return native.callNow(method, written(request, "FloError"));
    } catch (why) {
      throw refused(why, site.stack);
    }
  };

  const ofState = (method) => (request) => call(method, request, "FloStateError");
  const state = freeze({
    get: ofState("state.get"),
    list: ofState("state.list"),
    put: ofState("state.put"),
    patch: ofState("state.patch"),
    append: ofState("state.append"),
    delete: ofState("state.delete"),
  });
  const task = freeze({
    getToolState: ofState("task.getToolState"),
    putToolState: ofState("task.putToolState"),
    getState: ofState("task.getState"),
    putState: ofState("task.putState"),
    getContext: () => call("task.getContext", {}),
    getProfile: () => call("task.getProfile", {}),
    emitEvent: (request) => call("task.emitEvent", request),
  });
  const vault = freeze({ get: (request) => call("vault.get", request) });
  const callTool = (request) => call("tool.call", request);
  const sleep = (ms) => {
    if (typeof ms !== "number" || !(ms >= 0)) throw new TypeError("flo.sleep takes milliseconds");
    return new Promise((resolve) => native.setTimer(() => resolve(), ms));
  };
  const time = freeze({
    formatUnixTimestamp: (timestamp, format, tz) => callNow("time.format", { timestamp, format, tz }),
  });
  const vars = freeze({
    get: (name) => callNow("vars.get", { name }),
    set: (name, value) => callNow("vars.set", { name, value }),
    all: () => callNow("vars.all", {}),
  });
  const env = freeze({ get: (name) => callNow("env.get", { name }) });

  const flo = freeze({ state, task, vault, callTool, sleep, time });
  const string = freeze({ vars, env });
  return { flo, string };
}
