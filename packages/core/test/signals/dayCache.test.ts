import { assert, describe, it } from "@effect/vitest"
import { dayMs, hourMs } from "@tapeline/core"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import {
  type CachedDay,
  decodeDay,
  encodeDay,
  getDayOf,
  type RowLayout
} from "../../src/analysis/signals/dayCache/dayRows.ts"
import { makeDigest } from "../../src/analysis/signals/dayCache/digest.ts"
import { MemoryDayCache } from "../../src/analysis/signals/dayCache/MemoryDayCache.ts"
import { makeSingleFlight } from "../../src/analysis/signals/dayCache/singleFlight.ts"

const layout: RowLayout = { rule: "test/1", stepMs: hourMs, width: 3 }
const start = Date.UTC(2026, 10, 20)

const dayAt = (day: number, hours = 24, revision = "r"): CachedDay => ({
  day,
  revision,
  since: day,
  until: day + hours * hourMs,
  values: Float64Array.from({ length: 72 }, (_, i) => i < hours * 3 ? (i % 5 === 0 ? NaN : day / 7 + i) : NaN)
})

describe("an encoded day", () => {
  it("decodes to the same day, for any number of known hours", () => {
    for (const hours of [1, 10, 24]) {
      const day = dayAt(start, hours)
      const bytes = encodeDay(layout, day)
      assert.deepStrictEqual(decodeDay(layout, { ...day, bytes }), day)
      // The bytes are a part of a larger buffer, because a database client may return bytes in this form.
      const within = new Uint8Array(bytes.length + 13)
      within.set(bytes, 13)
      assert.deepStrictEqual(decodeDay(layout, { ...day, bytes: within.subarray(13) }), day)
    }
  })

  it("is rejected if it is damaged, truncated, or of another layout or length", () => {
    const day = dayAt(start, 7)
    const bytes = encodeDay(layout, day)
    fc.assert(fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damagedBytes = bytes.slice()
      damagedBytes[at] = damagedBytes[at]! ^ flip
      assert.isUndefined(decodeDay(layout, { ...day, bytes: damagedBytes }))
      assert.isUndefined(decodeDay(layout, { ...day, bytes: bytes.subarray(0, at) }))
    }))
    assert.isUndefined(decodeDay({ ...layout, width: 4 }, { ...day, bytes }))
    assert.isUndefined(decodeDay(layout, { ...day, until: day.until + hourMs, bytes }))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      assert.isUndefined(decodeDay(layout, { ...day, bytes: noise }))
    }))
  })

  it("excludes its first midnight, which belongs to the day before", () => {
    assert.strictEqual(getDayOf(start), start - dayMs)
    assert.strictEqual(getDayOf(start + 1), start)
    assert.strictEqual(getDayOf(start + dayMs), start)
    assert.strictEqual(getDayOf(-1), -dayMs)
  })
})

describe("MemoryDayCache", () => {
  const days = (count: number) => Array.from({ length: count }, (_, i) => dayAt(start - (count - 1 - i) * dayMs))
  const size = 72 * 8 + 700

  it("never exceeds its byte limit", () => {
    const put = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 30 }), fc.nat(40))
    fc.assert(fc.property(fc.array(put, { maxLength: 80 }), fc.integer({ min: 0, max: 60 }), (puts, capacity) => {
      const memory = new MemoryDayCache(capacity * size)
      for (const [series, count, later] of puts) {
        memory.put(`S${series}`, Array.from({ length: count }, (_, i) => dayAt(start + (later + i) * dayMs)))
        assert.isAtMost(memory.bytes, capacity * size)
      }
    }))
  })

  it("returns the latest version of a day, and evicts days far before the newest", () => {
    const memory = new MemoryDayCache(1_000 * size)
    memory.put("A", [dayAt(start, 3), dayAt(start + dayMs, 5)])
    memory.put("A", [dayAt(start, 9, "other")])
    assert.deepStrictEqual(memory.get("A", start), dayAt(start, 9, "other"))
    assert.strictEqual(memory.get("A", start + dayMs)!.until, start + dayMs + 5 * hourMs)
    assert.isUndefined(memory.get("B", start))
    memory.put("A", [dayAt(start + 200 * dayMs)])
    assert.isUndefined(memory.get("A", start))
    assert.strictEqual(memory.bytes, size)
  })

  it("serves about half of cyclic requests for twice its capacity, and all if everything fits", () => {
    const countCachedReads = (series: number, capacity: number): number => {
      const memory = new MemoryDayCache(capacity * 93 * size)
      const all = days(93)
      let hits = 0
      for (let round = 0; round < 24; round++) {
        for (let one = 0; one < series; one++) {
          if (memory.get(`S${one}`, start - 50 * dayMs) !== undefined) {
            if (round >= 4) hits++
          } else memory.put(`S${one}`, all)
        }
      }
      return hits / (20 * series)
    }
    assert.strictEqual(countCachedReads(100, 101), 1)
    const share = countCachedReads(100, 50)
    assert.isAbove(share, 0.35)
    assert.isAtMost(share, 0.5)
    assert.isAbove(countCachedReads(100, 80), 0.6)
  })
})

describe("makeSingleFlight", () => {
  it.effect("runs concurrent requests once, and does not fail if one caller is interrupted", () =>
    Effect.gen(function*() {
      const fly = makeSingleFlight<number, string>()
      const startSignal = yield* Deferred.make<void>()
      let runs = 0
      const work = Effect.suspend(() => {
        runs++
        return Effect.as(Deferred.await(startSignal), runs)
      })
      const callers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(fly("a", work)))
      const other = yield* Effect.forkChild(fly("b", work))
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      yield* Fiber.interrupt(callers[0]!)
      yield* Deferred.succeed(startSignal, undefined)
      assert.deepStrictEqual([yield* Fiber.join(callers[1]!), yield* Fiber.join(callers[2]!)], [1, 1])
      assert.strictEqual(yield* Fiber.join(other), 2)
      assert.strictEqual(yield* fly("a", work), 3)
    }))

  it.effect("interrupts the work after the last caller leaves, and returns a failure to every caller", () =>
    Effect.gen(function*() {
      const fly = makeSingleFlight<string, string>()
      const hasStarted = yield* Deferred.make<void>()
      const hasEnded = yield* Deferred.make<void>()
      const endless = Effect.onInterrupt(
        Effect.andThen(Deferred.succeed(hasStarted, undefined), Effect.never),
        () => Deferred.succeed(hasEnded, undefined)
      )
      const callers = yield* Effect.forEach([1, 2], () => Effect.forkChild(fly("a", endless)))
      yield* Deferred.await(hasStarted)
      yield* Fiber.interruptAll(callers)
      yield* Deferred.await(hasEnded)
      assert.strictEqual(yield* fly("a", Effect.succeed("anew")), "anew")
      const failures = yield* Effect.forEach([1, 2], () => Effect.exit(fly("b", Effect.fail("no"))), {
        concurrency: "unbounded"
      })
      assert.isTrue(failures.every(Exit.isFailure))
    }))
})

it("makes distinct digests of distinct revisions", () => {
  const names = new Set(Array.from({ length: 20_000 }, (_, i) => makeDigest([`r${i}`, null])))
  assert.strictEqual(names.size, 20_000)
  assert.isTrue([...names].every((name) => /^[0-9a-f]{32}$/u.test(name)))
  assert.notStrictEqual(makeDigest(["a", "b"]), makeDigest(["b", "a"]))
  assert.notStrictEqual(makeDigest([null]), makeDigest(["null"]))
})
