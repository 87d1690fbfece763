import { assert, describe, it } from "@effect/vitest"
import { skipUnless, skipWithoutOpenssl, skipWithoutProgram, type StartFailed } from "@tapeline/testing/programs"
import { Effect, type Scope } from "effect"
import { inject } from "vitest"
import { auditLedger } from "../../soak/src/audit.ts"
import { makeAuditQuery, startCalls } from "./support/callLoad.ts"
import { makeCertificate } from "./support/certificate.ts"
import { installRelease, lastRelease } from "./support/lastRelease.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/process.ts"
import { findFreePort, isProxyInstalled, type ProxyName, startReverseProxy } from "./support/reverseProxies.ts"
import {
  callGetPrice,
  createAccount,
  getUsage,
  type NoAnswer,
  pollUntil,
  sendRequest,
  testSettings
} from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { emptyPostgres } from "./support/testDatabases.ts"

/*
 * Starts the last release next to this version on one database, under load. The sources of the last release come from
 * the repository. Without a tag, it is a pinned commit.
 */

/** A shorter drain than in the folder `deploy`. The proxy checks the servers every second. */
const drainMs = 4_000
const discoveryMs = 3_000

/** Proxies that find a stopping server, so that they also lose no call without an idempotency key. */
const proxyName = (["caddy", "haproxy"] satisfies ReadonlyArray<ProxyName>).find(isProxyInstalled)

const versions = ["last release", "this version"] as const
type Version = typeof versions[number]

/** The versions of the two servers, one stage after the other: an update, the way back, and the update again. */
const stages: ReadonlyArray<readonly [Version, Version]> = [
  ["last release", "last release"],
  ["this version", "last release"],
  ["this version", "this version"],
  ["this version", "last release"],
  ["last release", "last release"],
  ["last release", "this version"]
]

interface Node {
  readonly version: Version
  readonly server: ServerProcess
}

const makeStarter = (environment: Readonly<Record<string, string>>, programs: Readonly<Record<Version, string>>) =>
  Effect.fnUntraced(
    function*(version: Version, port: number): Effect.fn.Return<Node, StartFailed | NoAnswer, Scope.Scope> {
      const server = yield* startServer({ ...environment, PORT: String(port) }, programs[version])
      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      return { version, server }
    },
    Effect.orDie
  )

/**
 * Uses each server directly in a stage. Both answer a call of the first stage again without a charge. A key that one of
 * them has created is valid at the other.
 */
const useBoth = Effect.fnUntraced(function*(nodes: ReadonlyArray<Node>, firstKey: string) {
  const repeated = yield* Effect.forEach(
    nodes,
    ({ server }) => callGetPrice(server, firstKey, { "idempotency-key": "the first call" })
  )
  const created = yield* Effect.forEach(
    [[0, 1], [1, 0]] as const,
    ([creator, other]) =>
      Effect.flatMap(createAccount(nodes[creator]!.server, "pro"), ({ key }) => callGetPrice(nodes[other]!.server, key))
  )
  return { repeated: repeated.map(({ text }) => text), created: created.map(({ status }) => status) }
})

const upgradeUnderLoad = Effect.gen(function*() {
  const database = yield* emptyPostgres
  const folder = yield* temporaryFolder
  const program = yield* Effect.acquireRelease(
    Effect.promise(() => installRelease(lastRelease!, folder)),
    ({ remove }) => Effect.sync(remove)
  )
  const start = makeStarter({
    ...testSettings,
    ...database.environment,
    TAPELINE_CONSOLE: "off",
    TAPELINE_PROXIES: "1",
    TAPELINE_DRAIN_MS: String(drainMs)
  }, { "last release": program.path, "this version": inject("serverProgram") })
  const ports = [yield* Effect.promise(findFreePort), yield* Effect.promise(findFreePort)] as const
  const [first, second] = yield* Effect.all([start("last release", ports[0]), start("last release", ports[1])], {
    concurrency: 2
  })
  const nodes = [first, second]
  const proxy = yield* startReverseProxy(proxyName!, ports, makeCertificate("IP:127.0.0.1"))
  yield* pollUntil("the proxy", sendRequest(proxy, "GET", "/readyz"), ({ status }) => status === 200)
  const createKey = Effect.map(createAccount(first.server, "premium"), ({ key }) => key)
  const keys = { keyed: yield* createKey, plain: yield* createKey, first: yield* createKey }
  const firstCall = yield* callGetPrice(first.server, keys.first, { "idempotency-key": "the first call" })
  const loads = { keyed: startCalls(proxy, keys.keyed, true), plain: startCalls(proxy, keys.plain, false) }

  const exits: Array<unknown> = []
  const uses: Array<Effect.Success<ReturnType<typeof useBoth>>> = []
  for (const stage of stages) {
    for (const [i, version] of stage.entries()) {
      const node = nodes[i]!
      if (node.version === version) continue
      node.server.signal("SIGTERM")
      exits.push(yield* node.server.awaitExit)
      nodes[i] = yield* start(version, ports[i]!)
      yield* Effect.sleep(discoveryMs)
    }
    uses.push(yield* useBoth(nodes, keys.first))
  }

  const [keyed, plain] = yield* Effect.promise(() => Promise.all([loads.keyed.stop(), loads.plain.stop()]))
  const creditsOf = (key: string) => Effect.map(getUsage(proxy, key), ({ credits }) => credits)
  return {
    exits,
    uses,
    firstCall: { text: firstCall.text, credits: yield* creditsOf(keys.first) },
    keyed: { ...keyed, credits: yield* creditsOf(keys.keyed) },
    plain: { ...plain, credits: yield* creditsOf(keys.plain) },
    findings: yield* database.sql((sql) => Effect.promise(() => auditLedger(makeAuditQuery(sql))))
  }
})

describe(
  "The last release next to this version, under load",
  skipUnless(
    "the last release: fetch the history of the repository (git fetch --unshallow)",
    lastRelease !== null
  ),
  () => {
    describe("behind a proxy", skipWithoutOpenssl(), () => {
      describe("that checks readiness", skipWithoutProgram("caddy: install it", proxyName !== undefined), () => {
        const run = makeShared(upgradeUnderLoad, 400_000)

        for (const load of ["keyed", "plain"] as const) {
          it.live(`answers every call, and charges each once: ${load} calls`, () =>
            Effect.gen(function*() {
              const { answered, credits, failures } = (yield* run)[load]
              assert.deepStrictEqual(failures, [])
              assert.isAbove(answered, 100 * stages.length)
              assert.deepInclude(credits, { used: answered, reserved: 0 })
            }))
        }

        it.live("returns a call of the first stage again in every later stage, and charges it once", () =>
          Effect.gen(function*() {
            const { firstCall, uses } = yield* run
            assert.deepStrictEqual(
              uses.flatMap(({ repeated }) => repeated),
              stages.flatMap(() => [firstCall.text, firstCall.text])
            )
            assert.deepInclude(firstCall.credits, { used: 1, reserved: 0 })
          }))

        it.live("accepts a key at each server that the other server has created", () =>
          Effect.gen(function*() {
            const { uses } = yield* run
            assert.deepStrictEqual(uses.flatMap(({ created }) => created), stages.flatMap(() => [200, 200]))
          }))

        it.live("ends the processes with code 0, and breaks no rule of the ledger", () =>
          Effect.gen(function*() {
            const { exits, findings } = yield* run
            assert.deepStrictEqual(exits, exits.map(() => ({ code: 0, signal: null })))
            assert.deepStrictEqual(findings, [])
          }))
      })
    })
  }
)
