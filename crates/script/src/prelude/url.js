// Addresses, parsed by the host's own rules: what a script sees is what a request will use.
export default function (native) {
  const PARTS = ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];
  const at = Object.fromEntries([...PARTS, "origin"].map((name, index) => [name, index]));

  const decode = (text) => {
    const bytes = [];
    const source = new Uint8Array(native.encode(text.replaceAll("+", " ")));
    for (let i = 0; i < source.length; i++) {
      const hex = source[i] === 0x25 ? String.fromCharCode(...source.subarray(i + 1, i + 3)) : "";
      if (/^[0-9a-f]{2}$/i.test(hex)) {
        bytes.push(parseInt(hex, 16));
        i += 2;
      } else bytes.push(source[i]);
    }
    return native.decode(new Uint8Array(bytes).buffer, "utf-8", false, true);
  };
  const encode = (text) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll("%20", "+");

  class URLSearchParams {
    #pairs = [];
    #changed = () => {};

    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        for (const pair of pairs) {
          const [name, value, ...more] = pair;
          if (value === undefined || more.length > 0) throw new TypeError("each pair has a name and a value");
          this.#pairs.push([String(name), String(value)]);
        }
      } else this.#read(String(init));
    }
    static of(text, changed) {
      const params = new URLSearchParams(text);
      params.#changed = changed;
      return params;
    }
    static refill(params, text) {
      params.#pairs = [];
      params.#read(text);
    }
    #read(text) {
      for (const part of text.replace(/^\?/, "").split("&")) {
        if (part === "") continue;
        const [name, ...value] = part.split("=");
        this.#pairs.push([decode(name), decode(value.join("="))]);
      }
    }
    #keep(pairs) {
      this.#pairs = pairs;
      this.#changed(this.toString());
    }
    append(name, value) {
      this.#keep([...this.#pairs, [String(name), String(value)]]);
    }
    delete(name, value) {
      const hit = ([k, v]) => k === String(name) && (value === undefined || v === String(value));
      this.#keep(this.#pairs.filter((pair) => !hit(pair)));
    }
    get(name) {
      return this.#pairs.find(([k]) => k === String(name))?.[1] ?? null;
    }
    getAll(name) {
      return this.#pairs.filter(([k]) => k === String(name)).map(([, v]) => v);
    }
    has(name, value) {
      return this.#pairs.some(([k, v]) => k === String(name) && (value === undefined || v === String(value)));
    }
    set(name, value) {
      const first = this.#pairs.findIndex(([k]) => k === String(name));
      if (first < 0) return this.append(name, value);
      const kept = this.#pairs.filter(([k], index) => k !== String(name) || index === first);
      this.#keep(kept.map((pair) => (pair[0] === String(name) ? [pair[0], String(value)] : pair)));
    }
    sort() {
      this.#keep(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }
    get size() {
      return this.#pairs.length;
    }
    forEach(visit, self) {
      for (const [name, value] of this) visit.call(self, value, name, this);
    }
    *entries() {
      for (const [name, value] of this.#pairs) yield [name, value];
    }
    *keys() {
      for (const [name] of this.#pairs) yield name;
    }
    *values() {
      for (const [, value] of this.#pairs) yield value;
    }
    [Symbol.iterator]() {
      return this.entries();
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
    }
  }

  class URL {
    #parts;
    #params;

    constructor(href, base) {
      const parts = native.url(String(href), base === undefined ? undefined : String(base));
      if (!parts) throw new TypeError(`not a URL: ${href}`);
      this.#parts = parts;
    }
    static canParse(href, base) {
      return Boolean(native.url(String(href), base === undefined ? undefined : String(base)));
    }
    static parse(href, base) {
      return URL.canParse(href, base) ? new URL(href, base) : null;
    }
    static part(url, name) {
      return url.#parts[at[name]];
    }
    static put(url, name, value) {
      const parts = native.urlSet(url.#parts[at.href], name, String(value));
      if (!parts) throw new TypeError(`not a URL: ${value}`);
      url.#parts = parts;
      if (url.#params && name !== "hash") URLSearchParams.refill(url.#params, parts[at.search]);
    }
    get origin() {
      return this.#parts[at.origin];
    }
    get searchParams() {
      this.#params ??= URLSearchParams.of(this.search, (text) => {
        this.#parts = native.urlSet(this.#parts[at.href], "search", text);
      });
      return this.#params;
    }
    toString() {
      return this.href;
    }
    toJSON() {
      return this.href;
    }
  }
  const { part, put } = URL;
  for (const name of PARTS) {
    Object.defineProperty(URL.prototype, name, {
      get() {
        return part(this, name);
      },
      set(value) {
        put(this, name, value);
      },
      enumerable: true,
      configurable: true,
    });
  }
  for (const own of [URL, URLSearchParams]) for (const name of ["part", "put"]) delete own[name];
  return { URL, URLSearchParams };
}
