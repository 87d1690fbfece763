import { assert, describe, it } from "@effect/vitest"
import { LanguageModel } from "@tapeline/core/agent"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { makeSocket, makeSource, SourceHealth } from "@tapeline/market-live/source"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerLanguageModel, readSettings } from "@tapeline/server"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { skipWithoutOpenssl } from "@tapeline/testing/programs"
import { makeFakeServer } from "@tapeline/wire"
import { Effect, Layer, Result, Schema, Stream } from "effect"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { layerSocketConnections } from "../src/market/layerLive.ts"
import { layerProxies } from "../src/proxy/layerProxies.ts"
import { makeProxyDispatcher } from "../src/proxy/proxyConnections.ts"
import { proxyFor } from "../src/proxy/proxySettings.ts"
import { startServer } from "./support/process.ts"
import { startProxy, startTls } from "./support/proxyServer.ts"
import { pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

// The test process itself sends the requests to the fake sources, proxies and models.
ignorePaths(
  "/price",
  "http://plain.tapeline.test/price",
  "api.tapeline.test:443",
  "stream.tapeline.test:443",
  "192.0.2.7:443",
  "192.0.2.8:443",
  "/v1/chat/completions",
  "http://model.tapeline.test/v1/chat/completions"
)

const secret = "p@ss word"
const credentials = `reader:${encodeURIComponent(secret)}`
const authorization = `Basic ${Buffer.from(`reader:${secret}`).toString("base64")}`

describe("Proxy settings", () => {
  const originFor = (environment: Readonly<Record<string, string>>, url: string) =>
    Effect.map(
      readSettings(environment),
      ({ outgoingProxies }) =>
        outgoingProxies === undefined ? undefined : proxyFor(outgoingProxies, new URL(url))?.origin
    )

  it.effect("reads both cases of each name, the lower case first, and ignores an empty variable", () =>
    Effect.gen(function*() {
      const url = "https://api.tapeline.test/x"
      assert.isUndefined(yield* originFor({}, url))
      assert.strictEqual(yield* originFor({ HTTPS_PROXY: "http://a:1" }, url), "http://a:1")
      assert.strictEqual(yield* originFor({ https_proxy: "b:2", HTTPS_PROXY: "http://a:1" }, url), "http://b:2")
      assert.strictEqual(yield* originFor({ https_proxy: "", HTTPS_PROXY: "http://a:1" }, url), "http://a:1")
      assert.strictEqual(yield* originFor({ HTTPS_PROXY: "http://a:1" }, "wss://s.tapeline.test"), "http://a:1")
      // As in curl, HTTP_PROXY applies only to http URLs, and HTTPS_PROXY only to https URLs.
      assert.isUndefined(yield* originFor({ HTTP_PROXY: "http://a:1" }, url))
      assert.isUndefined(yield* originFor({ HTTPS_PROXY: "http://a:1" }, "http://api.tapeline.test"))
      assert.strictEqual(yield* originFor({ http_proxy: "https://c" }, "ws://api.tapeline.test"), "https://c")
    }))

  it.effect.each(
    [
      ["*", "https://api.tapeline.test", false],
      ["tapeline.test", "https://api.tapeline.test", false],
      ["tapeline.test", "https://tapeline.test", false],
      ["tapeline.test", "https://nottapeline.test", true],
      [".tapeline.test", "https://api.tapeline.test", false],
      ["*.Tapeline.test", "https://API.tapeline.test.", false],
      ["other.test, api.tapeline.test:8443", "https://api.tapeline.test:8443", false],
      ["api.tapeline.test:8443", "https://api.tapeline.test", true],
      ["api.tapeline.test:443", "wss://api.tapeline.test", false],
      ["10.0.0.0/8 192.168.1.7", "https://10.20.30.40", false],
      ["10.0.0.0/8 192.168.1.7", "https://192.168.1.7:9", false],
      ["10.0.0.0/8", "https://11.0.0.1", true],
      ["a.test, b.test api.tapeline.test", "https://api.tapeline.test", false],
      ["other.test,,\tapi.tapeline.test,", "https://api.tapeline.test", false],
      [",other.test", "https://api.tapeline.test", true],
      [" ", "https://api.tapeline.test", true],
      [" , ", "https://api.tapeline.test", true],
      ["[fd00::]/8", "https://[fd12::1]", false],
      ["10.0.0.1:443", "https://10.0.0.1", false],
      ["10.0.0.1:443", "https://10.0.0.1:444", true],
      ["fd00::/8", "https://[fd12::1]", false],
      ["[fd12::1]:443", "https://[fd12::1]", false],
      ["fd12::1", "https://[fd12::1]", false],
      ["fd12:0:0:0:0:0:0:1", "https://[fd12::1]", false],
      ["", "https://localhost:11434", false],
      ["", "https://model.localhost", false],
      ["", "https://127.8.9.10", false],
      ["", "https://[::1]:8000", false],
      ["", "https://128.0.0.1", true]
    ] as const
  )("NO_PROXY=%s: %s uses the proxy: %s", ([noProxy, url, isProxied]) =>
    Effect.gen(function*() {
      const origin = yield* originFor({ HTTPS_PROXY: "http://a:1", NO_PROXY: noProxy }, url)
      assert.strictEqual(origin, isProxied ? "http://a:1" : undefined)
    }))

  it.effect.each(
    [
      ["https://example.test", 1, "is a URL"],
      ["a.test,https://reader:hunter2@b.test:8443/x", 2, "is a URL"],
      ["b.test/path", 1, "has a path"],
      ["10.0.0.0/33", 1, "from 0 to 32"],
      ["10.0.0.0/255.0.0.0", 1, "from 0 to 32"],
      ["fd00::/129", 1, "from 0 to 128"],
      ["fe80::%eth0/10", 1, "without a zone"],
      ["fe80::1%eth0", 1, "without a zone"],
      ["[fe80::1%25eth0]:443", 1, "without a zone"],
      [",a.test, b.test <local>", 3, "is not a host"],
      ["10.0.0.300", 1, "is not an IP address"],
      ["192.168.", 1, "is not an IP address"],
      ["192.168.*", 1, "is not a host"],
      ["*:8443", 1, "is not a host"],
      ["<local>", 1, "is not a host"],
      ["пример.рф", 1, "is not a host"],
      ["user@b.test", 1, "is not a host"],
      ["b.test:http", 1, "a port that is not a number"],
      ["b.test:65536", 1, "a port that is not a number"],
      ["[fd12::1", 1, "has a misplaced bracket"],
      ["fd12::1]:443", 1, "has a misplaced bracket"],
      ["[fd12::1]443", 1, "has a misplaced bracket"],
      ["[fd00::/8]", 1, "has a misplaced bracket"],
      ["fd12::g", 1, "is not an IPv6 address"],
      ["[b.test]", 1, "is not a host"]
    ] as const
  )("NO_PROXY=%s: the start fails, entry %i %s", ([noProxy, position, reason]) =>
    Effect.gen(function*() {
      for (const variable of ["NO_PROXY", "no_proxy"]) {
        const { message } = yield* Effect.flip(readSettings({ HTTPS_PROXY: "http://a:1", [variable]: noProxy }))
        assert.include(message, `${variable}: entry ${position} of `)
        assert.include(message, reason)
        assert.include(message, "write a domain (example.com)")
        assert.notInclude(message, "hunter2")
      }
    }))

  it.effect.each(
    [
      ["socks5://proxy.test:1080", "the scheme is not http or https"],
      ["ftp://proxy.test", "the scheme is not http or https"],
      ["http://proxy.test:3128/path", "a path, a query or a fragment"],
      ["proxy.test/path", "a path, a query or a fragment"],
      ["http://proxy.test:3128?key=value", "a path, a query or a fragment"],
      ["http://proxy.test:3128/#part", "a path, a query or a fragment"],
      [`http://reader:${secret}%@proxy.test`, "not percent-encoded"],
      ["http://a b", "this is not an address"]
    ] as const
  )(
    "HTTPS_PROXY=%s: the start fails, %s, and the message never contains the value",
    ([address, reason]) =>
      Effect.gen(function*() {
        const { message } = yield* Effect.flip(readSettings({ HTTPS_PROXY: address }))
        assert.match(message, /HTTPS_PROXY: .*http:\/\/proxy\.example:3128/u)
        assert.include(message, reason)
        assert.notInclude(message, secret)
        assert.notInclude(message, address)
      })
  )

  const unused: ReadonlyArray<Readonly<Record<string, string>>> = [
    { NO_PROXY: "https://example.test" },
    { no_proxy: "<local>", HTTPS_PROXY: "" },
    { HTTPS_PROXY: "http://a:1", NO_PROXY: "https://example.test", no_proxy: "a.test" },
    { HTTPS_PROXY: "http://a:1/path", https_proxy: "http://a:1" },
    { HTTP_PROXY: "http://a:1/path", http_proxy: "http://a:1" }
  ]
  it.effect.each(unused)("ignores variables that are not used: %j", (environment) => readSettings(environment))

  it.effect("checks the lower-case name if it wins", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(readSettings({
        HTTP_PROXY: "http://a:1",
        http_proxy: "http://a:1/path",
        NO_PROXY: "a.test",
        no_proxy: "<local>"
      }))
      assert.include(message, "http_proxy: the address has a path")
      assert.include(message, "no_proxy: entry 1 of 1")
    }))

  it.effect("accepts a slash at the end of HTTPS_PROXY", () =>
    Effect.gen(function*() {
      const origin = yield* originFor({ HTTPS_PROXY: "http://proxy.test:3128/" }, "https://a.test")
      assert.strictEqual(origin, "http://proxy.test:3128")
    }))
})

