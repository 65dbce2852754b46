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
    hidden("stack", stack);
    error.code = why.code;
    error.retryable = why.retryable;
    return error;
  };

  const call = async (method, request) => {
    // The engine has no asynchronous stacks: the author's line is known only now.
    const site = {};
    captureStackTrace(site, call);
    let why;
    try {
      return await native.call(method, stringify(request) ?? "null");
    } catch (error) {
      why = error;
    }
    throw refused(why, site.stack);
  };

  const callNow = (method, request) => {
    const site = {};
    captureStackTrace(site, callNow);
    try {
      return native.callNow(method, stringify(request) ?? "null");
    } catch (why) {
      throw refused(why, site.stack);
    }
  };

  const state = freeze({
    get: (request) => call("state.get", request),
    list: (request) => call("state.list", request),
    put: (request) => call("state.put", request),
    patch: (request) => call("state.patch", request),
    append: (request) => call("state.append", request),
    delete: (request) => call("state.delete", request),
  });
  const task = freeze({
    getToolState: (request) => call("task.getToolState", request),
    putToolState: (request) => call("task.putToolState", request),
    getState: (request) => call("task.getState", request),
    putState: (request) => call("task.putState", request),
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
