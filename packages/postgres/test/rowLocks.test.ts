import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import {
  type Idempotency,
  KeyStore,
  Ledger,
  LedgerStore,
  RateLimitStore,
  type Reservation,
  type ReserveRequest
} from "@tapeline/core/engine"
import { JournalStore } from "@tapeline/core/personal"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Effect, Fiber, Layer } from "effect"
import {
  makeMigratedClient,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld,
  withStores
} from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"

const ask = (account: number, idempotency: Idempotency | null = null): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: 60_000,
  idempotency
})

const neighbours = Effect.gen(function*() {
  const { url } = yield* makeMigratedDatabase
  const node = yield* Layer.build(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url)))))
  const other = Context.get(yield* Layer.build(Layer.fresh(makeMigratedClient(url))), PgClient.PgClient)
  const store = Context.get(node, LedgerStore)
  yield* store.definePlans({ held: 1_000 })
  const account = Effect.map(
    Context.get(node, KeyStore).createAccount({ name: "held", plan: "held", now: 0 }),
    ({ id }) => id
  )
  const ledger = Context.get(node, Ledger)
  const reserve = (account: number, idempotency: Idempotency | null = null): Effect.Effect<Reservation, unknown> =>
    Effect.map(ledger.reserve(ask(account, idempotency)), (answer) => {
      assert(answer._tag === "Admitted", answer._tag)
      return answer.reservation
    })
  return { node, other, store, ledger, reserve, blockedAccount: yield* account, free: yield* account }
})

const fiveTimes = Array.from({ length: 5 })
const key: Idempotency = { key: "k", fingerprint: "f", retentionMs: 60_000 }

/** The tables in which a row of the account is locked, and the idempotency key of a call that needs the row. */
const lockedTables = [
  ["credit_usage_days", null],
  ["credit_reservations", null],
  ["credit_idempotency", key]
] as const

describe("a ledger row that another session holds", () => {
  for (const [table, idempotency] of lockedTables) {
    it.live(`delays only its own account in ${table}`, () =>
      Effect.gen(function*() {
        const { free, ledger, other, reserve, blockedAccount } = yield* neighbours
        yield* ledger.settle(yield* reserve(blockedAccount), null)
        const running = yield* reserve(blockedAccount, idempotency)
        const waits = yield* withLockHeld(other, `select 1 from ${table} where account = $1 for update`, [
          blockedAccount
        ])(
          Effect.gen(function*() {
            // The waiting settlement is in one batch with a settlement of the other account.
            const ownReservation = yield* reserve(free)
            const waits = yield* Effect.forkChild(ledger.settle(running, "yes"))
            assert.strictEqual((yield* ledger.settle(ownReservation, null))._tag, "Ended")
            for (const _ of fiveTimes) {
              const reservations = yield* Effect.all(fiveTimes.map(() => reserve(free)), { concurrency: "unbounded" })
              yield* Effect.forEach(reservations, (one) => ledger.settle(one, null), { concurrency: "unbounded" })
            }
            assert.isUndefined(waits.pollUnsafe())
            return waits
          })
        )
        assert.strictEqual((yield* Fiber.join(waits))._tag, "Ended")
        const rows = yield* readLedgerRows(other, [blockedAccount, free])
        assert.deepStrictEqual(findRuleViolations(rows), [])
        assert.isTrue(
          rows.months.every(({ account, reserved, used }) =>
            reserved === 0 && used === (account === blockedAccount ? 2 : 26)
          )
        )
      }))
  }
})

describe("a row that another session holds", () => {
  it.live("delays the call that uses its idempotency key, and no other account", () =>
    Effect.gen(function*() {
      const { free, ledger, other, reserve, blockedAccount } = yield* neighbours
      yield* ledger.release(yield* reserve(blockedAccount, key))
      yield* reserve(free)
      const waits = yield* withLockHeld(other, "select 1 from credit_idempotency where account = $1 for update", [
        blockedAccount
      ])(
        Effect.gen(function*() {
          const waits = yield* Effect.forkChild(reserve(blockedAccount, key))
          for (const _ of fiveTimes) yield* reserve(free)
          assert.isUndefined(waits.pollUnsafe())
          return waits
        })
      )
      assert.strictEqual((yield* Fiber.join(waits)).account, blockedAccount)
    }))

  it.live("is skipped by a sweep, which releases other accounts' reservations", () =>
    Effect.gen(function*() {
      const { free, ledger, other, reserve, store, blockedAccount } = yield* neighbours
      yield* ledger.settle(yield* reserve(blockedAccount), null)
      const later = { at: (yield* reserve(blockedAccount)).expiresAt + 60_000 }
      for (const table of ["credit_usage_days", "credit_reservations"]) {
        yield* reserve(free)
        const holdRows = withLockHeld(other, `select 1 from ${table} where account = $1 for update`, [blockedAccount])
        assert.strictEqual(yield* holdRows(store.expire(100, later)), 1)
      }
      assert.strictEqual(yield* store.expire(100, later), 1)
      assert.deepStrictEqual(findRuleViolations(yield* readLedgerRows(other, [blockedAccount, free])), [])
    }))
})

