import { Effect } from "effect"

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 of a text's UTF-8, in lower-case hexadecimal. */
export const sha256 = (text: string): Effect.Effect<string> =>
  Effect.map(Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))), hex)
