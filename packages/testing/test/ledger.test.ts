import { assert, describe, it } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/access"
import { Failpoints, Ledger, LedgerStore, type Reservation } from "@tapeline/core/credits"
import { StoreUnavailable } from "@tapeline/core/store"
import { MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { Deferred, Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"

const stores = Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore).pipe(Layer.provide(MemoryState.layer))
const ledgerOn = <E>(layer: Layer.Layer<KeyStore | LedgerStore, E>) => Ledger.layer.pipe(Layer.provideMerge(layer))

const ask = { key: 1, tool: "get_price", credits: 3, ttlMs: 1_000, idempotency: null }

const newAccount = Effect.gen(function*() {
  const store = yield* LedgerStore
  const keys = yield* KeyStore
  yield* store.definePlans({ ten: 10 }, "1970-01")
  return (yield* keys.createAccount({ name: "a", plan: "ten", now: 0 })).id
})

const reserve = (account: number) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const admission = yield* ledger.reserve({ ...ask, account })
    assert(admission._tag === "Admitted")
    return admission.reservation
  })

const reservedOf = (account: number) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.books(account), (books) => books?.reserved))

describe("Ledger", () => {
  it.effect("reserves, settles and releases by the clock of the node", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const account = yield* newAccount
      const first = yield* reserve(account)
      const second = yield* reserve(account)
      assert.deepStrictEqual(yield* ledger.settle(first, null), { _tag: "Ended", creditsLeft: 4 })
      assert.deepStrictEqual(yield* ledger.release(second), { _tag: "Ended", creditsLeft: 7 })
      const third = yield* reserve(account)
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* ledger.settle(third, null))._tag, "AlreadyEnded")
      assert.isTrue(yield* ledger.changePlan(account, "none"))
      assert.strictEqual((yield* ledger.books(account))?.allotted, 0)
    }).pipe(Effect.provide(ledgerOn(stores))))

  it.effect("gives back what was admitted for a caller that left while it waited", () => {
    const gate = Latch.makeUnsafe(false)
    const reached = Deferred.makeUnsafe<void>()
    const released = Deferred.makeUnsafe<void>()
    const hooks = Layer.succeed(Failpoints, (point) =>
      point === "before:reserve"
        ? Effect.andThen(Deferred.succeed(reached, undefined), gate.await)
        : point === "after:end"
        ? Effect.asVoid(Deferred.succeed(released, undefined))
        : Effect.void)
    return Effect.gen(function*() {
      const account = yield* newAccount
      const waiting = yield* Effect.forkChild(reserve(account))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(waiting)
      yield* gate.open
      yield* Deferred.await(released)
      assert.strictEqual(yield* reservedOf(account), 0)
    }).pipe(Effect.provide(ledgerOn(stores.pipe(Layer.provide(hooks)))))
  })

  it.effect("sweeps up what lapsed, batch after batch, and goes on after a failure", () => {
    let fail = false
    const hooks = Layer.succeed(Failpoints, (point) =>
      fail && point === "before:expire"
        ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("away") }))
        : Effect.void)
    const layer = Ledger.layerSweeper({ intervalMs: 500, batch: 2 }).pipe(
      Layer.provideMerge(ledgerOn(stores.pipe(Layer.provide(hooks))))
    )
    return Effect.gen(function*() {
      const account = yield* newAccount
      yield* Effect.all([reserve(account), reserve(account), reserve(account)])
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* reservedOf(account), 9)
      fail = true
      yield* TestClock.adjust(501)
      assert.strictEqual(yield* reservedOf(account), 9)
      fail = false
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* reservedOf(account), 0)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps the reservation of running work alive until it ends", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const account = yield* newAccount
      const reservation: Reservation = yield* reserve(account)
      const beating = yield* Effect.forkChild(ledger.keepAlive(reservation, 900))
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* ledger.settle(reservation, null))._tag, "Ended")
      yield* TestClock.adjust(300)
      yield* Fiber.join(beating)
    }).pipe(Effect.provide(ledgerOn(stores))))
})
