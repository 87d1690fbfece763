import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { DatabaseUnavailable } from "@tapeline/postgres"
import { layerRedis } from "@tapeline/redis"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { explain } from "../src/explain.ts"

describe("A start that failed", () => {
  it.live("names HOST when that is no address to listen on, and PORT when that is taken", () =>
    Effect.gen(function*() {
      const listen = (host: string, port: number) =>
        Effect.map(
          Effect.flip(Effect.scoped(Layer.build(NodeHttpServer.layer(createServer, { host, port })))),
          explain
        )
      // An address kept for documentation, which no machine has; a name that no resolver may know.
      assert.match(yield* listen("192.0.2.1", 0), /no such address .* set HOST/)
      assert.match(yield* listen("no-such-host.invalid", 0), /HOST is a name/)
      const taken = createServer()
      yield* Effect.callback<void>((resume) => void taken.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const address = taken.address()
      assert.include(yield* listen("127.0.0.1", typeof address === "object" ? address?.port ?? 0 : 0), "set PORT")
      taken.close()
    }))

  it("ends as a sentence does, a question too", () => {
    const unavailable = (reason: string) => explain(new DatabaseUnavailable({ direct: false, reason }))
    assert.match(unavailable("the password is wrong"), /^DATABASE_URL: .*wrong\.$/)
    assert.match(unavailable("does PostgreSQL listen there?"), /there\?$/)
  })

  it.live("names REDIS_URL when no Redis is there, and tells nothing of the address", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(
        Effect.scoped(Layer.build(layerRedis({ url: "redis://me:secret-value@127.0.0.1:1" })))
      )
      assert.include(explain(refused), "REDIS_URL")
      assert.notInclude(explain(refused), "secret-value")
    }))
})
