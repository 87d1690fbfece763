import { assert, describe, it } from "@effect/vitest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { skipWithoutOpenssl, skipWithoutProgram } from "@tapeline/testing/programs"
import { Effect, type Scope } from "effect"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { createClient } from "../../client/src/index.ts"
import { auditLedger } from "../../soak/src/audit.ts"
import { makeAuditQuery, startCalls } from "./support/callLoad.ts"
import { makeCertificate } from "./support/certificate.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  findFreePort,
  isProxyInstalled,
  proxyNames,
  type ReverseProxy,
  startReverseProxy
} from "./support/reverseProxies.ts"
import { callAdminApi, createAccount, getUsage, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

/** A shorter drain than in the folder `deploy`, but longer than the `keepalive_timeout` of nginx, 5 s. */
const drainMs = 6_000

/** The time in which every proxy finds a server that is ready again. The proxies check once a second. */
const discoveryMs = 3_000

const words = Array.from({ length: 12 }, (_, i) => `word-${i} `)
const restarted = "both servers have restarted"

/** A fake model whose answers continue after their fifth word only when both servers have restarted. */
const startModel = Effect.acquireRelease(
  Effect.promise(() => {
    const texts = words.map((text) => ({ text }))
    return startFakeModel({
      script: ({ body }) =>
        Array.isArray(body?.["tools"])
          ? { acts: [...texts.slice(0, 5), { awaitCue: restarted }, ...texts.slice(5)] }
          : { acts: [{ text: "And then?" }] }
    })
  }),
  (model) => Effect.promise(() => model.close())
)

/** Reads an answer of the analyst through a proxy with the client, and counts the client's connections. */
const startStream = ({ address }: ReverseProxy, key: string) => {
  let connections = 0
  const client = createClient({
    url: address,
    key,
    fetch: (...request) => {
      connections++
      return fetch(...request)
    }
  })
  const stream = client.agent.stream({ message: "BTC?" })
  const begun = Promise.withResolvers<void>()
  const read = async () => {
    let ended: object = {}
    for await (const event of stream) {
      if (stream.text.includes(words[4]!)) begun.resolve()
      if (event.kind === "done") ended = event.data
    }
    return { text: stream.text, connections, ended }
  }
  const result = read()
  result.catch(begun.reject)
  return { begun: begun.promise, result }
}

const trust = (certificate: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, certificate])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

const createKey = Effect.fnUntraced(function*(server: { readonly address: string }) {
  const { account } = yield* createAccount(server, "premium")
  const { key }: { readonly key: string } = yield* callAdminApi(server, "POST", `/accounts/${account}/keys`, {
    name: "load",
    scopes: ["read:market", "agent:chat"]
  })
  return key
})

interface Node {
  readonly port: number
  readonly server: ServerProcess
}

const makeNodes = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const start = (port: number): Effect.Effect<Node, never, Scope.Scope> =>
    Effect.gen(function*() {
      const server = yield* startServer({ ...environment, PORT: String(port) })
      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      return { port, server }
    }).pipe(Effect.orDie)
  const ports = [yield* Effect.promise(findFreePort), yield* Effect.promise(findFreePort)] as const
  const [first, second] = yield* Effect.all([start(ports[0]), start(ports[1])], { concurrency: 2 })
  /** Restarts a server on its port. Returns the end of the old process. */
  const restart = Effect.fnUntraced(function*({ port, server }: Node) {
    server.signal("SIGTERM")
    const exit = yield* server.awaitExit
    yield* start(port)
    yield* Effect.sleep(discoveryMs)
    return exit
  })
  return { nodes: [first, second], ports, restart }
})