const trusted = (certificate: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, certificate])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

/**
 * A source that is reachable as `*.tapeline.test` only through a proxy, and the layers of a server that uses the proxy.
 */
const behindProxy = Effect.fnUntraced(function*(noProxy = "") {
  const source = yield* makeFakeServer(
    () => Effect.succeed({ body: { price: 7 } }),
    () => ({ send }) => Effect.andThen(Effect.sync(() => send("7")), Effect.never)
  )
  const port = Number(new URL(source.url).port)
  const tls = yield* startTls(port)
  yield* trusted(tls.certificate)
  const proxy = yield* startProxy({ tunnels: tls.port, requests: port })
  const address = `http://${credentials}@${proxy.host}`
  const { outgoingProxies } = yield* readSettings({ HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: noProxy })
  const layer = Layer.mergeAll(
    layerProxies(outgoingProxies),
    layerSocketConnections(outgoingProxies),
    SourceHealth.layer
  )
  return { source, proxy, layer, outgoingProxies }
})

const priceAt = (baseUrl: string) =>
  Effect.gen(function*() {
    const retryPolicy = { maxTries: 1 }
    const source = yield* makeSource({ name: "mill", baseUrl, limits: [], retryPolicy })
    const schema = Schema.Struct({ price: Schema.Number })
    return (yield* source.json({ label: "a price", path: "/price", schema })).value.price
  }).pipe(Effect.scoped)

