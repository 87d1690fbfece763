import { type Client, createClient } from "@tapeline/client"
import type { Language } from "@tapeline/core/specifications"
import { fetchWithPresence, presence } from "./presence.ts"
import { serviceAvailability } from "./serviceAvailability.ts"

/** The timeout of requests for page contents, in ms. */
export const requestTimeoutMs = 20_000

/**
 * Creates a client of the service that serves the page, whose requests fail if the session belongs to another account
 * than `account`.
 */
export const makeClient = (key: string | undefined, lang: Language, account?: number): Client =>
  createClient({
    url: location.origin,
    lang,
    account,
    fetch: serviceAvailability.trackFetch(
      key === undefined ? fetchWithPresence(presence) : (input, init) => globalThis.fetch(input, init)
    ),
    ...(key === undefined ? {} : { key })
  })
