import { type Client, createClient } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"

/** A page waits no longer than this for what it shows, in ms; what is run by hand may take as long as it takes. */
export const patienceMs = 20_000

/** A client of the service that this page comes from: by a key, or by the browser's session. */
export const clientOf = (key: string | undefined, lang: Language): Client =>
  createClient({ url: location.origin, lang, ...(key === undefined ? {} : { key }) })
