import { assert, describe, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { DatabaseUnavailable } from "@tapeline/postgres"
import { layerRedis } from "@tapeline/redis"
import { Cause, Effect, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import { ConnectionError, SqlError, SqlSyntaxError } from "effect/sql/SqlError"
import { createServer } from "node:http"
import { explainError } from "../src/explainError.ts"
import { layerListener } from "../src/layers.ts"
import { outageMessageOf } from "../src/outages.ts"

describe("A failed start", () => {
  it.live("names the variable of the address at which either listener cannot listen", () =>
    Effect.gen(function*() {
      const occupyingServer = createServer()
      yield* Effect.callback<void>((resume) => void occupyingServer.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = occupyingServer.address()
      const port = typeof address === "object" ? address?.port ?? 0 : 0
      for (const prefix of ["", "TAPELINE_ADMIN_"]) {
        const names = { host: `${prefix}HOST`, port: `${prefix}PORT` }
        const listen = (host: string, port: number) =>
          Effect.map(
            Effect.flip(
              Effect.scoped(Layer.build(layerListener({ drainMs: 0, keepAliveMs: 1_000 }, { host, port, names })))
            ),
            explainError
          )
        // The address is reserved for documentation, so no machine has it. The name cannot be resolved.
        assert.include(yield* listen("192.0.2.1", 0), `set ${names.host} to one of its addresses`)
        assert.match(yield* listen("no-such-host.invalid", 0), new RegExp(`^The name in ${names.host} `))
        assert.include(yield* listen("127.0.0.1", port), `set ${names.port} to another port`)
      }
      occupyingServer.close()
    }))

  it("ends with a full stop", () => {
    const unavailable = (reason: string, embedded = false) =>
      explainError(new DatabaseUnavailable({ direct: false, embedded, reason }))
    assert.match(unavailable("the password is wrong"), /^DATABASE_URL: .*wrong\.$/)
    assert.strictEqual(unavailable("it is full", true), "The embedded database cannot be used: it is full.")
  })

  it("names the variable of a secret's file and its path if the secret is in one", () => {
    const environment = { DATABASE_URL_FILE: "/run/secrets/url", DATABASE_DIRECT_URL_FILE: "/run/secrets/direct" }
    const unavailable = (direct: boolean) =>
      explainError(new DatabaseUnavailable({ direct, embedded: false, reason: "the password is wrong" }), environment)
    assert.match(unavailable(false), /^DATABASE_URL_FILE \(file "\/run\/secrets\/url"\): .*wrong\.$/)
    assert.match(unavailable(true), /^DATABASE_DIRECT_URL_FILE \(file "\/run\/secrets\/direct"\): .*wrong\.$/)
  })

  it("is one log line if a store is unavailable, and has its stack if it is a bug", () => {
    const connectionError = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" })
    const sql = new SqlError({
      reason: new ConnectionError({ message: "PgClient: Failed to connect", cause: connectionError })
    })
    for (
      const [cause, expectedText] of [
        [
          Cause.fail(new StoreUnavailable({ store: "keys", cause: connectionError })),
          "the store `keys` cannot be reached"
        ],
        [Cause.die(new StoreUnavailable({ store: "keys", cause: connectionError })), "ECONNREFUSED"],
        [Cause.fail(new PersistenceError({ cause: sql })), "PgClient: Failed to connect: connect ECONNREFUSED"]
      ] as const
    ) {
      const line = outageMessageOf(cause)
      assert.include(line, expectedText)
      assert.notMatch(line ?? "", /\n|\bat /)
    }
    const bug = new SqlError({ reason: new SqlSyntaxError({ message: "no such column", cause: new Error("42703") }) })
    for (const cause of [Cause.die(new TypeError("bug")), Cause.fail(bug), Cause.interrupt(), Cause.empty]) {
      assert.isUndefined(outageMessageOf(cause))
    }
  })

  it("names the folder and the variable if the disk is full", () => {
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write"
    })
    assert.match(explainError(full, { TAPELINE_DATA_DIR: "/srv/data" }), /\/srv\/data.*disk is full.*TAPELINE_DATA_DIR/)
  })

  it.live("names REDIS_URL if Redis is unreachable, without the address", () =>
    Effect.gen(function*() {
      const connectionError = yield* Effect.flip(
        Effect.scoped(Layer.build(layerRedis({ url: "redis://me:secret-value@127.0.0.1:1" })))
      )
      assert.include(explainError(connectionError), "REDIS_URL")
      assert.include(
        explainError(connectionError, { REDIS_URL_FILE: "/run/r" }),
        `Check REDIS_URL_FILE (file "/run/r"), and`
      )
      assert.notInclude(explainError(connectionError), "secret-value")
    }))
})
