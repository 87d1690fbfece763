import { type ClientError, parseProblem, UnexpectedAnswer } from "../errors.ts"
import type { AbortScope, Platform } from "../platform.ts"
import { type CallOptions, checkKey, type ValidatedSettings, validateOptions } from "../settings.ts"
import { type Attempt, parseRetryAfter, RetryableFailure, withRetries } from "./retries.ts"

export interface ClientRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string | undefined
  readonly options: CallOptions | undefined
}

export interface RetryPolicy {
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  /** Whether the client retries until the timeout, regardless of the number of failures. */
  readonly isUnlimited?: boolean
  /** If true, the client does not retry a request that the service may already have executed. */
  readonly isNeverRepeated?: boolean
}

/** The default timeouts. Each default timeout is longer than a tool can run, which is 30 s. */
export const defaultRetryPolicy: RetryPolicy = { timeoutMs: 120_000, attemptTimeoutMs: 45_000 }

export const requestNameOf = ({ method, path }: ClientRequest): string => `${method} ${path.split("?")[0]}`

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

export const withQuery = (path: string, query: Readonly<Record<string, string | number | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? path : `${path}?${text}`
}

/** The HTTP statuses of temporary errors of a proxy or a server. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const rethrow = (error: unknown): never => {
  throw error
}

export class Connection {
  readonly settings: ValidatedSettings
  readonly platform: Platform

  constructor(settings: ValidatedSettings, platform: Platform) {
    this.settings = settings
    this.platform = platform
  }

  /** Sends a request once; fails with the service's error, or with `RetryableFailure` if another try may succeed. */
  async open(request: ClientRequest, abortScope: AbortScope): Promise<Response> {
    const response = await this.#fetch(request, abortScope)
    if (response.ok || response.status === 304) return response
    throw await this.#toError(request, response, abortScope)
  }

  /** Sends a request and reads the complete response, with retries; `recover` may convert an error to a result. */
  request<A>(
    request: ClientRequest,
    retryPolicy: RetryPolicy,
    readResponse: (response: Response, attempt: Attempt) => Promise<A>,
    recover: (error: unknown, attempt: Attempt) => A = rethrow
  ): Promise<A> {
    const { options } = request
    const { maxWaitMs, timeoutMs } = validateOptions(options)
    // The call builds the headers before the first try only to validate them, so that an error names the invalid
    // header.
    this.#headersOf(request)
    const limits = {
      requestName: requestNameOf(request),
      timeoutMs: timeoutMs ?? this.settings.timeoutMs ?? retryPolicy.timeoutMs,
      attemptTimeoutMs: retryPolicy.attemptTimeoutMs,
      isUnlimited: retryPolicy.isUnlimited === true,
      isNeverRepeated: retryPolicy.isNeverRepeated === true,
      maxWaitMs,
      signal: options?.signal
    }
    return withRetries(this.platform, limits, async (attempt) => {
      const result = await this.open(request, attempt.abortScope).catch((error: unknown) => ({
        recovered: recover(error, attempt)
      }))
      return "recovered" in result ? result.recovered : readResponse(result, attempt)
    })
  }

  /** Sends a request and returns the JSON of the response, with retries. */
  json<A>(request: ClientRequest, retryPolicy: RetryPolicy = defaultRetryPolicy): Promise<A> {
    return this.request(request, retryPolicy, async (response, { abortScope }) => {
      // The cast is safe because the API defines the type of each response. The client does not validate responses.
      return await this.body(request, response, abortScope) as A
    })
  }

  async body(request: ClientRequest, response: Response, abortScope: AbortScope): Promise<unknown> {
    const text = await this.text(response, abortScope)
    const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "")
    const parsed = isJson ? parseJson(text) : undefined
    if (parsed !== undefined) return parsed.value
    // A proxy that does not notice a truncated response forwards an incomplete JSON text.
    if (isJson) throw new RetryableFailure(new Error("the response was truncated"))
    throw new UnexpectedAnswer(requestNameOf(request), response.status, "the response is not from the service", text)
  }

  async text(response: Response, abortScope: AbortScope): Promise<string> {
    return await this.#waitAbortable(abortScope, () => response.text())
  }

  async bytes(response: Response, abortScope: AbortScope): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.#waitAbortable(abortScope, () => response.arrayBuffer()))
  }

  /**
   * Runs `wait`, and rejects as soon as `abortScope` aborts, even if `fetch` ignores the abort. Converts an error of
   * `wait` to a `RetryableFailure`.
   */
  async #waitAbortable<A>(abortScope: AbortScope, wait: () => Promise<A>): Promise<A> {
    try {
      return await abortScope.runUntilAborted(wait)
    } catch (cause) {
      throw abortScope.signal.aborted ? abortScope.signal.reason : new RetryableFailure(cause)
    }
  }

  #headersOf({ body, headers, options }: ClientRequest): Headers {
    const lang = options?.lang ?? this.settings.lang
    const all = {
      accept: "application/json, application/problem+json",
      "content-type": body === undefined ? undefined : "application/json",
      "x-lang": lang,
      "x-request-id": options?.request_id,
      ...headers
    }
    const definedHeaders = new Headers()
    for (const [name, value] of Object.entries(all)) if (value !== undefined) definedHeaders.set(name, value)
    return definedHeaders
  }

  async #fetch(request: ClientRequest, abortScope: AbortScope): Promise<Response> {
    const headers = this.#headersOf(request)
    const { account, key } = this.settings
    if (key === undefined) {
      // The header proves that a page of the service sent the request, because pages of other sites cannot send the
      // header.
      headers.set("x-tapeline-console", "1")
      if (account !== undefined) headers.set("x-tapeline-account", String(account))
    } else headers.set("authorization", `Bearer ${checkKey(await abortScope.runUntilAborted(key))}`)
    const { body, method, path } = request
    const response = await this.#waitAbortable(abortScope, () =>
      this.settings.fetch(this.settings.baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        signal: abortScope.signal,
        // The browser sends the session cookie only if the client has no API key.
        credentials: key === undefined ? "same-origin" : "omit",
        // Redirects are errors, because after a redirect a POST request would arrive as a GET request.
        redirect: "manual"
      }))
    if (
      response.type !== "opaqueredirect" && (response.status < 300 || response.status > 399 || response.status === 304)
    ) {
      return response
    }
    const location = response.headers.get("location")
    const reason = `the address redirects${
      location === null ? "" : ` to ${location}`
    }: configure the client with the final address`
    throw new UnexpectedAnswer(requestNameOf(request), response.status, reason, "")
  }

  async #toError(
    request: ClientRequest,
    response: Response,
    abortScope: AbortScope
  ): Promise<ClientError | RetryableFailure> {
    const text = await this.text(response, abortScope)
    const body = parseJson(text)?.value
    const { pathname } = new URL(this.settings.baseUrl + request.path)
    const problem = parseProblem(body, `${request.method} ${pathname}`)
    const error = problem ??
      new UnexpectedAnswer(requestNameOf(request), response.status, "the response is not an error of the service", text)
    const retryAfterField = problem !== undefined && "retry_after_seconds" in problem
      ? problem.retry_after_seconds
      : undefined
    const requestedWaitMs = parseRetryAfter(this.platform, response.headers, retryAfterField)
    const isRequestedWait = problem?.code === "request_in_progress" ||
      (response.status === 429 && requestedWaitMs !== undefined)
    return isRequestedWait || retryableStatuses.has(response.status)
      ? new RetryableFailure(error, { serviceError: error, requestedWaitMs, countsAsFailure: !isRequestedWait })
      : error
  }
}
