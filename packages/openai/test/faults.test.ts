import { assert, describe, it } from "@effect/vitest"
import { LanguageModel, type ModelError } from "@tapeline/core/agent"
import { layerOpenAiModel, type OpenAiModelOptions } from "@tapeline/openai"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import type { FakeReply, FakeResponseStep } from "@tapeline/testing/fakeModel"
import { Deferred, Effect, Fiber, Metric, Option, Redacted, References, Stream, Tracer } from "effect"
import { once } from "node:events"
import { createServer as createHttpServer } from "node:http"
import { createServer, type Server } from "node:net"
import {
  collectParts,
  key,
  layerModelAt,
  makeFakeModel,
  makeReplyingModel,
  readFailureAt,
  summarizeParts
} from "./support/fakeModel.ts"

const error = (fields: object | string) => ({ error: fields })

const after = (reply: FakeReply, options: Partial<OpenAiModelOptions> = {}): Effect.Effect<ModelError> =>
  Effect.scoped(Effect.flatMap(makeFakeModel([reply]), (server) => readFailureAt(server, options)))

const status = (status: number, body: unknown = "", headers: Readonly<Record<string, string>> = {}) =>
  after({ status, body, headers })

const tag = (failure: ModelError) => failure._tag

/** Returns the host and port of a server on the loopback interface that runs until the scope ends. */
const listening = (server: Server) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<{ destroy: () => unknown }>()
        server.on("connection", (socket) => void sockets.add(socket)).listen(0, "127.0.0.1")
        await once(server, "listening")
        const address = server.address()
        return { sockets, port: typeof address === "object" && address !== null ? address.port : 0 }
      }),
      ({ sockets }) =>
        Effect.sync(() => {
          sockets.forEach((socket) => socket.destroy())
          server.close()
        })
    ),
    ({ port }) => `127.0.0.1:${port}`
  )

