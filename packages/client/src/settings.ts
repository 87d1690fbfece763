import type { Language } from "@tapeline/core/specifications"

/** The URL of the service, and the other settings of the client. */
export interface ClientSettings {
  /** The URL of the service, such as `https://tapeline.example`, including a path if the service has one. */
  readonly url: string
  /**
   * The account's API key, or a function that returns the API key before each try. A page with a browser session needs
   * no key.
   */
  readonly key?: string | (() => string | Promise<string>)
  /**
   * The account that a page without an API key shows. Requests fail with `OtherAccount` if the browser is signed in to
   * a different account.
   */
  readonly account?: number | undefined
  /** The language of the service's messages; English by default. */
  readonly lang?: Language | undefined
  /**
   * The timeout of a call including all tries, in ms. The default is 120,000, or 600,000 for a complete answer of the
   * analyst.
   */
  readonly timeout_ms?: number | undefined
  /** The time that a stream may be silent before the client reconnects, in ms; 40,000 by default. */
  readonly silence_ms?: number | undefined
  /** The time for which the client tries to reconnect a lost stream, in ms; 180,000 by default. */
  readonly reconnect_ms?: number | undefined
  /** The function that replaces the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The options of a single request of the client. */
export interface CallOptions {
  /**
   * The signal that aborts the client's request but not the service's work; to end an analyst's answer, use `cancel`.
   */
  readonly signal?: AbortSignal | undefined
  /** The timeout of a request with all its tries, in ms. */
  readonly timeout_ms?: number | undefined
  /**
   * The longest `retry-after` that the client accepts, in ms; by default only the timeout limits the wait. If the
   * service requests a longer wait, the request fails at once, unless the service may already have executed the
   * request.
   */
  readonly max_wait_ms?: number | undefined
  /** The language of the service's messages about the request. */
  readonly lang?: Language | undefined
  /** The id of the request in the service's log: 1 to 128 letters, digits, dots, dashes or underscores. */
  readonly request_id?: string | undefined
}

/** The options of a request that costs credits. */
export interface ChargedOptions extends CallOptions {
  /**
   * The idempotency key of the request; by default each call gets a new idempotency key. Within 24 hours, all requests
   * with one idempotency key are executed and charged once.
   */
  readonly idempotency_key?: string | undefined
}

export interface ValidatedSettings {
  readonly baseUrl: string
  /** A function that returns the API key; undefined if a browser session authenticates the requests. */
  readonly key: (() => string | Promise<string>) | undefined
  readonly account: number | undefined
  readonly lang: Language | undefined
  readonly timeoutMs: number | undefined
  readonly silenceMs: number
  readonly reconnectMs: number
  readonly fetch: typeof globalThis.fetch
}

/**
 * The names of all options that the client's methods accept. Only streams accept `after`, and only charts accept
 * `format`.
 */
const optionNames = {
  signal: true,
  timeout_ms: true,
  max_wait_ms: true,
  lang: true,
  request_id: true,
  idempotency_key: true,
  after: true,
  format: true
} satisfies Record<keyof ChargedOptions | "after" | "format", true>

/** Rejects unknown options, because a misspelled option would have no effect. */
const checkOptionNames = (options: object): void => {
  const known = Object.keys(optionNames)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const renamed = unknown === "longest_wait_ms" ? " (renamed to max_wait_ms)" : ""
  throw new TypeError(`Tapeline client: there is no option ${unknown}${renamed}; use ${known.join(", ")}`)
}

const invalidSetting = (name: string, expected: string) => new TypeError(`Tapeline client: ${name} must be ${expected}`)

/** Parses a URL without `URL.canParse`, which some supported browsers lack. */
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

/**
 * Validates that an HTTP header can contain the API key. The error message omits the key, because a mistyped key
 * reveals most of the correct key.
 */
export const checkKey = (key: unknown): string => {
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalidSetting("key", "an API key such as tl_live_..., without spaces")
  }
  return key
}

const checkDuration = (name: string, ms: number | undefined): number | undefined => {
  // The maximum is 2^31 - 1 ms, because a timer of the platform would fire at once for a longer duration.
  if (ms === undefined || (Number.isFinite(ms) && ms > 0 && ms <= 2_147_483_647)) return ms
  throw invalidSetting(name, "a number of ms above 0 and below 2^31")
}

/** The validated time limits of a request; `timeoutMs` is undefined if the options set no timeout. */
export interface TimeLimits {
  readonly timeoutMs: number | undefined
  readonly maxWaitMs: number
}

export const validateOptions = (options: CallOptions = {}): TimeLimits => {
  checkOptionNames(options)
  return {
    timeoutMs: checkDuration("timeout_ms", options.timeout_ms),
    maxWaitMs: checkDuration("max_wait_ms", options.max_wait_ms) ?? Infinity
  }
}

/** Returns the function that returns the API key, or undefined on a page of the service without a key. */
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
    timeoutMs: checkDuration("timeout_ms", settings.timeout_ms),
    silenceMs: checkDuration("silence_ms", settings.silence_ms) ?? 40_000,
    reconnectMs: checkDuration("reconnect_ms", settings.reconnect_ms) ?? 180_000,
    // `fetch` must be called as a method of the global object, because browsers reject a call of `fetch` alone.
    fetch: settings.fetch ?? ((input, init) => globalThis.fetch(input, init))
  }
}
