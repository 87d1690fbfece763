import { assert, type Vitest } from "@effect/vitest"
import { type MarketStore, MarketStoreRefusal, Superseded } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { leadOf, newName, on, rates, readRates, writeRates } from "./fixtures.ts"

type Advance<R> = (ms: number) => Effect.Effect<void, unknown, R>

const ask = (source: string, holder: string, ttlMs = 60_000) => on((store) => store.lead({ source, holder, ttlMs }))

export const leasing = <R>(it: Vitest.MethodsNonLive<MarketStore | R>, advance: Advance<R>): void => {
  it.effect("one leads a source until its time is over, and renews it under the same epoch", () =>
    Effect.gen(function*() {
      const [source, other] = [newName("s"), newName("s")]
      const first = yield* leadOf(source, "a", 10_000)
      const follows = yield* ask(source, "b", 10_000)
      assert(follows._tag === "Follows")
      assert.strictEqual(follows.holder, "a")
      assert.isAbove(follows.leftMs, 0)
      assert.isAtMost(follows.leftMs, 10_000)
      yield* leadOf(other, "b")
      yield* advance(6_000)
      assert.deepStrictEqual(yield* leadOf(source, "a", 10_000), first)
      yield* advance(6_000)
      assert.strictEqual((yield* ask(source, "b"))._tag, "Follows")
      yield* advance(6_000)
      // No other holder led meanwhile.
      assert.deepStrictEqual(yield* leadOf(source, "a", 10_000), first)
      yield* advance(12_000)
      const second = yield* leadOf(source, "b")
      assert.isAbove(second.epoch, first.epoch)
      assert.strictEqual((yield* ask(source, "a"))._tag, "Follows")
    }))

  it.effect("of many that ask at once one leads", () =>
    Effect.gen(function*() {
      const source = newName("s")
      const leads = yield* Effect.all(["a", "b", "c", "d"].map((holder) => ask(source, holder)), {
        concurrency: "unbounded"
      })
      assert.lengthOf(leads.filter(({ _tag }) => _tag === "Leads"), 1)
    }))

  it.effect("a lead that is given up is another's at once, and only its holder gives it up", () =>
    Effect.gen(function*() {
      const source = newName("s")
      const first = yield* leadOf(source, "a")
      yield* on((store) => store.resign({ ...first, epoch: first.epoch + 1 }))
      assert.strictEqual((yield* ask(source, "b"))._tag, "Follows")
      yield* on((store) => store.resign(first))
      const second = yield* leadOf(source, "b")
      assert.isAbove(second.epoch, first.epoch)
      yield* on((store) => store.resign(first))
      assert.strictEqual((yield* ask(source, "a"))._tag, "Follows")
    }))
}

export const fencing = <R>(it: Vitest.MethodsNonLive<MarketStore | R>, advance: Advance<R>): void => {
  it.effect("who was superseded writes nothing, also of another source's lead; who was not, does", () =>
    Effect.gen(function*() {
      const [source, subject] = [newName("s"), newName()]
      const stale = yield* leadOf(source, "a", 1_000)
      yield* advance(5_000)
      // The lease has expired, but no other holder has taken the lead.
      yield* writeRates(stale, subject, rates([1]))
      const fresh = yield* leadOf(source, "b")
      const refused = yield* Effect.flip(writeRates(stale, subject, rates([2])))
      assert.instanceOf(refused, Superseded)
      assert.strictEqual(refused.source, source)
      assert.instanceOf(
        yield* Effect.flip(writeRates({ ...fresh, source: newName("s") }, subject, rates([2]))),
        Superseded
      )
      yield* writeRates(fresh, subject, rates([3]))
      assert.deepStrictEqual((yield* readRates(subject)).map(([i]) => i), [1, 3])
    }))

  it.effect("a lease without an end, and names that are none, are refused", () =>
    Effect.gen(function*() {
      for (const ttlMs of [0, -1, Number.NaN, Infinity, 1e9]) {
        assert.instanceOf(yield* Effect.flip(ask(newName("s"), "a", ttlMs)), MarketStoreRefusal)
      }
      assert.instanceOf(yield* Effect.flip(ask("two words", "a")), MarketStoreRefusal)
      assert.instanceOf(yield* Effect.flip(ask(newName("s"), "a\0b")), MarketStoreRefusal)
    }))
}
