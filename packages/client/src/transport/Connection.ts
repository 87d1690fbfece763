import { type ClientError, refusalIn, UnexpectedAnswer } from "../errors.ts"
import type { Part, Platform } from "../platform.ts"
import { type CallOptions, type Sound, soundKey, soundTimeout, soundWait } from "../settings.ts"
import { Passing, retryAfterMs } from "./Passing.ts"
import { retrying, type Try } from "./retrying.ts"

/** A request, the same for each of its tries. */
export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** The path below the service's address. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** The JSON text that is sent. */
  readonly body?: string | undefined
  readonly options: CallOptions | undefined
}

/** The default timeouts and retries of a request. */
export interface Patience {
  readonly timeoutMs: number
  /** The timeout of one try. */
  readonly tryMs: number
  /** Retries until the time is over, regardless of the number of failures. */
  readonly isLasting?: boolean
  /** Does not retry once the request may have been executed. The error is then the lost response. */
  readonly isOnce?: boolean
}

/** The timeouts of tools and reads. A tool runs for at most half a minute. */
export const callPatience: Patience = { timeoutMs: 120_000, tryMs: 45_000 }

/** The name of a request in its errors. */
export const nameOf = ({ method, path }: Asked): string => `${method} ${path.split("?")[0]}`

/** Parses JSON; undefined if the text is not JSON. */
const jsonIn = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Returns the path with these query parameters, leaving out undefined ones. */
export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? path : `${path}?${text}`
}

/** Temporary errors of a proxy or a server. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const rethrow = (error: unknown): never => {
  throw error
}

/** Sends requests to the service over `fetch`. */
export class Connection {
  readonly sound: Sound
  readonly platform: Platform

  constructor(sound: Sound, platform: Platform) {
    this.sound = sound
    this.platform = platform
  }

  /**
   * Sends a request once, and returns the response as soon as its headers have arrived. Fails with the service's error,
   * or with `Passing` if another try may succeed.
   */
  async open(asked: Asked, part: Part): Promise<Response> {
    const response = await this.#fetch(asked, part)
    if (response.ok || response.status === 304) return response
    throw await this.#failure(asked, response, part)
  }

  /**
   * Sends a request and reads its complete response, with retries. `pardon` may convert an error of a try to a result.
   */
  request<A>(
    asked: Asked,
    patience: Patience,
    read: (response: Response, attempt: Try) => Promise<A>,
    pardon: (error: unknown, attempt: Try) => A = rethrow
  ): Promise<A> {
    const { options } = asked
    // Validates the headers before the first try, so that the error names the cause.
    this.#headersOf(asked)
    const bounds = {
      what: nameOf(asked),
      timeoutMs: soundTimeout(options?.timeout_ms) ?? this.sound.timeoutMs ?? patience.timeoutMs,
      tryMs: patience.tryMs,
      isLasting: patience.isLasting === true,
      isOnce: patience.isOnce === true,
      longestWaitMs: soundWait(options?.longest_wait_ms),
      signal: options?.signal
    }
    return retrying(this.platform, bounds, async (attempt) => {
      const opened = await this.open(asked, attempt.part).catch((error: unknown) => ({
        pardoned: pardon(error, attempt)
      }))
      return "pardoned" in opened ? opened.pardoned : read(opened, attempt)
    })
  }

  /** Sends a request whose response is JSON. */
  json<A>(asked: Asked, patience: Patience = callPatience): Promise<A> {
    return this.request(asked, patience, async (response, { part }) => {
      // The service's contract defines the type. The client does not validate it again.
      return await this.body(asked, response, part) as A
    })
  }

  /** Returns the JSON of a response's body. */
  async body(asked: Asked, response: Response, part: Part): Promise<unknown> {
    const text = await this.text(response, part)
    const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "")
    const found = isJson ? jsonIn(text) : undefined
    if (found !== undefined) return found.value
    // An incomplete JSON text means that the response was cut, and a proxy did not notice it.
    if (isJson) throw new Passing(new Error("the answer was cut off"))
    throw new UnexpectedAnswer(nameOf(asked), response.status, "the answer is not the service's", text)
  }

  async text(response: Response, part: Part): Promise<string> {
    return await this.#whole(part, () => response.text())
  }

  async bytes(response: Response, part: Part): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#whole(part, () => response.arrayBuffer()))
  }

  /**
   * Treats an error while waiting as a lost connection, unless this client aborted. Does not wait for a `fetch` that
   * ignores its signal.
   */
  async #whole<A>(part: Part, wait: () => Promise<A>): Promise<A> {
    try {
      return await part.outwait(wait)
    } catch (cause) {
      throw part.signal.aborted ? part.signal.reason : new Passing(cause)
    }
  }

  #headersOf({ body, headers, options }: Asked): Headers {
    const lang = options?.lang ?? this.sound.lang
    const all = {
      accept: "application/json, application/problem+json",
      "content-type": body === undefined ? undefined : "application/json",
      "x-lang": lang,
      "x-request-id": options?.request_id,
      ...headers
    }
    const given = new Headers()
    for (const [name, value] of Object.entries(all)) if (value !== undefined) given.set(name, value)
    return given
  }

  async #fetch(asked: Asked, part: Part): Promise<Response> {
    const headers = this.#headersOf(asked)
    const { account, key } = this.sound
    if (key === undefined) {
      // Marks a request of the service's own pages. Pages of other sites cannot send this header.
      headers.set("x-tapeline-console", "1")
      if (account !== undefined) headers.set("x-tapeline-account", String(account))
    } else headers.set("authorization", `Bearer ${soundKey(await part.outwait(key))}`)
    const { body, method, path } = asked
    const response = await this.#whole(part, () =>
      this.sound.fetch(this.sound.base + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: part.signal,
        // With a key, cookies are not sent. Without a key, the session of the page's user authenticates the request.
        credentials: key === undefined ? "same-origin" : "omit",
        // A redirected POST would arrive as a GET.
        redirect: "manual"
      }))
    if (
      response.type !== "opaqueredirect" && (response.status < 300 || response.status > 399 || response.status === 304)
    ) {
      return response
    }
    const to = response.headers.get("location")
    const why = `the address redirects${
      to === null ? "" : ` to ${to}`
    }: give the client the address that answers itself`
    throw new UnexpectedAnswer(nameOf(asked), response.status, why, "")
  }

  async #failure(asked: Asked, response: Response, part: Part): Promise<ClientError | Passing> {
    const text = await this.text(response, part)
    const body = jsonIn(text)?.value
    const { pathname } = new URL(this.sound.base + asked.path)
    const refusal = refusalIn(body, `${asked.method} ${pathname}`)
    const error = refusal ?? new UnexpectedAnswer(nameOf(asked), response.status, "no refusal of the service", text)
    const field = refusal !== undefined && "retry_after_seconds" in refusal ? refusal.retry_after_seconds : undefined
    const afterMs = retryAfterMs(this.platform, response.headers, field)
    const isAwaited = refusal?.code === "request_in_progress" || (response.status === 429 && afterMs !== undefined)
    return isAwaited || passingStatuses.has(response.status)
      ? new Passing(error, { refused: error, afterMs, isCounted: !isAwaited })
      : error
  }
}
