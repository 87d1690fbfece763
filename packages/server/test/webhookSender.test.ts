import { assert, describe, it } from "@effect/vitest"
import { type SendResult, WebhookSender } from "@tapeline/core"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { skipWithoutOpenssl } from "@tapeline/testing/programs"
import { Effect, Fiber, Redacted, Result } from "effect"
import fc from "fast-check"
import { type HostPredicate, parseNoProxy } from "../src/proxy/noProxy.ts"
import { proxySettingsOf } from "../src/proxy/proxySettings.ts"
import { layerWebhookSender, type WebhookSenderOptions } from "../src/webhooks/layerWebhooks.ts"
import { isPublicAddress } from "../src/webhooks/publicAddress.ts"
import { makeResolveHost } from "../src/webhooks/receiver.ts"
import { startNameServer } from "./support/nameServer.ts"
import { startProxy, startTls } from "./support/proxyServer.ts"
import { startReceiver } from "./support/webhookReceiver.ts"

// The test process itself sends the requests to the receivers and proxies.
ignorePaths("/", "/a", "/hook", "1.2.3.4:443", "[2606:4700::1111]:8443")

const allow = (text: string): HostPredicate => Result.getOrThrow(parseNoProxy(text))

const message = { headers: { "webhook-id": "evt_1" }, body: "{\"text\":\"é\"}", timeoutMs: 10_000 }

const send = (url: string, options: Partial<WebhookSenderOptions> & { readonly timeoutMs?: number } = {}) => {
  const { timeoutMs = message.timeoutMs, ...rest } = options
  return Effect.flatMap(WebhookSender, (sender) => sender.send({ ...message, url, timeoutMs })).pipe(
    Effect.provide(layerWebhookSender({ isPrivateAllowed: () => false, proxies: undefined, ...rest }))
  )
}

const checkUrl = (url: string, allowed = "") =>
  Effect.flatMap(WebhookSender, (sender) => Effect.sync(() => sender.checkUrl(url))).pipe(
    Effect.provide(layerWebhookSender({ isPrivateAllowed: allow(allowed), proxies: undefined }))
  )

const noResponse = (error: string): SendResult => ({ _tag: "NoResponse", error })

describe("isPublicAddress", () => {
  it.effect.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fe80::1%lo",
    "2606:4700::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "localhost",
    "1.1.1",
    "8.8.8.8.8"
  ])("rejects %s", (address) => Effect.sync(() => assert.isFalse(isPublicAddress(address))))

  it.effect.each(["1.1.1.1", "8.8.8.8", "100.63.255.255", "172.32.0.1", "223.255.255.255", "2606:4700::1111"])(
    "accepts %s",
    (address) => Effect.sync(() => assert.isTrue(isPublicAddress(address)))
  )

  it("rejects every IPv6 form of every IPv4 address", () => {
    fc.assert(fc.property(fc.ipV4(), fc.constantFrom("::ffff:", "::", "64:ff9b::", "::ffff:0:"), (ipv4, prefix) => {
      assert.isFalse(isPublicAddress(prefix + ipv4))
    }))
  })
})

describe("the check of a webhook's URL", () => {
  it.effect.each(
    [
      ["https://example.com/hook?token=1", null],
      ["https://example.com:8443/", null],
      ["https://8.8.8.8/", null],
      ["https://[2606:4700::1111]/", null],
      ["http://example.com/", "not_https"],
      ["ftp://example.com/", "not_https"],
      ["javascript:alert(1)", "not_https"],
      ["example.com/hook", "invalid"],
      ["", "invalid"],
      ["https://example.com/#part", "invalid"],
      ["https://example.com/#", "invalid"],
      [" https://example.com/", "invalid"],
      ["https://exam\tple.com/", "invalid"],
      ["https://example.com/\u001b[2J", "invalid"],
      ["https://example.com\\hook", "invalid"],
      [`https://example.com/${"a".repeat(2_048)}`, "invalid"],
      ["https://user@example.com/", "credentials"],
      ["https://user:password@example.com/", "credentials"],
      ["https://127.0.0.1/", "private"],
      ["https://2130706433/", "private"],
      ["https://0x7f.1/", "private"],
      ["https://017700000001/", "private"],
      ["https://127.1/", "private"],
      ["https://127.0.0.1./", "private"],
      ["https://①②⑦.0.0.1/", "private"],
      ["https://[::1]/", "private"],
      ["https://[::ffff:127.0.0.1]/", "private"],
      ["https://[::ffff:8.8.8.8]/", "private"],
      ["https://[64:ff9b::a9fe:a9fe]/", "private"],
      ["https://169.254.169.254/latest", "private"]
    ] as const
  )("of %s returns %s", ([url, problem]) => Effect.map(checkUrl(url), (found) => assert.strictEqual(found, problem)))

  it.effect("permits private hosts and plain HTTP only for configured receivers", () =>
    Effect.gen(function*() {
      const allowed = "10.0.0.0/8, hooks.internal, [fd12::1]:8443"
      const found = yield* Effect.forEach([
        "http://10.1.2.3/",
        "https://10.1.2.3/",
        "http://hooks.internal/",
        "http://a.hooks.internal/",
        "http://nothooks.internal/",
        "https://[fd12::1]:8443/",
        "https://[fd12::1]/",
        "http://11.1.2.3/",
        "http://u@hooks.internal/"
      ], (url) => checkUrl(url, allowed))
      assert.deepStrictEqual(found, [
        null,
        null,
        null,
        null,
        "not_https",
        null,
        "private",
        "not_https",
        "credentials"
      ])
    }))
})

