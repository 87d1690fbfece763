/**
 * How somebody without an account comes in at Yahoo: cookies of a page, and a "crumb" that goes with them.
 * `yahoo-finance2` keeps how that is done, consent forms of some countries included; its requests go out by the kit.
 *
 * The library is loaded when somebody comes in for the first time, and nothing else of it is used: its own requests
 * know no bounds, write addresses with crumbs to the error stream, and change what they decode.
 */
import { Effect, Result } from "effect"
import type { Fault, Knock, Opened, Received, SessionOptions } from "../../source/index.ts"

/** How it is asked: it refuses what says nothing of itself. */
export const userAgent = "Mozilla/5.0 (compatible; yahoo-finance2/4.0.2)"

type Ask = (knock: Knock) => Effect.Effect<Received, Fault>
type Library = readonly [typeof import("yahoo-finance2/lib/cookieJar"), typeof import("yahoo-finance2/lib/getCrumb")]

const library: Effect.Effect<Library> = Effect.promise(() =>
  Promise.all([import("yahoo-finance2/lib/cookieJar"), import("yahoo-finance2/lib/getCrumb")])
)

const quiet = () => undefined
const logger = { info: quiet, warn: quiet, error: quiet, debug: quiet, dir: quiet }

/** A crumb as it is one: a refusal in words is none. */
const isCrumb = (text: string | null): text is string => text !== null && /^[\w./\\+=-]{5,64}$/u.test(text)

/** Headers of a body that was unpacked already. */
const bare = (headers: Headers): Headers => {
  const left = new Headers(headers)
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) left.delete(name)
  return left
}

/** The library's requests, sent by the kit, and what came of them. */
class Door {
  newest: Received | null = null
  fault: Fault | undefined
  readonly #ask: (knock: Knock) => Promise<Result.Result<Received, Fault>>
  readonly #siteUrl: string | undefined

  constructor(ask: (knock: Knock) => Promise<Result.Result<Received, Fault>>, siteUrl: string | undefined) {
    this.#ask = ask
    this.#siteUrl = siteUrl
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const asked = await this.#ask({
      url: this.#addressOf(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" ? { form: init.body } : {})
    })
    if (Result.isFailure(asked)) {
      this.fault = asked.failure
      throw new Error(asked.failure.reason)
    }
    const { headers, status, text } = this.newest = asked.success
    // A status that says that there is no body takes none.
    return new Response([204, 205, 304].includes(status) ? null : text, { status, headers: bare(headers) })
  }

  /** Each page on its own host, or all at the one address that was given instead. */
  #addressOf(address: string | URL): string {
    const url = new URL(address)
    return this.#siteUrl === undefined ? url.href : `${this.#siteUrl.replace(/\/$/u, "")}${url.pathname}${url.search}`
  }
}

/** What goes with each request, or what stood in the way. */
const enter = async ([cookies, crumbs]: Library, door: Door): Promise<Opened> => {
  const jar = new cookies.ExtendedCookieJar()
  // All that it does with notices is to show one.
  const notices = { show: quiet } as unknown as Parameters<typeof crumbs.default>[4]
  try {
    const crumb = await crumbs.default(jar, door.fetch, { headers: { "user-agent": userAgent } }, logger, notices)
    const cookie = await jar.getCookieString("https://query2.finance.yahoo.com/", { allPaths: true })
    if (isCrumb(crumb) && cookie !== "") return { shown: { query: { crumb }, headers: { cookie } } }
  } catch {
    // What went wrong stands at the door: a fault, or the last answer.
  }
  return { refused: door.newest }
}

const open = (siteUrl: string | undefined) =>
  Effect.fnUntraced(function*(ask: Ask): Effect.fn.Return<Opened, Fault> {
    const loaded = yield* library
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const [opened, fault] = yield* Effect.promise(async (signal) => {
      const door = new Door((knock) => run(Effect.result(ask(knock)), { signal }), siteUrl)
      return [await enter(loaded, door), door.fault] as const
    })
    return "refused" in opened && fault !== undefined ? yield* Effect.fail(fault) : opened
  })

/** `siteUrl` stands for all of its hosts, where it is not asked at its public ones. */
export const yahooSession = (siteUrl?: string): SessionOptions => ({
  open: open(siteUrl),
  isRefused: ({ status, text }) => status === 401 || (status === 403 && /crumb/iu.test(text.slice(0, 1_000)))
})
