/**
 * Opens an anonymous session at Yahoo, which consists of cookies and a matching "crumb", by the procedure of
 * `yahoo-finance2`.
 *
 * No other part of `yahoo-finance2` is used, because its requests have no size limit, log URLs with crumbs, and alter
 * the decoded data.
 */
import { Effect, Result } from "effect"
import type { Fault, OpenResult, RawResponse, SessionOptions, SessionRequest } from "../source/index.ts"

/** The user agent of all requests to Yahoo, which rejects requests without a user agent. */
export const userAgent = "Mozilla/5.0 (compatible; yahoo-finance2/4.0.2)"

type SendRequest = (sessionRequest: SessionRequest) => Effect.Effect<RawResponse, Fault>
type Library = readonly [typeof import("yahoo-finance2/lib/cookieJar"), typeof import("yahoo-finance2/lib/getCrumb")]

const loadLibrary: Effect.Effect<Library> = Effect.promise(() =>
  Promise.all([import("yahoo-finance2/lib/cookieJar"), import("yahoo-finance2/lib/getCrumb")])
)

const noop = () => undefined
const logger = { info: noop, warn: noop, error: noop, debug: noop, dir: noop }

const isCrumb = (text: string | null): text is string => text !== null && /^[\w./\\+=-]{5,64}$/u.test(text)

/** Removes the headers that describe the compressed body, because the body is already decompressed. */
const withoutBodyHeaders = (headers: Headers): Headers => {
  const left = new Headers(headers)
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) left.delete(name)
  return left
}

/** Sends the requests of `yahoo-finance2` through the source client, and stores the last response or fault. */
class LibraryFetch {
  lastResponse: RawResponse | null = null
  fault: Fault | undefined
  readonly #send: (sessionRequest: SessionRequest) => Promise<Result.Result<RawResponse, Fault>>
  readonly #siteUrl: string | undefined

  constructor(
    send: (sessionRequest: SessionRequest) => Promise<Result.Result<RawResponse, Fault>>,
    siteUrl: string | undefined
  ) {
    this.#send = send
    this.#siteUrl = siteUrl
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const result = await this.#send({
      url: this.#resolveAddress(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" ? { form: init.body } : {})
    })
    if (Result.isFailure(result)) {
      this.fault = result.failure
      throw new Error(result.failure.reason)
    }
    const { headers, status, text } = this.lastResponse = result.success
    // The constructor of `Response` throws if a response with one of these statuses has a body.
    return new Response([204, 205, 304].includes(status) ? null : text, {
      status,
      headers: withoutBodyHeaders(headers)
    })
  }

  /** Returns the URL with the host of `siteUrl`, or unchanged if `siteUrl` is not set. */
  #resolveAddress(address: string | URL): string {
    const url = new URL(address)
    return this.#siteUrl === undefined ? url.href : `${this.#siteUrl.replace(/\/$/u, "")}${url.pathname}${url.search}`
  }
}

/** Returns the credentials of a new session, or the response that rejected the session. */
const openAnonymousSession = async ([cookies, crumbs]: Library, libraryFetch: LibraryFetch): Promise<OpenResult> => {
  const jar = new cookies.ExtendedCookieJar()
  // The library calls only the method `show` of its notices.
  const notices = { show: noop } as unknown as Parameters<typeof crumbs.default>[4]
  try {
    const crumb = await crumbs.default(
      jar,
      libraryFetch.fetch,
      { headers: { "user-agent": userAgent } },
      logger,
      notices
    )
    const cookie = await jar.getCookieString("https://query2.finance.yahoo.com/", { allPaths: true })
    if (isCrumb(crumb) && cookie !== "") return { shown: { query: { crumb }, headers: { cookie } } }
  } catch {
    // `libraryFetch` contains the cause of the failure: a fault, or the last response.
  }
  return { refused: libraryFetch.lastResponse }
}

const makeOpen = (siteUrl: string | undefined) =>
  Effect.fnUntraced(function*(send: SendRequest): Effect.fn.Return<OpenResult, Fault> {
    const loaded = yield* loadLibrary
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const [opened, fault] = yield* Effect.promise(async (signal) => {
      const libraryFetch = new LibraryFetch(
        (sessionRequest) => run(Effect.result(send(sessionRequest)), { signal }),
        siteUrl
      )
      return [await openAnonymousSession(loaded, libraryFetch), libraryFetch.fault] as const
    })
    return "refused" in opened && fault !== undefined ? yield* Effect.fail(fault) : opened
  })

/** Returns the settings of sessions at Yahoo. If `siteUrl` is set, `siteUrl` replaces all public hosts of Yahoo. */
export const makeYahooSession = (siteUrl?: string): SessionOptions => ({
  open: makeOpen(siteUrl),
  isRejected: ({ status, text }) => status === 401 || (status === 403 && /crumb/iu.test(text.slice(0, 1_000)))
})