describe("the webhook sender", () => {
  it.live("opens no connection when a name resolves to a private address, also after a public one", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const url = `https://hook.tapeline.test:${receiver.port}/`
      const answers = [["8.8.8.8", "127.0.0.1"], ["127.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["10.0.0.1"], []]
      for (const answer of answers) {
        assert.deepStrictEqual(yield* send(url, { resolve: async () => answer }), noResponse("private_address"))
      }
      assert.deepStrictEqual(yield* send(`https://127.0.0.1:${receiver.port}/`), noResponse("url_rejected"))
      assert.strictEqual(receiver.connections(), 0)
    }))

  it.live("resolves a permitted name like other programs of this machine", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const url = `http://localhost:${receiver.port}/hook`
      assert.deepStrictEqual(yield* send(url), noResponse("url_rejected"))
      assert.deepInclude(yield* send(url, { isPrivateAllowed: allow("localhost") }), { status: 204 })
      assert.strictEqual(receiver.connections(), 1)
    }))

  it.live("follows no redirect, and reads an endless or slow body for at most a second", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const options = { isPrivateAllowed: allow("127.0.0.1") }
      receiver.respondWith((response) =>
        void response.writeHead(302, { location: `http://127.0.0.1:${receiver.port}/elsewhere`, "retry-after": "7" })
          .end("x")
      )
      assert.deepStrictEqual(yield* send(receiver.url, options), { _tag: "Response", status: 302, retryAfter: "7" })
      assert.deepStrictEqual(receiver.messages.map(({ path }) => path), ["/hook?token=receiver-secret"])
      receiver.respondWith((response) => void response.writeHead(200).write("a"))
      assert.deepInclude(yield* send(receiver.url, options), { status: 200 })
      receiver.respondWith((response) => {
        response.writeHead(500)
        const write = () => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
          response.once("drain", write)
        }
        response.on("error", () => undefined)
        write()
      })
      assert.deepInclude(yield* send(receiver.url, options), { status: 500 })
    }))

  it.live("limits the time of a whole attempt, and closes the connection", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const options = { isPrivateAllowed: allow("127.0.0.1"), timeoutMs: 300 }
      const closed = Promise.withResolvers<void>()
      receiver.respondWith((_, __, request) => void request.socket.on("close", () => closed.resolve()))
      assert.deepStrictEqual(yield* send(receiver.url, options), noResponse("timeout"))
      yield* Effect.promise(() => closed.promise)
      receiver.respondWith((response) => void response.socket!.write("HTTP/1.1 200 OK\r\nx-slow: "))
      assert.deepStrictEqual(yield* send(receiver.url, options), noResponse("timeout"))
      const hanging = { ...options, resolve: () => new Promise<never>(() => undefined) }
      assert.deepStrictEqual(yield* send("https://hook.tapeline.test/", hanging), noResponse("timeout"))
    }))

  it.live("reports a reset connection, an unreachable port, and a response that is not HTTP", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const options = { isPrivateAllowed: allow("127.0.0.1") }
      receiver.respondWith((response) => void response.socket!.resetAndDestroy())
      assert.deepStrictEqual(yield* send(receiver.url, options), noResponse("ECONNRESET"))
      receiver.respondWith((response) => void response.socket!.end("SSH-2.0-OpenSSH\r\n"))
      assert.deepInclude(yield* send(receiver.url, options), { _tag: "NoResponse" })
      receiver.respondWith((response) => void response.socket!.end("HTTP/1.1 200 OK\r\nx: " + "a".repeat(1_000_000)))
      assert.deepStrictEqual(yield* send(receiver.url, options), noResponse("UND_ERR_HEADERS_OVERFLOW"))
      assert.deepStrictEqual(yield* send("http://127.0.0.1:1/", options), noResponse("ECONNREFUSED"))
    }))

  it.live("stops when the process stops", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      receiver.respondWith((_, __, request) => {
        received.resolve()
        request.socket.on("close", () => closed.resolve())
      })
      const fiber = yield* Effect.forkChild(send(receiver.url, { isPrivateAllowed: allow("127.0.0.1") }))
      yield* Effect.promise(() => received.promise)
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => closed.promise)
    }))
})

