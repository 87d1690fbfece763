import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "@tapeline/core"
import { Effect } from "effect"
import * as fc from "fast-check"
import { BoundedCache } from "../../src/signals/BoundedCache.ts"
import { readByHour } from "../../src/signals/byHour.ts"

describe("BoundedCache", () => {
  it("forgets the least recently used first and never holds more than it may", () => {
    const cache = new BoundedCache<number>(2)
    cache.set("a", 1)
    cache.set("b", 2)
    assert.strictEqual(cache.get("a"), 1)
    cache.set("c", 3)
    assert.strictEqual(cache.size, 2)
    assert.isUndefined(cache.get("b"))
    assert.strictEqual(cache.get("a"), 1)
    assert.strictEqual(cache.get("c"), 3)
  })
})

describe("readByHour", () => {
  const hour = fc.integer({ min: 0, max: 120 })
  const question = fc.tuple(fc.constantFrom("x", "y"), hour, hour).map(([series, a, b]) =>
    [series, Math.min(a, b) * hourMs, Math.max(a, b) * hourMs] as const
  )

  it("answers the same whatever was asked before, in whatever memory, with gaps and hours that are not whole", () => {
    fc.assert(
      fc.property(fc.array(question, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (questions, capacity) => {
        let computed = 0
        const values = (series: string, from: number, to: number) => {
          const found = []
          for (let time = from + hourMs; time <= to; time += hourMs) {
            if ((time / hourMs) % 11 !== 0) found.push({ time, of: `${series}${time}` })
          }
          return found
        }
        const read = readByHour(capacity, (series, from, to) =>
          Effect.sync(() => {
            computed++
            const hours = values(series, from, to).map((value) => ({ value, whole: (value.time / hourMs) % 7 !== 0 }))
            return { hours, sources: [series] }
          }))
        for (const [series, from, to] of questions) {
          const { sources, value } = Effect.runSync(read(series, from, to))
          assert.deepStrictEqual(value, values(series, from, to))
          if (from < to) assert.deepStrictEqual(sources, [series])
        }
        assert.isAtMost(computed, questions.length)
      })
    )
  })

  it("computes what it has not, and nothing twice", () => {
    const asked: Array<readonly [number, number]> = []
    const read = readByHour(4, (_, from, to) =>
      Effect.sync(() => {
        asked.push([from / hourMs, to / hourMs])
        const hours = Array.from({ length: (to - from) / hourMs }, (_, i) => ({
          value: { time: from + (i + 1) * hourMs },
          whole: true
        }))
        return { hours, sources: [] }
      }))
    for (const [from, to] of [[10, 30], [12, 28], [28, 33], [8, 33]] as const) {
      assert.strictEqual(Effect.runSync(read("x", from * hourMs, to * hourMs)).value.length, to - from)
    }
    assert.deepStrictEqual(asked, [[10, 30], [30, 33], [8, 10]])
  })
})