const socketAt = (url: string) =>
  makeSocket({ name: "mill", part: "trades", url, read: (text) => Result.succeed([Number(text)]) })

describe("Requests through a proxy", skipWithoutOpenssl(), () => {
  it.live("sends https by CONNECT and http by its absolute address, with the proxy's credentials", () =>
    Effect.gen(function*() {
      const { layer, proxy, source } = yield* behindProxy()
      const prices = Effect.all([
        priceAt("https://api.tapeline.test"),
        priceAt("http://plain.tapeline.test"),
        priceAt(source.url)
      ])
      assert.deepStrictEqual(yield* Effect.provide(prices, layer), [7, 7, 7])
      assert.deepStrictEqual(proxy.requests, [
        { line: "CONNECT api.tapeline.test:443", authorization },
        { line: "GET http://plain.tapeline.test/price", authorization }
      ])
      // The proxy removes its own credentials, so the source never receives them.
      assert.isTrue(source.requests.every(({ headers }) => headers["proxy-authorization"] === undefined))
    }))

  it.live("opens WebSockets by CONNECT, and those of NO_PROXY directly", () =>
    Effect.gen(function*() {
      const { layer, proxy } = yield* behindProxy("direct.tapeline.test")
      const states = Effect.gen(function*() {
        const proxiedSocket = yield* socketAt("wss://stream.tapeline.test/ws")
        const events = yield* Effect.repeat(proxiedSocket.take, {
          until: (events) => events.some(({ _tag }) => _tag === "heard")
        })
        yield* socketAt("wss://direct.tapeline.test")
        const { states } = yield* SourceHealth
        const fault = Effect.map(states, (all) => all[1]?.lastFault ?? null)
        return { events, fault: yield* Effect.repeat(fault, { until: (one) => one !== null }) }
      })
      const { events, fault } = yield* Effect.provide(Effect.scoped(states), layer)
      assert.deepInclude(events.find(({ _tag }) => _tag === "heard"), { value: 7 })
      assert.match(fault?.reason ?? "", /ENOTFOUND|EAI_AGAIN/u)
      assert.deepStrictEqual(proxy.requests, [{ line: "CONNECT stream.tapeline.test:443", authorization }])
    }))

  it.live("checks the certificate of a WebSocket's IP address through a proxy", () =>
    Effect.gen(function*() {
      const { layer, proxy } = yield* behindProxy()
      const states = Effect.gen(function*() {
        const named = yield* socketAt("wss://192.0.2.7/ws")
        const events = yield* Effect.repeat(named.take, {
          until: (events) => events.some(({ _tag }) => _tag === "heard")
        })
        yield* socketAt("wss://192.0.2.8/ws")
        const { states } = yield* SourceHealth
        const fault = Effect.map(states, (all) => all[1]?.lastFault ?? null)
        return { events, fault: yield* Effect.repeat(fault, { until: (one) => one !== null }) }
      })
      const { events, fault } = yield* Effect.provide(Effect.scoped(states), layer)
      assert.deepInclude(events.find(({ _tag }) => _tag === "heard"), { value: 7 })
      assert.match(fault?.reason ?? "", /ERR_TLS_CERT_ALTNAME_INVALID/u)
      const tunnels = new Set(proxy.requests.map(({ line }) => line))
      assert.deepStrictEqual([...tunnels], ["CONNECT 192.0.2.7:443", "CONNECT 192.0.2.8:443"])
    }))

  it.live("reports a proxy that rejects requests or does not listen, without its credentials", () =>
    Effect.gen(function*() {
      const { layer, proxy } = yield* behindProxy()
      proxy.rejectWith(407)
      const reasonOf = (url: string) => Effect.map(Effect.flip(priceAt(url)), ({ reason }) => reason)
      const reasons = Effect.gen(function*() {
        yield* socketAt("wss://stream.tapeline.test")
        const { states } = yield* SourceHealth
        const fault = Effect.map(states, ([one]) => one?.lastFault ?? null)
        return [
          yield* reasonOf("https://api.tapeline.test"),
          yield* reasonOf("http://plain.tapeline.test"),
          (yield* Effect.repeat(fault, { until: (one) => one !== null }))?.reason
        ]
      })
      const proxyFailure = "the connection failed (PROXY_STATUS_407)"
      assert.deepStrictEqual(yield* Effect.provide(Effect.scoped(reasons), layer), [
        proxyFailure,
        proxyFailure,
        proxyFailure
      ])
      const address = `http://${credentials}@127.0.0.1:9`
      const { outgoingProxies } = yield* readSettings({ HTTPS_PROXY: address, HTTP_PROXY: address })
      const layerWithoutProxy = Layer.merge(layerProxies(outgoingProxies), SourceHealth.layer)
      for (const url of ["https://api.tapeline.test", "http://plain.tapeline.test"]) {
        const failed = yield* Effect.provide(Effect.flip(priceAt(url)), layerWithoutProxy)
        assert.strictEqual(failed.reason, "the connection failed (PROXY_ECONNREFUSED)")
        assert.notInclude(JSON.stringify(failed), secret)
      }
    }))

  it.live("sends requests to a model provider through the proxy, and to a local model directly", () =>
    Effect.gen(function*() {
      const model = yield* Effect.acquireRelease(
        Effect.promise(() => startFakeModel({ script: [{ acts: [{ text: "A" }] }, { acts: [{ text: "A" }] }] })),
        ({ close }) => Effect.promise(close)
      )
      const proxy = yield* startProxy({ tunnels: 9, requests: Number(new URL(model.baseUrl).port) })
      for (const baseUrl of ["http://model.tapeline.test/v1", model.baseUrl]) {
        const settings = yield* readSettings({
          HTTP_PROXY: `http://${credentials}@${proxy.host}`,
          OPENAI_BASE_URL: baseUrl,
          OPENAI_MODEL: "a-model"
        })
        const parts = yield* Effect.flatMap(
          LanguageModel,
          ({ stream }) => Stream.runCollect(stream(makeModelRequest()))
        ).pipe(
          Effect.provide(layerLanguageModel(settings, OfflineAnalyst))
        )
        assert.deepInclude(parts, { _tag: "Text", text: "A" })
      }
      assert.deepStrictEqual(proxy.requests, [
        { line: "POST http://model.tapeline.test/v1/chat/completions", authorization }
      ])
    }))
})