describe("the webhook sender over TLS", skipWithoutOpenssl(), () => {
  it.live("connects to the address that it has checked, and resolves the name once", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const tls = yield* startTls(receiver.port)
      let lookups = 0
      const options = {
        ca: tls.certificate,
        // Only the address is permitted, so an unchecked look-up of the name could not succeed.
        isPrivateAllowed: allow("127.0.0.1"),
        resolve: async () => {
          lookups++
          return ["127.0.0.1"]
        }
      }
      assert.deepStrictEqual(yield* send(`https://hook.tapeline.test:${tls.port}/a?b=c`, options), {
        _tag: "Response",
        status: 204,
        retryAfter: null
      })
      assert.strictEqual(lookups, 1)
      const [received] = receiver.messages
      assert.strictEqual(received?.path, "/a?b=c")
      assert.strictEqual(received?.body, message.body)
      assert.deepInclude(received?.headers, { "webhook-id": "evt_1", host: `hook.tapeline.test:${tls.port}` })
      const { ca: _, ...withoutCa } = options
      assert.deepStrictEqual(
        yield* send(`https://hook.tapeline.test:${tls.port}/`, withoutCa),
        noResponse("DEPTH_ZERO_SELF_SIGNED_CERT")
      )
      assert.deepStrictEqual(
        yield* send(`https://other.test:${tls.port}/`, options),
        noResponse("ERR_TLS_CERT_ALTNAME_INVALID")
      )
      assert.strictEqual(receiver.messages.length, 1)
    }))

  it.live("asks the name servers at each attempt, and rejects an answer that has become private", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const tls = yield* startTls(receiver.port)
      const nameServer = yield* startNameServer
      // No test can listen on a public address, so the test treats the range 127.0.0.0/9 as public.
      const options = {
        ca: tls.certificate,
        isPrivateAllowed: allow("127.0.0.0/9"),
        resolve: makeResolveHost([nameServer.address])
      }
      const url = `https://hook.tapeline.test:${tls.port}/`
      nameServer.answerWith("127.0.0.1")
      assert.deepInclude(yield* send(url, options), { status: 204 })
      nameServer.answerWith("127.128.0.1")
      assert.deepStrictEqual(yield* send(url, options), noResponse("private_address"))
      nameServer.answerWith("127.0.0.1", "127.128.0.1")
      assert.deepStrictEqual(yield* send(url, options), noResponse("private_address"))
      nameServer.answerWith("127.0.0.1")
      assert.deepInclude(yield* send(url, options), { status: 204 })
      nameServer.answerWith()
      assert.deepStrictEqual(yield* send(url, options), noResponse("ENODATA"))
      nameServer.answerWith("none")
      assert.deepStrictEqual(yield* send(url, options), noResponse("ENOTFOUND"))
      assert.strictEqual(receiver.messages.length, 2)
    }))

  it.live("asks a proxy for a tunnel to the checked address, and never for the name", () =>
    Effect.gen(function*() {
      const receiver = yield* startReceiver
      const tls = yield* startTls(receiver.port)
      const proxy = yield* startProxy({ tunnels: tls.port, requests: receiver.port })
      const proxies = proxySettingsOf({ HTTPS_PROXY: `http://reader:hunter2@${proxy.host}` })
      assert.isTrue(Redacted.isRedacted(proxies!.https!.authorization))
      const options = { ca: tls.certificate, proxies, resolve: async () => ["1.2.3.4"] }
      assert.deepInclude(yield* send("https://hook.tapeline.test/", options), { status: 204 })
      assert.deepStrictEqual(proxy.requests.map(({ line }) => line), ["CONNECT 1.2.3.4:443"])
      assert.strictEqual(receiver.messages.length, 1)
      const ipv6 = { ...options, resolve: async () => ["2606:4700::1111"] }
      assert.deepInclude(yield* send("https://hook.tapeline.test:8443/", ipv6), { status: 204 })
      assert.strictEqual(proxy.requests[1]?.line, "CONNECT [2606:4700::1111]:8443")
      const rebound = { ...options, resolve: async () => ["127.0.0.1"] }
      assert.deepStrictEqual(yield* send("https://hook.tapeline.test/", rebound), noResponse("private_address"))
      proxy.rejectWith(403)
      assert.deepStrictEqual(yield* send("https://hook.tapeline.test/", options), noResponse("PROXY_STATUS_403"))
      assert.strictEqual(proxy.requests.length, 3)
    }))
})
