import { assert, describe, it } from "@effect/vitest"
import { dayMs, type DerivedDaysService, DerivedDaysUnavailable, hourMs, type StoredDay } from "@tapeline/core"
import { Cause, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { CachedDay, RowLayout } from "../../src/analysis/signals/dayCache/dayRows.ts"
import { makeSharedDays } from "../../src/analysis/signals/dayCache/sharedDays.ts"

const layout: RowLayout = { rule: "test/1", stepMs: hourMs, width: 1 }
const key = { rule: "test/1", series: "BTC", revision: "r" }
const start = Date.UTC(2026, 10, 20)
const today: CachedDay = {
  day: start,
  revision: "r",
  since: start,
  until: start + dayMs,
  values: Float64Array.from({ length: 24 }, (_, i) => i)
}

/** A store that records its requests, and whose first reads and writes fail. */
const failing = (failures: { gets: number; puts: number }) => {
  const stored: Array<StoredDay> = []
  const asked: Array<"get" | "put"> = []
  const orFail = <A>(kind: "gets" | "puts", well: () => A) =>
    Effect.suspend(() =>
      failures[kind]-- > 0
        ? Effect.fail(new DerivedDaysUnavailable({ reason: "the test makes this read fail" }))
        : Effect.sync(well)
    )
  const store: DerivedDaysService = {
    get: () => {
      asked.push("get")
      return orFail("gets", () => stored)
    },
    put: ({ days }) => {
      asked.push("put")
      return orFail("puts", () => void stored.push(...days))
    }
  }
  return { asked, store, stored }
}

describe("days in a shared store", () => {
  it.effect("are written again after failed writes, and can be read meanwhile", () =>
    Effect.gen(function*() {
      const { asked, store, stored } = failing({ gets: 0, puts: 2 })
      const kept = yield* makeSharedDays(store)
      kept.writeDays({ layout, key, days: [today] })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(asked, ["put"])
      assert.deepStrictEqual(yield* kept.readDays(layout, key, start, start + dayMs), [])
      assert.deepStrictEqual(asked, ["put", "get"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(stored.length, 1)
      assert.strictEqual((yield* kept.readDays(layout, key, start, start + dayMs)).length, 1)
    }))

  it.effect("log an unavailable store in one line, and a defect with its cause", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ cause, message }) => void lines.push([message, Cause.pretty(cause).split("\n")[0]]))
    const said = "Storing derived days is suspended for some seconds"
    return Effect.gen(function*() {
      for (const get of [Effect.fail(new DerivedDaysUnavailable({ reason: "away" })), Effect.never]) {
        const { readDays } = yield* makeSharedDays({ ...failing({ gets: 0, puts: 0 }).store, get: () => get })
        const asked = yield* Effect.forkChild(readDays(layout, key, start, start + dayMs))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(asked), [])
      }
      const broken = { ...failing({ gets: 0, puts: 0 }).store, get: () => Effect.die(new Error("a bug")) }
      yield* (yield* makeSharedDays(broken)).readDays(layout, key, start, start + dayMs)
      assert.deepStrictEqual(lines, [
        [[said, "derived days are unavailable: away"], ""],
        [[said, "it did not respond in time"], ""],
        [[said], "Error: a bug"]
      ])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("are written after a failed read, while further reads pause", () =>
    Effect.gen(function*() {
      const { asked, store, stored } = failing({ gets: 1, puts: 0 })
      const kept = yield* makeSharedDays(store)
      assert.deepStrictEqual(yield* kept.readDays(layout, key, start, start + dayMs), [])
      kept.writeDays({ layout, key, days: [today] })
      yield* TestClock.adjust(1)
      assert.strictEqual(stored.length, 1)
      // After a failure, reads pause, so that reads of many coins wait only once for an unavailable store.
      yield* kept.readDays(layout, key, start, start + dayMs)
      assert.deepStrictEqual(asked, ["get", "put"])
    }))

  it.effect("are dropped after repeated write failures, and do not block other series", () =>
    Effect.gen(function*() {
      const { asked, store, stored } = failing({ gets: 0, puts: 5 })
      const kept = yield* makeSharedDays(store)
      kept.writeDays({ layout, key, days: [today] })
      kept.writeDays({ layout, key: { ...key, series: "ETH" }, days: [today] })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(asked.length, 6)
      assert.strictEqual(stored.length, 1)
    }))
})
