import { Effect } from "effect"
import * as Hex from "effect/encoding/Hex"

/** Returns the SHA-256 of the UTF-8 bytes of `text`, in lower-case hexadecimal. */
export const sha256 = (text: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (digest) => Hex.encode(new Uint8Array(digest))
  )
