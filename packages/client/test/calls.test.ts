import { sampleProblems } from "@tapeline/api"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { type ClientError, createClient, isClientError } from "../src/index.ts"
import {
  envelopeResponse,
  failFetch,
  jsonResponse,
  key,
  makeTestClient,
  neverResolve,
  problemResponse,
  type ReceivedRequest
} from "./support/fakeService.ts"

const failureOf = async (promise: Promise<unknown>): Promise<ClientError> => {
  try {
    await promise
  } catch (error) {
    if (isClientError(error)) return error
    throw error
  }
  throw new Error("it succeeded")
}

const keysOf = (requests: ReadonlyArray<ReceivedRequest>) =>
  new Set(requests.map(({ headers }) => headers.get("idempotency-key")))

describe("a request", () => {
  it("returns the id of the call, unless an older service omits the id", async () => {
    const { client } = makeTestClient((_, n) => envelopeResponse(undefined, n === 0 ? "call_202611_5" : undefined))
    expect((await client.call("get_price")).call_id).toBe("call_202611_5")
    expect("call_id" in await client.call("get_price")).toBe(false)
  })

  it("has the key, the language, the request id, and a new idempotency key for each call", async () => {
    const { requests, client } = makeTestClient(() => envelopeResponse({ coin: "BTC", price: 1 }), {
      lang: "ko",
      url: "https://a.example/sub/"
    })
    const { credits_left, data } = await client.tools.get_price({ coin: "BTC" }, { request_id: "mine-1" })
    expect([credits_left, data.price]).toEqual([99, 1])
    await client.call("get_price", { coin: "BTC" }, { idempotency_key: "chosen", lang: "ru" })
    const [first, second] = requests as [ReceivedRequest, ReceivedRequest] // the client has sent two requests
    expect([first.method, first.path, first.body]).toEqual(["POST", "/sub/v1/tools/get_price", `{"coin":"BTC"}`])
    expect(Object.fromEntries(first.headers)).toMatchObject({
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-lang": "ko",
      "x-request-id": "mine-1",
      "idempotency-key": expect.stringMatching(/^[0-9a-f]{32}$/)
    })
    expect([second.headers.get("idempotency-key"), second.headers.get("x-lang")]).toEqual(["chosen", "ru"])
  })

  it("calls the key function again for each attempt", async () => {
    let rotation = 0
    const { requests, client } = makeTestClient((_, n) => n === 0 ? failFetch() : envelopeResponse(), {
      key: () => `tl_live_${++rotation}`
    })
    await client.tools.get_market_overview()
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer tl_live_1",
      "Bearer tl_live_2"
    ])
  })

  it("encodes the name of an unknown tool in its path, and `tools` is no thenable", async () => {
    const { requests, client } = makeTestClient(() => envelopeResponse())
    await client.call("a tool/of one's own")
    expect(requests[0]?.path).toBe("/v1/tools/a%20tool%2Fof%20one's%20own")
    expect(await Promise.resolve(client.tools)).toBe(client.tools)
    expect("toJSON" in client.tools).toBe(false)
    expect(client.tools.get_price).toBe(client.tools.get_price)
  })
})

