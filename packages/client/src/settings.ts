import type { Language } from "@tapeline/core/specifications"

/** Where the service is, and how this client speaks to it. */
export interface ClientSettings {
  /** The service's address: `https://tapeline.example`, with the path under which it stands, if any. */
  readonly url: string
  /**
   * The account's key, or what gives it for each try, where it changes. A page of the service itself may leave it out:
   * then the session of its user, who has signed in, opens what a key would.
   */
  readonly key?: string | (() => string | Promise<string>)
  /**
   * For whom a page without a key was opened, by the account's id. Once its browser is signed in to another account all
   * that is asked fails with `OtherAccount`, and nothing is done.
   */
  readonly account?: number | undefined
  /** The language of what the service says of requests; English when left out. */
  readonly lang?: Language | undefined
  /** How long a call may take, all its tries together, in ms: 120,000, and 600,000 for a whole answer. */
  readonly timeout_ms?: number | undefined
  /** A stream that is silent for so long, in ms, is taken for dead and opened again: 40,000. */
  readonly silence_ms?: number | undefined
  /** For so long, in ms, a lost stream is looked for before it is given up: 180,000. */
  readonly reconnect_ms?: number | undefined
  /** What is used in place of the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** How one request is made. */
export interface CallOptions {
  /**
   * Gives up on the request, which rejects with the signal's reason. What the service has begun goes on; an answer of
   * the analyst is ended by `cancel`.
   */
  readonly signal?: AbortSignal | undefined
  /** How long it may take, all its tries together, in ms. */
  readonly timeout_ms?: number | undefined
  /**
   * A wait of more ms than this that the service asks for (`retry-after`) is not waited: the refusal is told at once.
   * As long as the request may take when left out. What may have been done already is asked for all the same.
   */
  readonly longest_wait_ms?: number | undefined
  /** The language of what the service says of this request. */
  readonly lang?: Language | undefined
  /** The name of the request in the service's log: 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly request_id?: string | undefined
}

/** How a request is made that is charged. */
export interface ChargedOptions extends CallOptions {
  /**
   * Under one key a request is answered and charged once within 24 hours, however often it is sent. One is made for
   * each call where none is given; give one to repeat a call that another process may have made.
   */
  readonly idempotency_key?: string | undefined
}

/** Settings whose every part is known, and sound. */
export interface Sound {
  readonly base: string
  /** Undefined where the session of the page's user is what tells who asks. */
  readonly key: (() => string | Promise<string>) | undefined
  readonly account: number | undefined
  readonly lang: Language | undefined
  readonly timeoutMs: number | undefined
  readonly silenceMs: number
  readonly reconnectMs: number
  readonly fetch: typeof globalThis.fetch
}

const wrong = (name: string, expected: string) => new TypeError(`Tapeline client: ${name} must be ${expected}`)

/** (`URL.canParse` is younger than some browsers that pages meet.) */
const addressIn = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const baseOf = (text: string): string => {
  const expected = "an address such as https://tapeline.example"
  const url = addressIn(text)
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw wrong("url", expected)
  if (url.username !== "" || url.password !== "") throw wrong("url", `${expected}, without a user and a password`)
  if (url.search !== "" || url.hash !== "") throw wrong("url", `${expected}, without a query`)
  return url.origin + url.pathname.replace(/\/+$/, "")
}

/** A key that a header can carry. A wrong one stands in no message: it may be nearly the right one. */
export const soundKey = (key: unknown): string => {
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw wrong("key", "the text of a key, tl_live_..., without spaces around it")
  }
  return key
}

const duration = (name: string, ms: number | undefined): number | undefined => {
  // A timer of the platform holds 31 bits: what is longer would fire at once.
  if (ms === undefined || (Number.isFinite(ms) && ms > 0 && ms <= 2_147_483_647)) return ms
  throw wrong(name, "a number of ms above 0 and below 2^31")
}

export const soundTimeout = (ms: number | undefined): number | undefined => duration("timeout_ms", ms)

export const soundWait = (ms: number | undefined): number => duration("longest_wait_ms", ms) ?? Infinity

/** What gives the key; undefined where a page of the service has none. Elsewhere none is a mistake. */
const keyOf = ({ key }: ClientSettings, base: string): Sound["key"] => {
  if (key === undefined && globalThis.location?.origin === new URL(base).origin) return undefined
  if (typeof key === "function") return key
  const text = soundKey(key)
  return () => text
}

export const soundSettings = (settings: ClientSettings): Sound => {
  const base = baseOf(settings.url)
  return {
    base,
    key: keyOf(settings, base),
    account: settings.account,
    lang: settings.lang,
    timeoutMs: soundTimeout(settings.timeout_ms),
    silenceMs: duration("silence_ms", settings.silence_ms) ?? 40_000,
    reconnectMs: duration("reconnect_ms", settings.reconnect_ms) ?? 180_000,
    // Called through the global object: browsers refuse a `fetch` that stands elsewhere.
    fetch: settings.fetch ?? ((input, init) => globalThis.fetch(input, init))
  }
}