describe("a provider's response", () => {
  it.effect.each(
    [
      [{ "retry-after": "7" }, "", 7_000],
      [{ "retry-after": "0.5" }, "", 500],
      [{ "retry-after-ms": "1500", "retry-after": "9" }, "", 1_500],
      [{ "retry-after": "Thu, 01 Jan 1970 00:00:05 GMT" }, "", 5_000],
      [{ "x-ratelimit-reset-requests": "1m2.5s", "x-ratelimit-reset-tokens": "120ms" }, "", 62_500],
      [
        {
          "x-ratelimit-reset-requests": "1h",
          "x-ratelimit-remaining-requests": "9",
          "x-ratelimit-reset-tokens": "6m0s",
          "x-ratelimit-remaining-tokens": "0"
        },
        "",
        360_000
      ],
      [{ "retry-after": "99999999" }, "", 86_400_000],
      [{ "retry-after": "soon" }, "", null],
      [{ "retry-after": "-5" }, "", null],
      [{}, "Rate limit reached. Please try again in 1.2s.", 1_200],
      [{}, "Please retry in 34.5s.", 34_500],
      [{}, "slow down", null]
    ] as const
  )("429 with %j, %j is retryable after %j ms", ([headers, message, retryAfterMs]) =>
    Effect.gen(function*() {
      const failure = yield* status(429, error({ message, code: "rate_limit_exceeded" }), { ...headers })
      assert.deepInclude(failure, { _tag: "ModelRateLimited", retryAfterMs, retryable: true })
    }))

  it.effect.each(
    [
      [400, { code: "context_length_exceeded", message: "x" }],
      [400, { message: "This model's maximum context length is 4096 tokens. However, you requested 5000" }],
      [400, {
        type: "exceed_context_size_error",
        code: 400,
        message: "the request exceeds the available context size"
      }],
      [400, { message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." }],
      [400, { message: "prompt is too long: 213462 tokens > 200000 maximum" }],
      [413, { message: "Request too large for model `x` on tokens per minute" }],
      [429, { code: "rate_limit_exceeded", message: "Request too large for gpt-x: Limit 10000, Requested 12000." }],
      [400, { message: "Please reduce the length of the messages or completion." }],
      [422, { message: "prompt contains 70000 tokens, too large for model with 32768 maximum context length" }]
    ] as const
  )("%s %j means that the context is exceeded", ([number, fields]) =>
    Effect.gen(function*() {
      assert.strictEqual(tag(yield* status(number, error(fields))), "ContextExceeded")
      // Some providers send the fields of the error at the top level of the body, or send a list with the error.
      assert.strictEqual(tag(yield* status(number, fields)), "ContextExceeded")
      assert.strictEqual(tag(yield* status(number, [error(fields)])), "ContextExceeded")
    }))

  it.effect.each(
    [
      [401, error({ message: `Incorrect API key provided: ${key}` }), "OPENAI_API_KEY"],
      [403, error("forbidden"), "OPENAI_API_KEY"],
      [404, error({ message: "The model `a-model` does not exist", code: "model_not_found" }), "OPENAI_MODEL"],
      [404, "<html>nginx</html>", "usually ends in /v1"],
      [405, "", "OPENAI_BASE_URL"],
      [400, error({ message: "Unsupported parameter: 'max_tokens'" }), "Unsupported parameter"],
      [422, { detail: "x" }, "422"],
      [402, error({ message: "Insufficient Balance" }), "no credit"],
      [429, error({ code: "insufficient_quota", message: "You exceeded your current quota" }), "no credit"],
      [307, "", "redirects"]
    ] as const
  )("%s %j is rejected with a hint", ([number, body, expectedMessage]) =>
    Effect.gen(function*() {
      const failure = yield* status(number, body, number === 307 ? { location: "http://127.0.0.1:1/" } : {})
      assert.deepInclude(failure, { _tag: "ModelRefused", retryable: false })
      assert.include(JSON.stringify(failure), expectedMessage)
    }))

  it.effect.each([500, 502, 503, 504, 529, 408] as const)(
    "%s means unavailable and retryable",
    (number) =>
      Effect.gen(function*() {
        for (const body of ["<html>bad gateway</html>", error({ message: "overloaded" }), ""]) {
          assert.deepInclude(yield* status(number, body), { _tag: "ModelUnavailable", retryable: true })
        }
      })
  )

  it.effect("is rejected with a hint if it is a page instead of a stream", () =>
    Effect.gen(function*() {
      const failure = yield* after({ status: 200, body: "<html>", headers: { "content-type": "text/html; charset=x" } })
      assert.strictEqual(tag(failure), "ModelRefused")
      assert.include(JSON.stringify(failure), "text/html")
    }))

  it.effect("maps a JSON error with status 200 to its error", () =>
    Effect.gen(function*() {
      const busy = { status: 200, body: error({ code: 429, message: "try again in 2s" }) }
      assert.deepInclude(yield* after(busy), { _tag: "ModelRateLimited", retryAfterMs: 2_000 })
      const fullResponse = yield* after({ status: 200, body: { choices: [] } })
      assert.strictEqual(tag(fullResponse), "ModelRefused")
      assert.include(JSON.stringify(fullResponse), "application/json")
    }))

  const brokenResponses: ReadonlyArray<
    readonly [what: string, acts: ReadonlyArray<FakeResponseStep>, tag: ModelError["_tag"]]
  > = [
    ["a cut stream", [{ text: "A" }, "cut"], "ModelUnavailable"],
    ["a stream that ends before the model is done", [{ text: "A" }, "end"], "ModelUnavailable"],
    ["nothing", ["end"], "ModelUnavailable"],
    ["[DONE] before the model is done", [{ text: "A" }, { data: "[DONE]" }, "end"], "ModelUnavailable"],
    ["invalid JSON", [{ data: "{\"choices\":[" }], "ModelUnavailable"],
    ["the finish reason error", [{ text: "A" }, { finish: "error" }], "ModelUnavailable"],
    ["an error in a chunk", [{ data: error({ message: "boom" }) }], "ModelUnavailable"],
    ["an error event", [{ event: "error", data: error({ message: "overloaded" }) }], "ModelUnavailable"],
    ["its own 429", [{ data: error({ code: 429, message: "slow down" }) }], "ModelRateLimited"],
    ["its own 400", [{ data: error({ code: 400, message: "bad tool" }) }], "ModelRefused"],
    ["no room", [{ data: error({ code: 400, message: "maximum context length is 8" }) }], "ContextExceeded"]
  ]
  it.effect.each(brokenResponses)(
    "a stream with %s fails after the text before it",
    ([, acts, expected]) =>
      Effect.gen(function*() {
        const server = yield* makeReplyingModel(...acts)
        assert.strictEqual(tag(yield* readFailureAt(server)), expected)
      })
  )

  it.effect("responses: fails for a failed response, an error event, and a missing end", () =>
    Effect.gen(function*() {
      const cases = [
        [{ type: "response.failed", response: { error: { code: "server_error", message: "x" } } }, "ModelUnavailable"],
        [{ type: "response.failed", response: { error: { code: "rate_limit_exceeded" } } }, "ModelRateLimited"],
        [{ type: "error", code: "context_length_exceeded", message: "x" }, "ContextExceeded"],
        [{ type: "response.output_text.delta", delta: "A" }, "ModelUnavailable"]
      ] as const
      for (const [data, expected] of cases) {
        const server = yield* makeReplyingModel({ data, event: data.type }, "end")
        assert.strictEqual(tag(yield* readFailureAt(server, { api: "responses" })), expected)
      }
    }))

  it.effect("is not retried by the adapter after a failure", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([{ status: 503, headers: { "retry-after": "0", "x-should-retry": "true" } }])
      yield* readFailureAt(server)
      assert.strictEqual(server.log().length, 1)
    }))
})

