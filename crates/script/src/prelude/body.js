// What requests and responses are made of. Bodies are whole: they arrive and leave as bytes.
export default function (native, use) {
  const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const encode = (text) => native.encode(String(text).toWellFormed());
  const decode = (bytes) => native.decode(bytes, "utf-8", false, false);
  const bytesOf = (input) => (use("TextEncoder"), native.bytesOf(input));

  class Headers {
    #values = new Map();

    constructor(init) {
      if (init === undefined || init === null) return;
      const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
    #checked(name) {
      if (!NAME.test(String(name))) throw new TypeError(`not a header name: ${name}`);
      return String(name).toLowerCase();
    }
    #value(value) {
      const text = String(value).trim();
      if (/[\0\r\n]/.test(text)) throw new TypeError("a header value is one line");
      return text;
    }
    append(name, value) {
      const key = this.#checked(name);
      this.#values.set(key, [...(this.#values.get(key) ?? []), this.#value(value)]);
    }
    set(name, value) {
      this.#values.set(this.#checked(name), [this.#value(value)]);
    }
    get(name) {
      return this.#values.get(this.#checked(name))?.join(", ") ?? null;
    }
    getSetCookie() {
      return [...(this.#values.get("set-cookie") ?? [])];
    }
    has(name) {
      return this.#values.has(this.#checked(name));
    }
    delete(name) {
      this.#values.delete(this.#checked(name));
    }
    forEach(visit, self) {
      for (const [name, value] of this) visit.call(self, value, name, this);
    }
    *entries() {
      for (const name of [...this.#values.keys()].sort()) {
        if (name === "set-cookie") for (const value of this.#values.get(name)) yield [name, value];
        else yield [name, this.get(name)];
      }
    }
    *keys() {
      for (const [name] of this) yield name;
    }
    *values() {
      for (const [, value] of this) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
  }

  class Blob {
    #bytes;
    constructor(parts = [], { type = "" } = {}) {
      const pieces = [...parts].map((part) => {
        if (part instanceof Blob) return new Uint8Array(part.#bytes);
        if (typeof part === "object" && part !== null) return new Uint8Array(bytesOf(part));
        return new Uint8Array(encode(part));
      });
      const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
      let at = 0;
      for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
      }
      this.#bytes = all.buffer;
      Object.defineProperty(this, "type", { value: String(type).toLowerCase(), enumerable: true });
    }
    get size() {
      return this.#bytes.byteLength;
    }
    slice(start, end, type = "") {
      return new Blob([this.#bytes.slice(start, end)], { type });
    }
    async arrayBuffer() {
      return this.#bytes.slice(0);
    }
    async bytes() {
      return new Uint8Array(this.#bytes.slice(0));
    }
    async text() {
      return decode(this.#bytes);
    }
  }

  class File extends Blob {
    constructor(parts, name, options) {
      super(parts, options);
      Object.defineProperty(this, "name", { value: String(name), enumerable: true });
    }
  }

  class FormData {
    #pairs = [];
    #entry(value, filename) {
      if (!(value instanceof Blob)) return String(value);
      return value instanceof File && filename === undefined ? value : new File([value], filename ?? "blob", { type: value.type });
    }
    append(name, value, filename) {
      this.#pairs.push([String(name), this.#entry(value, filename)]);
    }
    set(name, value, filename) {
      this.delete(name);
      this.append(name, value, filename);
    }
    delete(name) {
      this.#pairs = this.#pairs.filter(([k]) => k !== String(name));
    }
    get(name) {
      return this.#pairs.find(([k]) => k === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([k]) => k === String(name)).map(([, v]) => v);
    }
    has(name) {
      return this.#pairs.some(([k]) => k === String(name));
    }
    forEach(visit, self) {
      for (const [name, value] of this) visit.call(self, value, name, this);
    }
    *entries() {
      yield* this.#pairs.map((pair) => [...pair]);
    }
    *keys() {
      for (const [name] of this) yield name;
    }
    *values() {
      for (const [, value] of this) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
  }

  const multipart = async (form) => {
    const boundary = `----${use("crypto").randomUUID()}`;
    const quote = (text) => text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
    const parts = [];
    for (const [name, value] of form) {
      const file = value instanceof File ? `; filename="${quote(value.name)}"` : "";
      const type = value instanceof File ? `Content-Type: ${value.type || "application/octet-stream"}\r\n` : "";
      parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quote(name)}"${file}\r\n${type}\r\n`, value, "\r\n");
    }
    const blob = new Blob([...parts, `--${boundary}--\r\n`]);
    return { bytes: await blob.arrayBuffer(), type: `multipart/form-data; boundary=${boundary}` };
  };

  // The bytes of a body and the type that they have by themselves.
  const extract = async (body) => {
    if (body === undefined || body === null) return { bytes: null, type: null };
    if (body instanceof FormData) return multipart(body);
    if (body instanceof Blob) return { bytes: await body.arrayBuffer(), type: body.type || null };
    if (body instanceof use("URLSearchParams")) {
      return { bytes: encode(body), type: "application/x-www-form-urlencoded;charset=UTF-8" };
    }
    if (typeof body === "object" && (body instanceof ArrayBuffer || ArrayBuffer.isView(body))) {
      return { bytes: bytesOf(body).slice(0), type: null };
    }
    return { bytes: encode(body), type: "text/plain;charset=UTF-8" };
  };

  class Body {
    #body;
    #used = false;
    constructor(body) {
      this.#body = body ?? null;
    }
    static copy(from) {
      if (from.#used) throw new TypeError("the body was read already");
      return from.#body;
    }
    get bodyUsed() {
      return this.#used;
    }
    async #read() {
      if (this.#used) throw new TypeError("the body was read already");
      this.#used = this.#body !== null;
      return (await extract(this.#body)).bytes ?? new ArrayBuffer(0);
    }
    async arrayBuffer() {
      return this.#read();
    }
    async bytes() {
      return new Uint8Array(await this.#read());
    }
    async text() {
      return decode(await this.#read());
    }
    async json() {
      return JSON.parse(await this.text());
    }
    async blob() {
      return new Blob([await this.#read()], { type: this.headers.get("content-type") ?? "" });
    }
  }
  const copy = Body.copy;
  delete Body.copy;

  class Request extends Body {
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : null;
      const body = init.body !== undefined ? init.body : from ? copy(from) : null;
      super(body);
      const URL = use("URL");
      this.url = from ? from.url : new URL(String(input)).href;
      this.method = String(init.method ?? from?.method ?? "GET").toUpperCase();
      this.headers = new Headers(init.headers ?? from?.headers);
      this.redirect = init.redirect ?? from?.redirect ?? "follow";
      this.signal = init.signal ?? from?.signal ?? null;
      if (body !== null && (this.method === "GET" || this.method === "HEAD")) {
        throw new TypeError(`a ${this.method} request has no body`);
      }
    }
    clone() {
      return new Request(this);
    }
  }

  class Response extends Body {
    constructor(body = null, { status = 200, statusText = "", headers, url = "", redirected = false } = {}) {
      super(body);
      if (!(status >= 200 && status <= 599)) throw new RangeError(`not a status: ${status}`);
      Object.assign(this, { status, statusText, url, redirected, type: "default" });
      this.headers = new Headers(headers);
    }
    static json(value, init = {}) {
      const response = new Response(native.stringify(value), init);
      if (!response.headers.has("content-type")) response.headers.set("content-type", "application/json");
      return response;
    }
    get ok() {
      return this.status >= 200 && this.status <= 299;
    }
    clone() {
      return new Response(copy(this), this);
    }
  }
  native.takeBody = (request) => extract(copy(request));
  return { Blob, File, FormData, Headers, Request, Response };
}
