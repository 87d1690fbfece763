/** Makes a unique key. Not by `crypto.randomUUID`, which is missing in pages that were loaded without TLS. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
