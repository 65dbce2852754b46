// Timers. Strings are not code here, so a handler is always a function.
export default function (native) {
  const delay = (ms) => Math.max(0, Number(ms) || 0);
  const checked = (handler) => {
    if (typeof handler !== "function") throw new TypeError("a timer runs a function");
    return handler;
  };
  // An interval keeps its first number while the engine's own changes every time.
  const intervals = new Map();

  const setTimeout = (handler, ms, ...args) => native.setTimer(() => void checked(handler)(...args), delay(ms));
  const setInterval = (handler, ms, ...args) => {
    checked(handler);
    let id;
    const run = () => {
      intervals.set(id, native.setTimer(run, Math.max(1, delay(ms))));
      handler(...args);
    };
    id = native.setTimer(run, Math.max(1, delay(ms)));
    intervals.set(id, id);
    return id;
  };
  const clear = (id) => {
    if (typeof id !== "number") return;
    native.clearTimer(intervals.get(id) ?? id);
    intervals.delete(id);
  };
  return {
    setTimeout: (handler, ms, ...args) => setTimeout(checked(handler), ms, ...args),
    setInterval,
    clearTimeout: clear,
    clearInterval: clear,
  };
}
