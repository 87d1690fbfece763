import type { Language } from "@tapeline/core/specifications"

/** The address of the service, and the settings of the client. */
export interface ClientSettings {
  /** The service's address, such as `https://tapeline.example`, including a path if the service has one. */
  readonly url: string
  /**
   * The account's key, or a function that returns it before each try. A page of the service itself may omit it; then
   * the session of its signed-in user is used.
   */
  readonly key?: string | (() => string | Promise<string>)
  /**
   * The id of the account for which a page without a key was opened. If the browser later signs in to another account,
   * each request fails with `OtherAccount` and does nothing.
   */
  readonly account?: number | undefined
  /** The language of the service's messages about requests; English by default. */
  readonly lang?: Language | undefined
  /** The timeout of a call including all tries, in ms. By default 120,000, and 600,000 for a complete answer. */
  readonly timeout_ms?: number | undefined
  /** How long a stream may be silent before it is opened again, in ms. By default 40,000. */
  readonly silence_ms?: number | undefined
  /** How long the client tries to reopen a lost stream, in ms. By default 180,000. */
  readonly reconnect_ms?: number | undefined
  /** Replaces the platform's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The options of a request. */
export interface CallOptions {
  /**
   * Aborts the request, which then rejects with the signal's reason. Work that the service has begun continues. To end
   * an answer of the analyst, use `cancel`.
   */
  readonly signal?: AbortSignal | undefined
  /** The timeout including all tries, in ms. */
  readonly timeout_ms?: number | undefined
  /**
   * The longest `retry-after` that the client waits for, in ms. If the service requests a longer wait, the request
   * fails at once with the service's error. By default only the timeout limits the wait. A request that may already
   * have been executed is retried in any case.
   */
  readonly max_wait_ms?: number | undefined
  /** The language of the service's messages about this request. */
  readonly lang?: Language | undefined
  /** The id of the request in the service's log: 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly request_id?: string | undefined
}

/** The options of a request that is charged. */
export interface ChargedOptions extends CallOptions {
  /**
   * With the same key, a request is executed and charged once within 24 hours, however often it is sent. By default
   * each call gets a new key. Pass a key to repeat a call that another process may have made.
   */
  readonly idempotency_key?: string | undefined
}

/** Validated settings, with all defaults. */
export interface ValidatedSettings {
  readonly baseUrl: string
  /** Undefined if the session of the page's user authenticates the requests. */
  readonly key: (() => string | Promise<string>) | undefined
  readonly account: number | undefined
  readonly lang: Language | undefined
  readonly timeoutMs: number | undefined
  readonly silenceMs: number
  readonly reconnectMs: number
  readonly fetch: typeof globalThis.fetch
}

const invalidSetting = (name: string, expected: string) => new TypeError(`Tapeline client: ${name} must be ${expected}`)

/** Parses a URL. Not `URL.canParse`, which some supported browsers lack. */
const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const parseBaseUrl = (text: string): string => {
  const expected = "an address such as https://tapeline.example"
  const url = parseUrl(text)
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalidSetting("url", expected)
  if (url.username !== "" || url.password !== "") {
    throw invalidSetting("url", `${expected}, without a user and a password`)
  }
  if (url.search !== "" || url.hash !== "") throw invalidSetting("url", `${expected}, without a query`)
  return url.origin + url.pathname.replace(/\/+$/, "")
}

/** Validates that a header can carry the key. The error does not contain the key, because it may be nearly correct. */
export const checkKey = (key: unknown): string => {
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidSetting("key", "an API key such as tl_live_..., without spaces")
  }
  return key
}

const checkDuration = (name: string, ms: number | undefined): number | undefined => {
  // A platform timer holds 31 bits. A longer duration would fire at once.
  if (ms === undefined || (Number.isFinite(ms) && ms > 0 && ms <= 2_147_483_647)) return ms
  throw invalidSetting(name, "a number of ms above 0 and below 2^31")
}

export const checkTimeout = (ms: number | undefined): number | undefined => checkDuration("timeout_ms", ms)

export const checkMaxWait = (ms: number | undefined): number => checkDuration("max_wait_ms", ms) ?? Infinity

/** Returns the function for the key; undefined for a page of the service without a key. Elsewhere a key is required. */
const resolveKey = ({ key }: ClientSettings, base: string): ValidatedSettings["key"] => {
  if (key === undefined && globalThis.location?.origin === new URL(base).origin) return undefined
  if (typeof key === "function") return key
  const text = checkKey(key)
  return () => text
}

export const validateSettings = (settings: ClientSettings): ValidatedSettings => {
  const baseUrl = parseBaseUrl(settings.url)
  return {
    baseUrl,
    key: resolveKey(settings, baseUrl),
    account: settings.account,
    lang: settings.lang,
    timeoutMs: checkTimeout(settings.timeout_ms),
    silenceMs: checkDuration("silence_ms", settings.silence_ms) ?? 40_000,
    reconnectMs: checkDuration("reconnect_ms", settings.reconnect_ms) ?? 180_000,
    // Called through the global object, because browsers reject a detached `fetch`.
    fetch: settings.fetch ?? ((input, init) => globalThis.fetch(input, init))
  }
}