describe("a retry", () => {
  it("reuses the idempotency key if the connection breaks before or within the response", async () => {
    const cutResponse = () => {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(`{"tool":"get_pr`))
          controller.error(new TypeError("terminated"))
        }
      })
      return new Response(body, { headers: { "content-type": "application/json" } })
    }
    const { requests, client } = makeTestClient((_, n) => {
      if (n === 0) return failFetch()
      if (n === 1) return cutResponse()
      // An HTTP/1.0 proxy closes the connection after a truncated response in the same way as after a complete
      // response.
      if (n === 2) return new Response(`{"tool":"get_pr`, { headers: { "content-type": "application/json" } })
      return n === 3 ? new Response("<h1>Bad gateway</h1>", { status: 502 }) : envelopeResponse()
    })
    await client.tools.get_price({ coin: "BTC" })
    expect(requests.length).toBe(5)
    expect(keysOf(requests).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 125, 375, 875, 1875])
  })

  it("waits for the requested delay: header or field, in seconds or as a date", async () => {
    const at = new Date(Date.UTC(2026, 10, 22) + 11_000).toUTCString()
    const answers = [
      problemResponse(429, "rate_limited", { retry_after_seconds: 7 }, { "retry-after": "7" }),
      problemResponse(503, "unavailable", {}, { "retry-after": at }),
      problemResponse(409, "request_in_progress", { retry_after_seconds: 2 }),
      problemResponse(503, "unavailable", { retry_after_seconds: 0 }, { "retry-after": "soon" }),
      new Response("busy", { status: 503, headers: { "retry-after": "3" } })
    ]
    const { requests, client } = makeTestClient(() => answers.shift() ?? envelopeResponse())
    await client.tools.get_price({ coin: "BTC" })
    expect(requests.map(({ atMs }) => atMs).slice(0, 4)).toEqual([0, 7_000, 11_000, 13_000])
    expect(requests[5]!.atMs - requests[4]!.atMs).toBe(3_000)
    expect(keysOf(requests).size).toBe(1)
  })

  it("does not happen if the delay is years, and allows for a wrong client clock", async () => {
    const years = makeTestClient(() => problemResponse(429, "rate_limited", {}, { "retry-after": "99999999999999" }))
    expect(await failureOf(years.client.usage())).toMatchObject({ _tag: "RateLimited" })
    expect(years.requests.length).toBe(1)
    const service = Date.UTC(2026, 10, 22) - 3_600_000
    const headers = (inMs: number) => ({
      date: new Date(service).toUTCString(),
      "retry-after": new Date(service + inMs).toUTCString()
    })
    const answers = [
      problemResponse(503, "unavailable", {}, headers(9_000)),
      problemResponse(503, "unavailable", {}, headers(-5_000))
    ]
    const { requests, client } = makeTestClient(() => answers.shift() ?? envelopeResponse())
    await client.tools.get_price({ coin: "BTC" })
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 9_000, 9_250])
  })

  it("repeats while the first attempt is in progress, until the deadline", async () => {
    const running = () => problemResponse(409, "request_in_progress", { retry_after_seconds: 10 })
    const repeatedWait = makeTestClient((_, n) => n < 10 ? running() : envelopeResponse())
    await repeatedWait.client.tools.get_price({ coin: "BTC" })
    expect(repeatedWait.requests.length).toBe(11)
    const { requests, client } = makeTestClient(running)
    const failure = await failureOf(client.tools.get_price({ coin: "BTC" }, { timeout_ms: 35_000 }))
    expect(failure).toMatchObject({ _tag: "RequestInProgress", retry_after_seconds: 10 })
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 10_000, 20_000, 30_000])
  })

  it("does not happen beyond max_wait_ms, unless an earlier attempt may have run", async () => {
    const limited = () => problemResponse(429, "rate_limited", { retry_after_seconds: 40 })
    const bound = { max_wait_ms: 5_000 }
    const call = makeTestClient((_, n) =>
      n === 0 ? problemResponse(429, "rate_limited", { retry_after_seconds: 4 }) : limited()
    )
    const rateLimitedError = { _tag: "RateLimited", retry_after_seconds: 40 }
    expect(await failureOf(call.client.tools.get_price({ coin: "BTC" }, bound))).toMatchObject(rateLimitedError)
    expect(call.requests.map(({ atMs }) => atMs)).toEqual([0, 4_000])
    const question = makeTestClient(limited)
    expect(await failureOf(question.client.agent.stream({ message: "why?" }, bound).next())).toMatchObject(
      rateLimitedError
    )
    expect(question.requests.length).toBe(1)
    const failedTwice = makeTestClient((_, n) => n === 0 ? failFetch() : n === 1 ? limited() : envelopeResponse())
    await failedTwice.client.tools.get_price({ coin: "BTC" }, bound)
    expect([failedTwice.requests.length, keysOf(failedTwice.requests).size]).toEqual([3, 1])
    // A 504 response of a proxy does not show whether the service executed the request.
    const page = () => new Response("<h1>late</h1>", { status: 504 })
    const limitedClient = makeTestClient((_, n) => n === 0 ? page() : n === 1 ? limited() : envelopeResponse())
    await limitedClient.client.tools.get_price({ coin: "BTC" }, bound)
    expect(limitedClient.requests.length).toBe(3)
    expect(() => call.client.usage({}, { max_wait_ms: -1 })).toThrow(/max_wait_ms must be a number/)
  })

  it("does not happen if the requested delay exceeds the deadline", async () => {
    const { requests, client } = makeTestClient(() =>
      problemResponse(429, "daily_quota_reached", { retry_after_seconds: 40_000, quota: 10 })
    )
    expect(await failureOf(client.agent.ask({ message: "why?" }))).toMatchObject({
      _tag: "DailyQuotaReached",
      quota: 10
    })
    expect(requests.length).toBe(1)
  })

  it("does not happen for an unknown path, which the error names", async () => {
    const { requests, client } = makeTestClient(() => problemResponse(404, "not_found"), {
      url: "https://a.example/v1"
    })
    const failure = await failureOf(client.usage({ month: "2026-11" }))
    expect(failure).toMatchObject({ _tag: "NotFound", message: "refused: not_found (GET /v1/v1/usage)" })
    expect(requests.length).toBe(1)
  })

  it("does not happen after a permanent rejection", async () => {
    for (const [status, code] of [[400, "invalid_arguments"], [402, "over_limit"], [500, "internal"]] as const) {
      const { requests, client } = makeTestClient(() => problemResponse(status, code))
      expect(await failureOf(client.tools.get_price({ coin: "BTC" }))).toMatchObject({ code, status })
      expect(requests.length).toBe(1)
    }
  })

  it("stops after six failed attempts and reports the last failure", async () => {
    const { requests, client } = makeTestClient(() => failFetch("connect ECONNREFUSED 127.0.0.1:1"))
    const failure = await failureOf(client.usage())
    expect(failure).toMatchObject({ _tag: "ConnectionLost", tries: 6, name: "ConnectionLost" })
    expect(failure.message).toBe(
      "GET /v1/usage: no complete response in 6 tries: fetch failed: connect ECONNREFUSED 127.0.0.1:1"
    )
    expect(requests.length).toBe(6)
  })

  it("follows 45 s without a response, but not beyond the deadline", async () => {
    const { requests, client } = makeTestClient((_, n) => n === 0 ? neverResolve() : envelopeResponse())
    await client.tools.get_price({ coin: "BTC" })
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 45_125])
    const silent = makeTestClient(neverResolve)
    const failure = await failureOf(silent.client.tools.get_price({ coin: "BTC" }, { timeout_ms: 60_000 }))
    expect(failure).toMatchObject({ _tag: "DeadlineExceeded", timeout_ms: 60_000 })
    expect(silent.requests.length).toBe(2)
  })

  it("treats a 404 as success for a removal that an earlier attempt may have made", async () => {
    const notFoundResponse = () => problemResponse(404, "conversation_not_found")
    const failingClient = makeTestClient((_, n) => n === 0 ? failFetch() : notFoundResponse())
    await failingClient.client.conversations.remove(7)
    expect(failingClient.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(2).fill("DELETE /v1/agent/conversations/7")
    )
    const never = makeTestClient(notFoundResponse)
    expect(await failureOf(never.client.conversations.remove(7))).toMatchObject({ _tag: "ConversationNotFound" })
  })
})