describe("timeouts", () => {
  const timeouts = { connectMs: 5_000, firstByteMs: 150, idleMs: 100 }
  /** Timeouts for tests on a busy machine, where the server may need a long time for the first byte. */
  const idleTimeout = { ...timeouts, firstByteMs: 20_000 }
  it.live.each(
    [
      ["no answer at all", { silent: true }, timeouts, 150],
      ["an answer without a body", { acts: ["stall"] }, timeouts, undefined],
      ["a stall in the middle", { acts: [{ text: "A" }, "stall"] }, idleTimeout, 100]
    ] as const
  )("%s fails and closes the connection", ([, reply, timeouts, waitedMs]) =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([reply])
      const failure = yield* readFailureAt(server, { timeouts })
      assert.strictEqual(tag(failure), "ModelTimeout")
      if (waitedMs !== undefined) assert.deepInclude(failure, { waitedMs })
      yield* Effect.promise(() => server.waitFor(([request]) => request?.closedBy === "client" ? request : undefined))
    }))

  it.live("are shorter if the request allows less silence before an answer begins", () =>
    Effect.gen(function*() {
      const server = yield* makeFakeModel([{ silent: true }, { acts: [{ text: "A" }, "stall"] }])
      const request = { silenceMs: 800 }
      const timeouts = { ...idleTimeout, idleMs: 900 }
      const before = yield* Effect.flip(collectParts(server, request, { timeouts }))
      assert.deepInclude(before, { _tag: "ModelTimeout", waitedMs: 800 })
      const within = yield* Effect.flip(collectParts(server, request, { timeouts }))
      assert.deepInclude(within, { _tag: "ModelTimeout", waitedMs: 900 })
    }))

  it.live("apply to an error body that arrives a byte at a time and never ends", () =>
    Effect.gen(function*() {
      const slowServer = createHttpServer((_, response) => {
        response.writeHead(400)
        const timer = setInterval(() => response.write("x"), 20)
        response.on("close", () => clearInterval(timer))
      })
      const address = yield* listening(slowServer)
      const failure = yield* readFailureAt({ baseUrl: `http://${address}/v1` }, { timeouts })
      assert.deepInclude(failure, { _tag: "ModelTimeout", waitedMs: 150 })
    }))

  it.live("apply to a connection that is never completed", () =>
    Effect.gen(function*() {
      const address = yield* listening(createServer())
      const options = { timeouts: { connectMs: 120 } }
      const failure = yield* readFailureAt({ baseUrl: `https://${address}/v1` }, options)
      assert.deepInclude(failure, { _tag: "ModelTimeout", waitedMs: 120 })
    }))

  it.live("do not apply to a refused connection, which fails immediately", () =>
    Effect.gen(function*() {
      // When the scope of `listening` has closed, no server listens on the port.
      const address = yield* Effect.scoped(listening(createServer()))
      const failure = yield* readFailureAt({ baseUrl: `http://${address}/v1` })
      assert.deepInclude(failure, { _tag: "ModelUnavailable" })
      assert.include(JSON.stringify(failure), "ECONNREFUSED")
    }))

  it.live("do not fail an answer if the stream stalls after its finish reason", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" }, { finish: "stop" }, "stall")
      const { end, text } = summarizeParts(yield* collectParts(server, {}, { timeouts: idleTimeout }))
      assert.strictEqual(text, "A")
      assert.deepInclude(end, { reason: "Stop", usage: null })
    }))
})

