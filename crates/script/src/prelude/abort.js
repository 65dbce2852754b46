// AbortController and AbortSignal, as far as fetch needs them.
export default function (native, use) {
  const aborted = () => new DOMException("The operation was aborted.", "AbortError");
  let make;
  let abort;

  class AbortSignal {
    #reason;
    #aborted = false;
    #listeners = new Set();
    onabort = null;

    static {
      make = () => new AbortSignal();
      abort = (signal, reason = aborted()) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason;
        const event = { type: "abort", target: signal };
        signal.onabort?.(event);
        for (const listener of [...signal.#listeners]) listener(event);
      };
    }
    static abort(reason) {
      const signal = make();
      abort(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = make();
      use("setTimeout")(() => abort(signal, new DOMException("The operation timed out.", "TimeoutError")), ms);
      return signal;
    }
    static any(signals) {
      const signal = make();
      for (const other of signals) {
        if (other.aborted) abort(signal, other.reason);
        else other.addEventListener("abort", () => abort(signal, other.reason));
      }
      return signal;
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    addEventListener(type, listener) {
      if (type === "abort" && typeof listener === "function") this.#listeners.add(listener);
    }
    removeEventListener(type, listener) {
      this.#listeners.delete(listener);
    }
  }

  class AbortController {
    signal = make();
    abort(reason) {
      abort(this.signal, reason);
    }
  }
  return { AbortController, AbortSignal };
}
