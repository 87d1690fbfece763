import { assert, type Vitest } from "@effect/vitest"
import { type MarketStore, MarketStoreRefusal, Superseded } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { makeName, makeRates, readRates, takeLead, useStore, writeRates } from "./fixtures.ts"

type Advance<R> = (ms: number) => Effect.Effect<void, unknown, R>

const acquireLead = (source: string, holder: string, ttlMs = 60_000) =>
  useStore((store) => store.acquireLeadership({ source, holder, ttlMs }))

export const testLeases = <R>(it: Vitest.MethodsNonLive<MarketStore | R>, advance: Advance<R>): void => {
  it.effect("gives a source one leader until the lease expires, and keeps the epoch on renewal", () =>
    Effect.gen(function*() {
      const [source, other] = [makeName("s"), makeName("s")]
      const first = yield* takeLead(source, "a", 10_000)
      const rejectedLead = yield* acquireLead(source, "b", 10_000)
      assert(rejectedLead._tag === "Follows")
      assert.strictEqual(rejectedLead.holder, "a")
      assert.isAbove(rejectedLead.remainingMs, 0)
      assert.isAtMost(rejectedLead.remainingMs, 10_000)
      yield* takeLead(other, "b")
      yield* advance(6_000)
      assert.deepStrictEqual(yield* takeLead(source, "a", 10_000), first)
      yield* advance(6_000)
      assert.strictEqual((yield* acquireLead(source, "b"))._tag, "Follows")
      yield* advance(6_000)
      assert.deepStrictEqual(yield* takeLead(source, "a", 10_000), first)
      yield* advance(12_000)
      const second = yield* takeLead(source, "b")
      assert.isAbove(second.epoch, first.epoch)
      assert.strictEqual((yield* acquireLead(source, "a"))._tag, "Follows")
    }))

  it.effect("elects one leader under concurrent requests", () =>
    Effect.gen(function*() {
      const source = makeName("s")
      const results = yield* Effect.all(["a", "b", "c", "d"].map((holder) => acquireLead(source, holder)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(results.filter(({ _tag }) => _tag === "Leads"), 1)
    }))

  it.effect("releases leadership at once when its holder resigns, and ignores other resignations", () =>
    Effect.gen(function*() {
      const source = makeName("s")
      const first = yield* takeLead(source, "a")
      yield* useStore((store) => store.resignLeadership({ ...first, epoch: first.epoch + 1 }))
      assert.strictEqual((yield* acquireLead(source, "b"))._tag, "Follows")
      yield* useStore((store) => store.resignLeadership(first))
      const second = yield* takeLead(source, "b")
      assert.isAbove(second.epoch, first.epoch)
      yield* useStore((store) => store.resignLeadership(first))
      assert.strictEqual((yield* acquireLead(source, "a"))._tag, "Follows")
    }))
}

export const testFences = <R>(it: Vitest.MethodsNonLive<MarketStore | R>, advance: Advance<R>): void => {
  it.effect("rejects writes of a superseded leader and under another source's fence", () =>
    Effect.gen(function*() {
      const [source, subject] = [makeName("s"), makeName()]
      const staleFence = yield* takeLead(source, "a", 1_000)
      yield* advance(5_000)
      // The lease has expired, but no other holder has taken the leadership yet.
      yield* writeRates(staleFence, subject, makeRates([1]))
      const currentFence = yield* takeLead(source, "b")
      const error = yield* Effect.flip(writeRates(staleFence, subject, makeRates([2])))
      assert.instanceOf(error, Superseded)
      assert.strictEqual(error.source, source)
      assert.instanceOf(
        yield* Effect.flip(writeRates({ ...currentFence, source: makeName("s") }, subject, makeRates([2]))),
        Superseded
      )
      yield* writeRates(currentFence, subject, makeRates([3]))
      assert.deepStrictEqual((yield* readRates(subject)).map(([i]) => i), [1, 3])
    }))

  it.effect("rejects a lease without a valid duration, and invalid names", () =>
    Effect.gen(function*() {
      for (const ttlMs of [0, -1, Number.NaN, Infinity, 1e9]) {
        assert.instanceOf(yield* Effect.flip(acquireLead(makeName("s"), "a", ttlMs)), MarketStoreRefusal)
      }
      assert.instanceOf(yield* Effect.flip(acquireLead("two words", "a")), MarketStoreRefusal)
      assert.instanceOf(yield* Effect.flip(acquireLead(makeName("s"), "a\0b")), MarketStoreRefusal)
    }))
}