describe("cancellation and limits", () => {
  const interrupted = Effect.fnUntraced(function*(reply: FakeReply, parts: number) {
    const server = yield* makeFakeModel([reply])
    const read = yield* Deferred.make<void>()
    let cutCount = 0
    if (parts === 0) yield* Deferred.succeed(read, undefined)
    const run = Effect.flatMap(
      LanguageModel,
      ({ stream }) =>
        Stream.runForEach(
          stream(makeModelRequest({ maxOutputTokens: 1e7 })),
          () => ++cutCount === parts ? Deferred.succeed(read, undefined) : Effect.void
        )
    ).pipe(
      Effect.provide(layerModelAt(server))
    )
    const fiber = yield* Effect.forkChild(run)
    yield* Deferred.await(read)
    const { writes } = yield* Effect.promise(() => server.waitFor(([request]) => request))
    yield* Fiber.interrupt(fiber)
    const request = yield* Effect.promise(() => server.waitFor(([one]) => one?.closedAt == null ? undefined : one))
    assert.strictEqual(request.closedBy, "client")
    return { before: writes, request }
  })

  it.live("close an interrupted request immediately: before headers, while silent, and while streaming", () =>
    Effect.gen(function*() {
      yield* interrupted({ silent: true }, 0)
      const { request, before } = yield* interrupted({ acts: [{ text: "A" }, { awaitCue: "never" }, { text: "B" }] }, 1)
      assert.strictEqual(request.writes, before)
      yield* interrupted({ acts: Array.from({ length: 400 }, () => ({ text: "word ".repeat(20_000) })) }, 3)
    }))

  it.live("truncate an answer that exceeds its limit", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel(...Array.from({ length: 20_000 }, () => ({ text: "word ".repeat(20) })))
      const { end, text } = summarizeParts(yield* collectParts(server, { maxOutputTokens: 10 }))
      assert.deepInclude(end, { reason: "Length" })
      assert.isAtMost(text.length, 10 * 32 + 4_096 + 100)
      const call = yield* makeReplyingModel({ call: "run", arguments: "x".repeat(1_000_000), pieces: 1_000 })
      const parts = summarizeParts(yield* collectParts(call, { maxOutputTokens: 10 }))
      assert.deepStrictEqual(parts.calls, [])
      assert.deepInclude(parts.end, { reason: "Length" })
    }))

  it.live("apply backpressure to the provider if the reader is slow", () =>
    Effect.gen(function*() {
      const text = "word ".repeat(20_000)
      const server = yield* makeReplyingModel(...Array.from({ length: 400 }, () => ({ text })))
      const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      let read = 0
      // The fake server waits after each piece until its socket is drained, so only buffers of the operating system
      // hold unread pieces.
      const parts = Stream.unwrap(
        Effect.map(LanguageModel, ({ stream }) => stream(makeModelRequest({ maxOutputTokens: 1e7 })))
      )
      yield* parts.pipe(
        Stream.take(50),
        Stream.runForEach(() =>
          Effect.map(Effect.repeat(turn, { times: 20 }), () => assert.isBelow(server.log()[0]!.writes - read++, 120))
        ),
        Effect.provide(layerModelAt(server))
      )
    }))
})

