// fetch: the host makes the request, under its own policy.
export default function (native, use) {
  const failed = (why, stack) => {
    const error = new TypeError(why?.message ?? String(why));
    if (why?.code) error.code = why.code;
    if (typeof why?.retryable === "boolean") error.retryable = why.retryable;
    Object.defineProperty(error, "stack", { value: native.authored(stack), writable: true, configurable: true });
    return error;
  };

  const fetch = async (input, init) => {
    const site = {};
    native.captureStackTrace(site, fetch);
    const [Request, Response] = [use("Request"), use("Response")];
    const request = new Request(input, init);
    const { signal, url, method, redirect } = request;
    signal?.throwIfAborted();
    const { bytes, type } = await native.takeBody(request);
    if (type && !request.headers.has("content-type")) request.headers.set("content-type", type);
    const headers = [...request.headers];
    const body = bytes ? native.toBase64(bytes) : null;
    const asked = native.call("fetch", native.stringify({ url, method, headers, body, redirect }));
    const stopped = new Promise((_, reject) => signal?.addEventListener("abort", () => reject({ abort: signal.reason })));
    let answer;
    try {
      answer = await Promise.race([asked, stopped]);
    } catch (why) {
      throw why !== null && typeof why === "object" && "abort" in why ? why.abort : failed(why, site.stack);
    }
    return new Response(answer.body ? native.fromBase64(answer.body) : null, answer);
  };
  return { fetch };
}
