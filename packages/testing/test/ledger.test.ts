import { assert, describe, it } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/access"
import { Failpoints, Ledger, LedgerStore, type Reservation } from "@tapeline/core/credits"
import { StoreUnavailable } from "@tapeline/core/store"
import { MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { Deferred, Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"

const stores = Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore).pipe(Layer.provide(MemoryState.layer))
const ledgerOn = <E>(layer: Layer.Layer<KeyStore | LedgerStore, E>) => Ledger.layer.pipe(Layer.provideMerge(layer))

const ask = { actor: { _tag: "Key", key: 1 }, tool: "get_price", credits: 3, ttlMs: 1_000, idempotency: null } as const

const newAccount = Effect.gen(function*() {
  const store = yield* LedgerStore
  const keys = yield* KeyStore
  yield* store.definePlans({ ten: 10 })
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

  it.effect("an end whose answer was lost counts as made; a store that stays away ends in doubt, within its time", () => {
    let lost = 0
    const away = new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") })
    const hooks = Layer.succeed(
      Failpoints,
      (point) => point === "after:end" && lost-- > 0 ? Effect.fail(away) : Effect.void
    )
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      const account = yield* newAccount
      const first = yield* reserve(account)
      lost = 1
      const settled = yield* Effect.forkChild(ledger.settle(first, "paid"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(settled), { _tag: "Ended", creditsLeft: 7 })
      assert.strictEqual((yield* ledger.books(account))?.used, 3)
      const second = yield* reserve(account)
      lost = Infinity
      const doubtful = yield* Effect.forkChild(Effect.flip(ledger.settle(second, null)))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(doubtful))._tag, "StoreUnavailable")
    }).pipe(Effect.provide(ledgerOn(stores.pipe(Layer.provide(hooks)))))
  })

  it.effect("a month that somebody holds keeps its own account waiting, and nobody else", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const { held } = yield* MemoryState
      const [stuck, free] = [yield* newAccount, yield* newAccount]
      const before = yield* reserve(stuck)
      held.add(`${stuck}/${before.month}`)
      const waiting = yield* Effect.forkChild(Effect.all([reserve(stuck), reserve(stuck), ledger.release(before)], {
        concurrency: "unbounded"
      }))
      const neighbour = yield* reserve(free)
      assert.strictEqual((yield* ledger.settle(neighbour, null))._tag, "Ended")
      yield* TestClock.adjust(500)
      assert.isUndefined(waiting.pollUnsafe())
      held.clear()
      yield* TestClock.adjust(500)
      const [first, second, released] = yield* Fiber.join(waiting)
      assert.notStrictEqual(first.entry, second.entry)
      assert.strictEqual(released._tag, "Ended")
      assert.strictEqual(yield* reservedOf(stuck), 6)

      held.add(`${stuck}/${before.month}`)
      const given = yield* Effect.forkChild(Effect.flip(reserve(stuck)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(given))._tag, "StoreUnavailable")
    }).pipe(Effect.provide(Ledger.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore)),
      Layer.provideMerge(MemoryState.layer)
    ))))
})
