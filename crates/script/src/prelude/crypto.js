// Random values.
export default function (native) {
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const crypto = Object.freeze({
    getRandomValues(view) {
      if (!ArrayBuffer.isView(view) || view instanceof Float32Array || view instanceof Float64Array || view instanceof DataView) {
        throw new TypeError("getRandomValues fills an array of integers");
      }
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(new Uint8Array(native.random(view.byteLength)));
      return view;
    },
    randomUUID() {
      const bytes = new Uint8Array(native.random(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const text = hex(bytes);
      return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
    },
  });
  return { crypto };
}