it.live("keeps the timeouts of a dispatcher for plain http through a proxy", () =>
  Effect.gen(function*() {
    const silent = yield* makeFakeServer(() => Effect.never)
    const proxy = yield* startProxy({ tunnels: 9, requests: Number(new URL(silent.url).port) })
    const { outgoingProxies } = yield* readSettings({ HTTP_PROXY: `http://${proxy.host}` })
    const dispatcher = yield* Effect.acquireRelease(
      Effect.sync(() => makeProxyDispatcher(outgoingProxies!)({ headersTimeout: 20 })),
      (one) => Effect.promise(() => one.destroy())
    )
    const request = { origin: "http://plain.tapeline.test", path: "/price", method: "GET" } as const
    const error = yield* Effect.flip(Effect.tryPromise(() => dispatcher.request(request))).pipe(
      Effect.timeout("5 seconds")
    )
    assert.propertyVal(error.cause, "code", "UND_ERR_HEADERS_TIMEOUT")
    assert.lengthOf(proxy.requests, 1)
  }).pipe(Effect.scoped))

it.live.runIf(isFullRun)(
  "a server whose proxy rejects every tunnel is ready, names the cause, and logs no credentials",
  () =>
    Effect.gen(function*() {
      const proxy = yield* startProxy({ tunnels: 9, requests: 9 })
      proxy.rejectWith(403)
      const server = yield* startServer({
        ...testSettings,
        ...(yield* makePglite()).environment,
        TAPELINE_MARKET: "live",
        TAPELINE_COINS: "BTC",
        TAPELINE_OKX_REGION: "eea",
        TAPELINE_LOG_LEVEL: "Debug",
        https_proxy: `http://${credentials}@${proxy.host}`
      })
      const expectedHosts = [
        "fapi.binance.com:443",
        "jetstream2.us-east.bsky.network:443",
        "www.deribit.com:443",
        "eea.okx.com:443"
      ]
      yield* pollUntil(
        "tunnels",
        Effect.sync(() => proxy.requests.map(({ line }) => line)),
        (lines) => expectedHosts.every((host) => lines.includes(`CONNECT ${host}`))
      )
      const { body, status, text } = yield* pollUntil(
        "an unreachable network",
        sendRequest(server, "GET", "/readyz"),
        ({ body }) => body.market.network === "unreachable"
      )
      assert.strictEqual(status, 200)
      const futures = body.market.sources.find(({ source }: { source: string }) => source === "binance/futures")
      assert.deepInclude(futures, { failure: "unreachable", reason: "the connection failed (PROXY_STATUS_403)" })
      assert.include(server.stderr(), `addresses through http://${proxy.host}`)
      const encoded = authorization.split(" ")[1] ?? ""
      for (const credential of [secret, encodeURIComponent(secret), encoded]) {
        assert.notInclude(server.stderr() + server.stdout() + text, credential)
      }
    })
)