describe("an abort", () => {
  it("rejects with its reason before, during and between attempts", async () => {
    const reason = new Error("enough")
    const before = makeTestClient(() => envelopeResponse())
    await expect(before.client.usage({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const within = makeTestClient((_, n) => {
      if (n > 0) controller.abort(reason)
      return n === 0 ? failFetch() : neverResolve()
    })
    await expect(within.client.usage({}, { signal: controller.signal })).rejects.toBe(reason)
    expect(within.requests.length).toBe(2)
    const between = new AbortController()
    const waiting = makeTestClient(() => {
      queueMicrotask(() => queueMicrotask(() => between.abort(reason)))
      return problemResponse(429, "rate_limited", { retry_after_seconds: 60 })
    })
    await expect(waiting.client.usage({}, { signal: between.signal })).rejects.toBe(reason)
    expect(waiting.requests.length).toBe(1)
  })

  it("ends a call whose key function or custom fetch ignores the signal", async () => {
    const keyless = makeTestClient(() => envelopeResponse(), { key: neverResolve })
    expect(await failureOf(keyless.client.usage({}, { timeout_ms: 5_000 }))).toMatchObject({ _tag: "DeadlineExceeded" })
    const unresponsive = makeTestClient(neverResolve, { fetch: neverResolve })
    expect(await failureOf(unresponsive.client.usage({}, { timeout_ms: 5_000 }))).toMatchObject({
      _tag: "DeadlineExceeded"
    })
    const controller = new AbortController()
    const reason = new Error("enough")
    const stream = unresponsive.client.agent.stream({ message: "why?" }, { signal: controller.signal }).next()
    controller.abort(reason)
    await expect(stream).rejects.toBe(reason)
  })
})

describe("an error", () => {
  it("has the tag of its code and the fields of its problem, for every code", async () => {
    const samples = sampleProblems("request-1", ({ key }) => key)
    for (const sample of samples) {
      const { client } = makeTestClient(() => jsonResponse(sample, sample.status))
      const failure = await failureOf(client.tools.get_price({ coin: "BTC" }, { timeout_ms: 1 }))
      const { detail, title: _, type: _type, ...fields } = sample
      expect(failure).toMatchObject(fields)
      expect(failure.message.replace(" (POST /v1/tools/get_price)", "")).toBe(detail)
      expect(failure._tag.toLowerCase()).toBe(sample.code.replaceAll("_", ""))
      expect(failure).toBeInstanceOf(Error)
    }
    expect(new Set(samples.map(({ code }) => code)).size).toBeGreaterThan(15)
  })

  it("keeps an unknown code and its fields, which cannot override fields of Error", async () => {
    const { client } = makeTestClient(() =>
      problemResponse(418, "market_on_fire", { stack: "no", _tag: "no", message: "no", toString: "no", flames: 3 })
    )
    const failure = await failureOf(client.usage())
    expect(failure).toMatchObject({ _tag: "MarketOnFire", flames: 3, message: "refused: market_on_fire" })
    expect(failure.stack).toContain("MarketOnFire")
    expect(String(failure)).toBe("MarketOnFire: refused: market_on_fire")
  })

  it("contains every field of a failed call", async () => {
    const candidates = [{ symbol: "005930.KS", name: "Samsung", exchange: "KRX" }]
    const error = { code: "unknown_symbol", message: "Which one?", retryable: false, candidates }
    const { client } = makeTestClient(() => envelopeResponse({ error }))
    const failure = await failureOf(client.tools.get_price({ coin: "BTC" }))
    expect(failure).toMatchObject({ _tag: "CallFailed", ...error, tool: "get_price", credits_left: 99 })
  })

  it("contains the failed source and the kind of failure if the service reports them", async () => {
    const older = { code: "source_unavailable", message: "Away.", retryable: true }
    for (const error of [older, { ...older, source: "binance", failure: "unreachable" }]) {
      const { client } = makeTestClient(() => envelopeResponse({ error }))
      const failed = await failureOf(client.tools.get_price({ coin: "BTC" }))
      expect(failed).toMatchObject({ _tag: "CallFailed", source: undefined, failure: undefined, ...error })
    }
  })

  it("is UnexpectedAnswer for a page, a redirect or unrelated JSON", async () => {
    const page = makeTestClient(() =>
      new Response("<html>Log in to the hotel</html>", { headers: { "content-type": "text/html" } })
    )
    expect(await failureOf(page.client.usage())).toMatchObject({
      _tag: "UnexpectedAnswer",
      body: "<html>Log in to the hotel</html>"
    })
    const moved = makeTestClient(() =>
      new Response(null, { status: 308, headers: { location: "https://other.example/" } })
    )
    expect((await failureOf(moved.client.usage())).message).toContain("redirects to https://other.example/")
    const other = makeTestClient(() => jsonResponse({ ok: true }))
    expect(await failureOf(other.client.tools.get_price({ coin: "BTC" }))).toMatchObject({ _tag: "UnexpectedAnswer" })
    const html = makeTestClient(() => new Response("<h1>Forbidden</h1>", { status: 403 }))
    expect(await failureOf(html.client.usage())).toMatchObject({ _tag: "UnexpectedAnswer", status: 403 })
  })

  it("never contains the key", async () => {
    const invalidKey = `${key}\nx`
    expect(() => createClient({ url: "https://a.example", key: invalidKey })).toThrow(/key must be/)
    const invalidKeyClient = makeTestClient(() => envelopeResponse(), { key: () => invalidKey })
    const failures = [
      await invalidKeyClient.client.usage().catch((error: unknown) => error),
      await failureOf(makeTestClient(() => failFetch()).client.usage()),
      await failureOf(makeTestClient(() => problemResponse(401, "invalid_key")).client.usage())
    ]
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(Error)
      expect(JSON.stringify(failure) + inspect(failure, { depth: 9 })).not.toContain(key)
    }
  })
})

it.each([
  [{ url: "tapeline.example" }, /url must be an address such as/],
  [{ url: "ftp://tapeline.example" }, /url must be/],
  [{ url: "https://me:secret@tapeline.example" }, /without a user and a password/],
  [{ url: "https://tapeline.example/?x=1" }, /without a query/],
  [{ key: " tl_live_x" }, /key must be/],
  [{ key: "" }, /key must be/],
  [{ timeout_ms: 0 }, /timeout_ms must be/],
  [{ silence_ms: Number.NaN }, /silence_ms must be/],
  [{ reconnect_ms: 1e12 }, /reconnect_ms must be/]
])("rejects invalid settings with a message that says what to change: %o", (invalidSettings, message) => {
  const settings = { url: "https://tapeline.example", key, ...invalidSettings }
  expect(() => createClient(settings)).toThrow(message)
  expect(() => createClient(settings)).not.toThrow("secret")
})

it("rejects an unknown option before any request, and names the known ones", async () => {
  const { requests, client } = makeTestClient(() => envelopeResponse())
  // TypeScript reports unknown options only in an object literal that is passed directly.
  const old = { timeout_ms: 60_000, longest_wait_ms: 5_000 }
  const message = "Tapeline client: there is no option longest_wait_ms (renamed to max_wait_ms); use signal, " +
    "timeout_ms, max_wait_ms, lang, request_id, idempotency_key, after, format"
  expect(() => client.usage({}, old)).toThrow(new TypeError(message))
  expect(() => client.agent.stream({ message: "why?" }, old)).toThrow(message)
  expect(() => client.agent.resume(7, old)).toThrow(message)
  expect(() => client.notifications(old)).toThrow(message)
  await expect(client.tools.get_price({ coin: "BTC" }, old)).rejects.toThrow(message)
  await expect(client.chart("c", old)).rejects.toThrow(message)
  expect(requests).toEqual([])
})

describe("the catalogue", () => {
  it("is revalidated by ETag, separately for each query", async () => {
    let version = 1
    const { requests, client } = makeTestClient(({ headers, path }) => {
      const etag = `W/"${version}${path}"`
      return headers.get("if-none-match") === etag
        ? new Response(null, { status: 304 })
        : jsonResponse({ tools: [], operations: [], version }, 200, { etag })
    })
    const [first, second] = [await client.catalogue(), await client.catalogue()]
    expect(second).toBe(first)
    await client.catalogue({ area: "crypto" })
    version = 2
    expect(await client.catalogue()).toMatchObject({ version: 2 })
    expect(requests.map(({ headers, path }) => [path, headers.get("if-none-match")])).toEqual([
      ["/v1/tools", null],
      ["/v1/tools", `W/"1/v1/tools"`],
      ["/v1/tools?area=crypto", null],
      ["/v1/tools", `W/"1/v1/tools"`]
    ])
  })
})

it("returns a chart as bytes, always from the service's own address", async () => {
  const { requests, client } = makeTestClient(({ headers }) =>
    new Response(new Uint8Array([1, 2, 3]), { headers: { "content-type": headers.get("accept") ?? "" } })
  )
  expect(await client.chart("https://elsewhere.example/v1/charts/abc-1?x=1")).toEqual({
    bytes: new Uint8Array([1, 2, 3]),
    content_type: "image/png"
  })
  expect((await client.chart("abc-2", { format: "svg" })).content_type).toBe("image/svg+xml")
  expect(requests.map(({ path }) => path)).toEqual(["/v1/charts/abc-1", "/v1/charts/abc-2"])
})
