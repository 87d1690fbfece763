import { type ClientError, refusalIn, UnexpectedAnswer } from "../errors.ts"
import type { Part, Platform } from "../platform.ts"
import { type CallOptions, type Sound, soundKey, soundTimeout, soundWait } from "../settings.ts"
import { Passing, retryAfterMs } from "./Passing.ts"
import { retrying, type Try } from "./retrying.ts"

/** A request, whichever try of it is made. */
export interface Asked {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** From the service's address on. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** JSON, as it is sent. */
  readonly body?: string | undefined
  readonly options: CallOptions | undefined
}

/** What a request may take, where its caller says nothing of it. */
export interface Patience {
  readonly timeoutMs: number
  /** One try alone. */
  readonly tryMs: number
  /** However often nobody is found, until the time is over. */
  readonly isLasting?: boolean
  /** Not again once it may have been done: that its answer was lost is told. */
  readonly isOnce?: boolean
}

/** What tools and everything that is read may take: a tool runs for half a minute at most. */
export const callPatience: Patience = { timeoutMs: 120_000, tryMs: 45_000 }

/** The names of a request in its errors. */
export const nameOf = ({ method, path }: Asked): string => `${method} ${path.split("?")[0]}`

/** JSON that a text holds; undefined when it is none. */
const jsonIn = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The path with these parameters; those that are undefined are left out. */
export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? path : `${path}?${text}`
}

/** What a proxy or a server says that will not last. */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const rethrow = (error: unknown): never => {
  throw error
}

/** How the client speaks to the service: one request and its answer at a time, over `fetch`. */
export class Connection {
  readonly sound: Sound
  readonly platform: Platform

  constructor(sound: Sound, platform: Platform) {
    this.sound = sound
    this.platform = platform
  }

  /**
   * Sends a request once, and gives its answer as soon as its head is there. What is no success fails: with what the
   * service says, or with `Passing` where another try may fare better.
   */
  async open(asked: Asked, part: Part): Promise<Response> {
    const response = await this.#fetch(asked, part)
    if (response.ok || response.status === 304) return response
    throw await this.#failure(asked, response, part)
  }

  /**
   * A request with all that belongs to its answer, tried again where that is worth it. `pardon` may take what a try was
   * refused with for an answer.
   */
  request<A>(
    asked: Asked,
    patience: Patience,
    read: (response: Response, attempt: Try) => Promise<A>,
    pardon: (error: unknown, attempt: Try) => A = rethrow
  ): Promise<A> {
    const { options } = asked
    // Told at once, and by what is wrong, rather than by a try that fails.
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

  /** A request whose answer is JSON. */
  json<A>(asked: Asked, patience: Patience = callPatience): Promise<A> {
    return this.request(asked, patience, async (response, { part }) => {
      // The service's contract says what it is; it is not judged again here.
      return await this.body(asked, response, part) as A
    })
  }

  /** The JSON of an answer's body. */
  async body(asked: Asked, response: Response, part: Part): Promise<unknown> {
    const text = await this.text(response, part)
    const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "")
    const found = isJson ? jsonIn(text) : undefined
    if (found !== undefined) return found.value
    // Half of a JSON text is what is left of an answer that some proxy did not see to be cut.
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
   * Whatever breaks while something is awaited is a lost connection, unless it was given up here. A `fetch` that does
   * not heed its signal is not waited for.
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
      // A page of the service's own says that it is one: no other may.
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
        // A key is all that tells who asks; without one the session of the page's user is.
        credentials: key === undefined ? "same-origin" : "omit",
        // A redirected POST would come as a GET.
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
