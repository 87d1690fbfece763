/** Tests recomputation within the test process. `recompute.full.test.ts` starts the command and stops it by signals. */
import { assert, it } from "@effect/vitest"
import { runAsOf } from "@tapeline/core"
import { recompute, type RecomputeProgress } from "@tapeline/core/analysis"
import { dayMs } from "@tapeline/core/market"
import { readSettings } from "@tapeline/server"
import { Deferred, Effect, Fiber } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { layerRecomputation, runRecompute } from "../src/recompute/run.ts"
import { temporaryFolder } from "./support/process.ts"
import { recordCandles } from "./support/recordCandles.ts"
import { migratedPostgres, readDerivedDigest } from "./support/testDatabases.ts"

it.live("stores the same rows and returns the same digest after an interruption", () =>
  Effect.gen(function*() {
    const database = yield* migratedPostgres
    const now = Date.now()
    const today = Math.floor(now / dayMs) * dayMs
    const from = today - dayMs
    yield* recordCandles(database.environment["DATABASE_URL"]!, ["BTC", "ETH"], { from, to: today })
    const settings = yield* readSettings({ ...database.environment, TAPELINE_MARKET: "live" })
    const run = (onProgress: (progress: RecomputeProgress) => Effect.Effect<void>) =>
      recompute({ from, holder: "this test", onProgress })

    yield* Effect.gen(function*() {
      const fullRun = yield* run(() => Effect.void)
      assert.isAbove(fullRun.parts, 1)
      const rows = yield* readDerivedDigest(database)
      assert.strictEqual(rows[0]?.rows, fullRun.days)

      const firstPart = yield* Deferred.make<void>()
      const interrupted = yield* Effect.forkChild(
        run(({ done }) =>
          done === 0 ? Effect.void : Effect.andThen(Deferred.succeed(firstPart, undefined), Effect.never)
        )
      )
      yield* Effect.raceFirst(Deferred.await(firstPart), Fiber.join(interrupted))
      yield* Fiber.interrupt(interrupted)

      let resumedAfter = 0
      const resumed = yield* run(({ resumed: before }) => Effect.sync(() => void (resumedAfter = before)))
      assert.strictEqual(resumedAfter, 1)
      assert.deepStrictEqual(resumed, fullRun)
      assert.deepStrictEqual(yield* readDerivedDigest(database), rows)
    }).pipe(
      Effect.provide(layerRecomputation(settings, () => {})),
      // The clock does not advance, so that all runs compute the same hours and days.
      (runs) => runAsOf(runs, now)
    )
  }))

it.live("fails without an existing database, and creates none", () =>
  Effect.gen(function*() {
    const folder = join(yield* temporaryFolder, "none")
    const failure = yield* Effect.flip(runRecompute({ TAPELINE_DATA_DIR: folder }, 0))
    assert.include(failure.message, `There is no database in ${folder}`)
    assert.isFalse(existsSync(folder))
  }))
