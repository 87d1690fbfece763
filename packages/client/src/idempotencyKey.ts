/** A key that no other call has. (`crypto.randomUUID` is missing in pages that were not loaded over TLS.) */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")
