// Text and bytes.
export default function (native) {
  const bytesOf = (input) => {
    if (input === undefined) return new ArrayBuffer(0);
    if (input instanceof ArrayBuffer) return input;
    if (ArrayBuffer.isView(input)) return input.buffer.slice(input.byteOffset, input.byteOffset + input.byteLength);
    throw new TypeError("bytes are an ArrayBuffer or a view of one");
  };

  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return new Uint8Array(native.encode(String(text).toWellFormed()));
    }
  }

  class TextDecoder {
    #label;
    #encoding;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      this.#label = String(label);
      const name = native.encoding(this.#label);
      if (name === undefined || name === null) throw new RangeError(`unknown encoding: ${label}`);
      this.#encoding = name.toLowerCase();
      this.fatal = Boolean(fatal);
      this.ignoreBOM = Boolean(ignoreBOM);
    }
    get encoding() {
      return this.#encoding;
    }
    decode(input) {
      return native.decode(bytesOf(input), this.#label, this.fatal, this.ignoreBOM);
    }
  }
  const invalid = (message) => {
    throw new DOMException(message, "InvalidCharacterError");
  };
  const btoa = (text) => {
    const bytes = Uint8Array.from(String(text), (c) => {
      if (c.length > 1 || c.charCodeAt(0) > 255) invalid("btoa takes characters up to U+00FF");
      return c.charCodeAt(0);
    });
    return native.toBase64(bytes.buffer);
  };
  const atob = (text) => {
    const compact = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
    if (compact.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(compact)) invalid("not base64");
    const bytes = new Uint8Array(native.fromBase64(compact));
    let out = "";
    for (const byte of bytes) out += String.fromCharCode(byte);
    return out;
  };
  native.bytesOf = bytesOf;
  return { TextEncoder, TextDecoder, atob, btoa };
}
