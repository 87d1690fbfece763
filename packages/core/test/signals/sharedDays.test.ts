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
  const storedDays: Array<StoredDay> = []
  const operations: Array<"get" | "put"> = []
  const failOrRun = <A>(kind: "gets" | "puts", run: () => A) =>
    Effect.suspend(() =>
      failures[kind]-- > 0
        ? Effect.fail(new DerivedDaysUnavailable({ reason: "the test makes this read fail" }))
        : Effect.sync(run)
    )
  const store: DerivedDaysService = {
    get: () => {
      operations.push("get")
      return failOrRun("gets", () => storedDays)
    },
    put: ({ days }) => {
      operations.push("put")
      return failOrRun("puts", () => void storedDays.push(...days))
    }
  }
  return { operations, store, storedDays }
}

describe("days in a shared store", () => {
  it.effect("are written again after failed writes, and can be read meanwhile", () =>
    Effect.gen(function*() {
      const { operations, store, storedDays } = failing({ gets: 0, puts: 2 })
      const sharedDays = yield* makeSharedDays(store)
      sharedDays.writeDays({ layout, key, days: [today] })
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(operations, ["put"])
      assert.deepStrictEqual(yield* sharedDays.readDays(layout, key, start, start + dayMs), [])
      assert.deepStrictEqual(operations, ["put", "get"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(storedDays.length, 1)
      assert.strictEqual((yield* sharedDays.readDays(layout, key, start, start + dayMs)).length, 1)
    }))

  it.effect("log an unavailable store in one line, and a defect with its cause", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make(({ cause, message }) => void lines.push([message, Cause.pretty(cause).split("\n")[0]]))
    const suspensionText = "Storing derived days is suspended for some seconds"
    return Effect.gen(function*() {
      for (const get of [Effect.fail(new DerivedDaysUnavailable({ reason: "away" })), Effect.never]) {
        const { readDays } = yield* makeSharedDays({ ...failing({ gets: 0, puts: 0 }).store, get: () => get })
        const pendingRead = yield* Effect.forkChild(readDays(layout, key, start, start + dayMs))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(pendingRead), [])
      }
      const brokenStore = { ...failing({ gets: 0, puts: 0 }).store, get: () => Effect.die(new Error("a bug")) }
      yield* (yield* makeSharedDays(brokenStore)).readDays(layout, key, start, start + dayMs)
      assert.deepStrictEqual(lines, [
        [[suspensionText, "derived days are unavailable: away"], ""],
        [[suspensionText, "it did not respond in time"], ""],
        [[suspensionText], "Error: a bug"]
      ])
    }).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("are written after a failed read, while further reads pause", () =>
    Effect.gen(function*() {
      const { operations, store, storedDays } = failing({ gets: 1, puts: 0 })
      const sharedDays = yield* makeSharedDays(store)
      assert.deepStrictEqual(yield* sharedDays.readDays(layout, key, start, start + dayMs), [])
      sharedDays.writeDays({ layout, key, days: [today] })
      yield* TestClock.adjust(1)
      assert.strictEqual(storedDays.length, 1)
      // After a failure, reads pause, so that reads of many coins wait only once for an unavailable store.
      yield* sharedDays.readDays(layout, key, start, start + dayMs)
      assert.deepStrictEqual(operations, ["get", "put"])
    }))

  it.effect("are dropped after repeated write failures, and do not block other series", () =>
    Effect.gen(function*() {
      const { operations, store, storedDays } = failing({ gets: 0, puts: 5 })
      const sharedDays = yield* makeSharedDays(store)
      sharedDays.writeDays({ layout, key, days: [today] })
      sharedDays.writeDays({ layout, key: { ...key, series: "ETH" }, days: [today] })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(operations.length, 6)
      assert.strictEqual(storedDays.length, 1)
    }))
})
