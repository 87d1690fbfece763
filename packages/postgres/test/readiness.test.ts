import { assert, it } from "@effect/vitest"
import { checkReady, layerPostgres } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { onPostgres } from "./support/databases.ts"
import { ownServer } from "./support/hostile.ts"

onPostgres("readiness", () => {
  it.live(
    "of a frozen database is told within its second, though a statement has longer",
    () =>
      Effect.gen(function*() {
        const { freeze, server, thaw } = yield* ownServer
        const node = yield* Layer.build(
          layerPostgres({ url: `${server.url}?sslmode=require`, statementTimeoutMs: 6_000 })
        )
        const why = Effect.map(Effect.flip(Effect.provideContext(checkReady, node)), ({ cause }) => String(cause))
        assert.include(yield* why, "Migrations are missing")
        freeze()
        const from = performance.now()
        for (let i = 0; i < 2; i++) assert.include(yield* why, "did not answer in time")
        assert.isBelow(performance.now() - from, 3_000)
        thaw()
        yield* Effect.eventually(Effect.filterOrFail(why, (text) => text.includes("Migrations are missing")))
      }),
    60_000
  )
})