describe("errors and telemetry", () => {
  it.effect("contain no key, part of a key or address, whatever the provider repeats", () =>
    Effect.gen(function*() {
      const masked = `${key.slice(0, 8)}****${key.slice(-6)}`
      for (const keyText of [key, masked, `"${key}"`, `http://user:pass@host/${key}`, "sk-other-key-entirely"]) {
        for (const number of [400, 401, 404, 429, 500]) {
          const reply = error({ message: `Wrong key ${keyText}, see it`, code: `bad ${keyText}` })
          const failures = [yield* status(number, reply), yield* after({ acts: [{ data: reply }] })]
          for (const failure of failures) {
            const text = JSON.stringify(failure) + String(failure) + String(failure.stack)
            for (const secret of [key, key.slice(0, 8), key.slice(-6), "user:pass", "sk-other"]) {
              assert.notInclude(text, secret)
            }
          }
        }
      }
    }))

  it.effect("reject invalid options without printing their values", () =>
    Effect.gen(function*() {
      const invalidOptions: ReadonlyArray<Partial<OpenAiModelOptions>> = [
        { baseUrl: "nonsense" },
        { baseUrl: "ftp://host/v1" },
        { baseUrl: "http://me:hidden@host/v1" },
        { baseUrl: "http://host/v1?token=hidden" },
        { apiKey: Redacted.make("hidden key") },
        { apiKey: Redacted.make("") }
      ]
      for (const options of invalidOptions) {
        const layer = layerOpenAiModel({ model: "m", ...options })
        const failure = yield* Effect.flip(Effect.provide(LanguageModel, layer))
        assert.strictEqual(failure._tag, "InvalidOpenAiOptions")
        assert.notInclude(failure.message, "hidden")
      }
    }))

  it.effect("include a span and metrics with tokens, cost and the finish reason", () =>
    Effect.gen(function*() {
      const server = yield* makeReplyingModel({ text: "A" }, {
        usage: {
          prompt_tokens: 1_000,
          completion_tokens: 100,
          prompt_tokens_details: { cached_tokens: 400 },
          completion_tokens_details: { reasoning_tokens: 30 }
        }
      })
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const model = `a-model-with-prices-${server.baseUrl}`
      const prices = { inputUsd: 2, cachedInputUsd: 0.5, outputUsd: 10 }
      yield* collectParts(server, {}, { model, prices }).pipe(
        Effect.withTracer(tracer),
        Effect.provideService(References.TracerEnabled, true)
      )
      const span = spans.find(({ name }) => name === `chat ${model}`)
      assert.isDefined(span)
      const attributes = Object.fromEntries(span.attributes)
      assert.deepInclude(attributes, {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.usage.input_tokens": 1_000,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 400,
        "gen_ai.usage.reasoning.output_tokens": 30,
        "tapeline.cost_usd": (600 * 2 + 400 * 0.5 + 100 * 10) / 1e6
      })
      assert.notInclude(JSON.stringify(attributes), key)
      const snapshot = yield* Metric.snapshot
      const cost = snapshot.find(({ attributes, id }) =>
        id === "tapeline_model_cost_usd" && attributes?.["gen_ai.request.model"] === model
      )
      assert.deepInclude(cost?.state, { count: (600 * 2 + 400 * 0.5 + 100 * 10) / 1e6 })
      assert.isTrue(Option.isSome(Option.fromNullishOr(snapshot.find(({ id }) => id === "gen_ai.client.token.usage"))))
    }))
})