describe("windows and months", () => {
  it.live("delay only their own account while another session holds its rate-limit window", () =>
    Effect.gen(function*() {
      const { free, node, other, blockedAccount } = yield* neighbours
      const windows = Context.get(node, RateLimitStore)
      const take = (account: number) => windows.take({ account, limit: 60, windowMs: 600_000 })
      yield* take(blockedAccount)
      const waits = yield* withLockHeld(other, "select 1 from request_windows where account = $1 for update", [
        blockedAccount
      ])(
        Effect.gen(function*() {
          // The waiting request and the other account's first request are in one batch. The first request starts a
          // window.
          const waits = yield* Effect.forkChild(take(blockedAccount))
          assert.strictEqual((yield* take(free)).remaining, 59)
          for (const _ of fiveTimes) yield* Effect.all(fiveTimes.map(() => take(free)), { concurrency: "unbounded" })
          assert.isUndefined(waits.pollUnsafe())
          return waits
        })
      )
      assert.isTrue((yield* Fiber.join(waits)).isAllowed)
      assert.strictEqual((yield* take(free)).remaining, 33)
    }))

  it.live("replay a concurrent settlement to a call that reuses its key in the next month", () =>
    Effect.gen(function*() {
      const { other, store, blockedAccount } = yield* neighbours
      const inMay = { at: Date.UTC(2031, 4, 31, 23, 59, 0) }
      const inJune = { at: Date.UTC(2031, 5, 1, 0, 1), waitMs: 5_000 }
      const [admission] = yield* store.reserve([ask(blockedAccount, { ...key, retentionMs: 86_400_000 })], inMay)
      assert(admission?._tag === "Admitted")
      const inTime = admission.reservation.expiresAt - 1
      // The settlement is sent in time, but is not committed when the reservation expires.
      const text =
        `select * from credit_end_2(array[$1::bigint], '{203105}', array[$2::bigint], '{1}', '{t}', '{paid}', null, $3::bigint)`
      const taking = yield* withLockHeld(other, text, [blockedAccount, admission.reservation.entry, inTime])(
        Effect.gen(function*() {
          const taking = yield* Effect.forkChild(
            store.reserve([ask(blockedAccount, { ...key, retentionMs: 86_400_000 })], inJune)
          )
          yield* waitForLockWaiters(other, 1)
          return taking
        })
      )
      assert.deepStrictEqual(yield* Fiber.join(taking), [{
        _tag: "Replayed",
        response: "paid",
        call: { month: "2031-05", entry: admission.reservation.entry }
      }])
    }))
})

describe("a key that makes a change", () => {
  it.live("is revoked only after the change is committed", () =>
    Effect.gen(function*() {
      const { node, other, blockedAccount } = yield* neighbours
      const [keys, journal] = [Context.get(node, KeyStore), yield* Effect.provideContext(JournalStore, node)]
      const keyFields = {
        account: blockedAccount,
        name: "k",
        prefix: "tl_live_abcd",
        hash: "f".repeat(64),
        expiresAt: null
      }
      const scopes = ["write:personal"] as const
      const { id } = yield* keys.createKey({ ...keyFields, scopes, limit: 1, now: null })
      const write = (call: string) =>
        journal.write(blockedAccount, call, { _tag: "Watch", add: ["BTC"], remove: [] }, { _tag: "Key", key: id })
      yield* write("earlier")
      // The change has already checked the key, and waits until it can store its response.
      const text = "insert into journal_writes (account, call, answer, written_at) values ($1, 'c', '', 0)"
      const [writing, revoking] = yield* withLockHeld(other, text, [blockedAccount])(
        Effect.gen(function*() {
          const writing = yield* Effect.forkChild(write("c"))
          yield* waitForLockWaiters(other, 1)
          const revoking = yield* Effect.forkChild(keys.revokeKey(id, null))
          const first = yield* Effect.raceFirst(
            Effect.as(waitForLockWaiters(other, 2), "waits"),
            Effect.as(Fiber.join(revoking), "revoked")
          )
          assert.strictEqual(first, "waits")
          return [writing, revoking] as const
        })
      )
      assert.strictEqual((yield* Fiber.join(writing))._tag, "Watchlist")
      assert.isNotNull((yield* Fiber.join(revoking)).revokedAt)
      assert.strictEqual((yield* Effect.flip(write("later")))._tag, "ActorEnded")
    }))
})
