import { assert, describe, it } from "@effect/vitest"
import { Failpoints, KeyStore, Ledger, LedgerStore, type Reservation, StoreUnavailable } from "@tapeline/core/engine"
import { MemoryKeyStore, MemoryLedgerStore, MemoryState } from "@tapeline/testing"
import { Clock, Deferred, Effect, Exit, Fiber, Latch, Layer, Logger } from "effect"
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

const reserve = Effect.fnUntraced(function*(account: number) {
  const ledger = yield* Ledger
  const admission = yield* ledger.reserve({ ...ask, account })
  assert(admission._tag === "Admitted")
  return admission.reservation
})

const reservedOf = (account: number) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.balance(account), (books) => books?.reserved))

describe("Ledger", () => {
  it.effect("reserves, settles and releases by the node's clock", () =>
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
      assert.strictEqual((yield* ledger.balance(account))?.monthlyCredits, 0)
    }).pipe(Effect.provide(ledgerOn(stores))))

  it.effect("releases the reservation of a caller that was interrupted while waiting", () => {
    const latch = Latch.makeUnsafe(false)
    const isReached = Deferred.makeUnsafe<void>()
    const released = Deferred.makeUnsafe<void>()
    const failpoints = Layer.succeed(Failpoints, (point) =>
      point === "before:reserve"
        ? Effect.andThen(Deferred.succeed(isReached, undefined), latch.await)
        : point === "after:end"
        ? Effect.asVoid(Deferred.succeed(released, undefined))
        : Effect.void)
    return Effect.gen(function*() {
      const account = yield* newAccount
      const waiting = yield* Effect.forkChild(reserve(account))
      yield* Deferred.await(isReached)
      yield* Fiber.interrupt(waiting)
      yield* latch.open
      yield* Deferred.await(released)
      assert.strictEqual(yield* reservedOf(account), 0)
    }).pipe(Effect.provide(ledgerOn(stores.pipe(Layer.provide(failpoints)))))
  })

  it.effect("sweeps expired reservations in batches, and continues after a failure", () => {
    let fail = false
    const failpoints = Layer.succeed(Failpoints, (point) =>
      fail && point === "before:expire"
        ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("away") }))
        : Effect.void)
    const layer = Ledger.layerSweeper({ intervalMs: 500, batchSize: 2 }).pipe(
      Layer.provideMerge(ledgerOn(stores.pipe(Layer.provide(failpoints))))
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

  it.effect("deletes reservations before the retained months, and rejects too short a retention", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const { entries } = yield* MemoryState
      const account = yield* newAccount
      yield* ledger.settle(yield* reserve(account), null)
      const sweep = Effect.scoped(
        Effect.andThen(Layer.build(Ledger.layerSweeper({ retentionMonths: 2 })), TestClock.adjust("1 second"))
      )
      yield* TestClock.setTime(Date.UTC(1970, 1, 28))
      yield* sweep
      assert.strictEqual(entries.size, 1)
      yield* TestClock.setTime(Date.UTC(1970, 2, 1))
      yield* sweep
      assert.strictEqual(entries.size, 0)
      assert.strictEqual((yield* ledger.balance(account, "1970-01"))?.used, 3)
      for (const retentionMonths of [1, 0, -1, 2.5, Number.NaN]) {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(Ledger.layerSweeper({ retentionMonths }))))
        assert.isTrue(Exit.hasDies(exit), String(retentionMonths))
      }
    }).pipe(Effect.provide(Ledger.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore)),
      Layer.provideMerge(MemoryState.layer)
    ))))

  it.effect("logs one warning at start if the node's clock is ahead of or behind the store's", () => {
    const logLines: Array<string> = []
    const log = Logger.layer([
      Logger.make(({ logLevel, message }) => void logLines.push(`${logLevel} ${String(message)}`))
    ])
    const startOn = Effect.fnUntraced(function*(time: LedgerStore["Service"]["time"]) {
      const store = yield* LedgerStore
      yield* Effect.scoped(Effect.andThen(
        Layer.build(Ledger.layer.pipe(Layer.provide(Layer.succeed(LedgerStore, { ...store, time })))),
        TestClock.adjust("10 seconds")
      ))
      return logLines.splice(0)
    })
    const hour = 3_600_000
    return Effect.gen(function*() {
      yield* TestClock.setTime(1_000 * hour)
      const now = Clock.currentTimeMillis
      assert.deepStrictEqual(yield* startOn(now), [])
      assert.deepStrictEqual(yield* startOn(Effect.map(now, (time) => time - 1_900)), [])
      const [logEntry, ...otherEntries] = yield* startOn(Effect.map(now, (time) => time - 2 * hour))
      assert.include(logEntry, "Warn This node's clock is 7200000 ms ahead of the database's")
      assert.deepStrictEqual(otherEntries, [])
      assert.include((yield* startOn(Effect.map(now, (time) => time + 288 * hour)))[0], "1036800000 ms behind")
      let isUnavailable = true
      const failFirstRead = Effect.suspend(() => {
        if (!isUnavailable) return Effect.map(now, (time) => time - 2 * hour)
        isUnavailable = false
        return Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("away") }))
      })
      assert.strictEqual((yield* startOn(failFirstRead)).length, 1)
    }).pipe(Effect.provide(Layer.merge(stores, log)))
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

  it.effect("retries an end whose response was lost, and fails in time if the store stays unavailable", () => {
    let lostResponses = 0
    const unavailableError = new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") })
    const failpoints = Layer.succeed(
      Failpoints,
      (point) => point === "after:end" && lostResponses-- > 0 ? Effect.fail(unavailableError) : Effect.void
    )
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      const account = yield* newAccount
      const first = yield* reserve(account)
      lostResponses = 1
      const settled = yield* Effect.forkChild(ledger.settle(first, "paid"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* Fiber.join(settled), { _tag: "Ended", creditsLeft: 7 })
      assert.strictEqual((yield* ledger.balance(account))?.used, 3)
      const second = yield* reserve(account)
      lostResponses = Infinity
      const pendingFailure = yield* Effect.forkChild(Effect.flip(ledger.settle(second, null)))
      yield* TestClock.adjust("11 seconds")
      assert.strictEqual((yield* Fiber.join(pendingFailure))._tag, "StoreUnavailable")
    }).pipe(Effect.provide(ledgerOn(stores.pipe(Layer.provide(failpoints)))))
  })

  it.effect("a locked month delays only its own account", () =>
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const { lockedMonths } = yield* MemoryState
      const [blockedAccount, free] = [yield* newAccount, yield* newAccount]
      const before = yield* reserve(blockedAccount)
      lockedMonths.add(`${blockedAccount}/${before.month}`)
      const waiting = yield* Effect.forkChild(
        Effect.all([reserve(blockedAccount), reserve(blockedAccount), ledger.release(before)], {
          concurrency: "unbounded"
        })
      )
      const neighbour = yield* reserve(free)
      assert.strictEqual((yield* ledger.settle(neighbour, null))._tag, "Ended")
      yield* TestClock.adjust(500)
      assert.isUndefined(waiting.pollUnsafe())
      lockedMonths.clear()
      yield* TestClock.adjust(500)
      const [first, second, released] = yield* Fiber.join(waiting)
      assert.notStrictEqual(first.entry, second.entry)
      assert.strictEqual(released._tag, "Ended")
      assert.strictEqual(yield* reservedOf(blockedAccount), 6)

      lockedMonths.add(`${blockedAccount}/${before.month}`)
      const pendingFailures = yield* Effect.forkChild(
        Effect.all([Effect.flip(reserve(blockedAccount)), Effect.flip(ledger.settle(first, null))], {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(pendingFailures.pollUnsafe())
      assert.deepStrictEqual((yield* Fiber.join(pendingFailures)).map(({ _tag }) => _tag), [
        "StoreUnavailable",
        "StoreUnavailable"
      ])
    }).pipe(Effect.provide(Ledger.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(MemoryKeyStore, MemoryLedgerStore)),
      Layer.provideMerge(MemoryState.layer)
    ))))
})
