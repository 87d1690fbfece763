import { type Client, createClient } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { fetchOf, presence } from "./presence.ts"
import { reach } from "./reach.ts"

/** A page waits no longer than this for what it shows, in ms; what is run by hand may take as long as it takes. */
export const patienceMs = 20_000

/**
 * A client of the service that this page comes from: by a key, or by the browser's session; of the account that is
 * named and no other, where one is.
 */
export const clientOf = (key: string | undefined, lang: Language, account?: number): Client =>
  createClient({
    url: location.origin,
    lang,
    account,
    fetch: reach.fetchOf(key === undefined ? fetchOf(presence) : (input, init) => globalThis.fetch(input, init)),
    ...(key === undefined ? {} : { key })
  })