/** Starts calls with and without idempotency keys, and an answer of the analyst, through a proxy. */
const startLoad = Effect.fnUntraced(function*(proxy: ReverseProxy, server: ServerProcess) {
  yield* pollUntil("the proxy", sendRequest(proxy, "GET", "/readyz"), ({ status }) => status === 200)
  const keys = { keyed: yield* createKey(server), plain: yield* createKey(server), stream: yield* createKey(server) }
  const stream = startStream(proxy, keys.stream)
  yield* Effect.promise(() => stream.begun)
  const [keyed, plain] = [startCalls(proxy, keys.keyed, true), startCalls(proxy, keys.plain, false)]
  /** Ends the load. Returns the result and the charged credits of each part. */
  return Effect.gen(function*() {
    const [keyedCalls, plainCalls, answer] = yield* Effect.promise(() =>
      Promise.all([keyed.stop(), plain.stop(), stream.result])
    )
    const creditsOf = (key: string) => Effect.map(getUsage(proxy, key), ({ credits }) => credits)
    return {
      keyed: { ...keyedCalls, credits: yield* creditsOf(keys.keyed) },
      plain: { ...plainCalls, credits: yield* creditsOf(keys.plain) },
      stream: { ...answer, credits: yield* creditsOf(keys.stream) }
    }
  })
})

/** Restarts two servers one after the other, under the load of every installed proxy at the same time. */
const restartUnderLoad = Effect.gen(function*() {
  const database = yield* migratedPostgres
  const model = yield* startModel
  const certificate = makeCertificate("IP:127.0.0.1")
  yield* trust(certificate.cert)
  const { nodes, ports, restart } = yield* makeNodes({
    ...testSettings,
    ...database.environment,
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: "fake",
    TAPELINE_PROXIES: "1",
    TAPELINE_DRAIN_MS: String(drainMs)
  })
  const loads = yield* Effect.forEach(proxyNames.filter(isProxyInstalled), (name) =>
    Effect.gen(function*() {
      const proxy = yield* startReverseProxy(name, ports, certificate)
      return [name, yield* startLoad(proxy, nodes[0]!.server)] as const
    }))
  const exits = yield* Effect.forEach(nodes, restart)
  model.cue(restarted)
  const results = yield* Effect.forEach(
    loads,
    ([name, end]) => Effect.map(end, (result) => [name, result] as const),
    { concurrency: "unbounded" }
  )
  const findings = yield* database.sql((sql) => Effect.promise(() => auditLedger(makeAuditQuery(sql))))
  return { exits, findings, results: new Map(results) }
})

describe("A rolling restart of two servers under load", skipWithoutOpenssl(), () => {
  const run = makeShared(restartUnderLoad, 240_000)

  for (const name of proxyNames) {
    describe(`behind ${name}`, skipWithoutProgram(`${name}: install it`, isProxyInstalled(name)), () => {
      it.live("answers every call with an idempotency key, and charges it once", () =>
        Effect.gen(function*() {
          const { answered, credits, failures } = (yield* run).results.get(name)!.keyed
          assert.deepStrictEqual(failures, [])
          assert.isAbove(answered, 100)
          assert.deepInclude(credits, { used: answered, reserved: 0 })
        }))

      it.live("answers every call without a key, except for rare ones behind nginx, and charges no failed call", () =>
        Effect.gen(function*() {
          const { answered, credits, failures } = (yield* run).results.get(name)!.plain
          // nginx has no health checks. It cannot repeat a call without a key whose connection was opened in the moment
          // in which the listener closed.
          assert.isAtMost(failures.length, name === "nginx" ? 1 : 0, failures.join("\n"))
          assert.isAbove(answered, 100)
          assert.deepInclude(credits, { used: answered, reserved: 0 })
        }))

      it.live("continues the stream of an answer on another connection, and charges the answer once", () =>
        Effect.gen(function*() {
          const { connections, credits, ended, text } = (yield* run).results.get(name)!.stream
          assert.strictEqual(text, words.join(""))
          assert.isAtLeast(connections, 2)
          assert.deepInclude(ended, { outcome: "finished", credits_used: 20 })
          assert.deepInclude(credits, { used: 20, reserved: 0 })
        }))
    })
  }

  it.live("ends both processes with code 0, and breaks no rule of the ledger", () =>
    Effect.gen(function*() {
      const { exits, findings } = yield* run
      assert.deepStrictEqual(exits, [{ code: 0, signal: null }, { code: 0, signal: null }])
      assert.deepStrictEqual(findings, [])
    }))
})
