import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type Admission, KeyStore, Ledger, LedgerStore, RateLimitStore } from "@tapeline/core/engine"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Effect, Layer, Queue, Stream } from "effect"
import { makeMigratedClient, makeMigratedDatabase, withStores } from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"

const twoNodes = Effect.gen(function*() {
  const { url } = yield* makeMigratedDatabase
  const node = () =>
    Layer.build(Layer.fresh(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url))))))
  return [yield* node(), yield* node()] as const
})

type Node = Effect.Success<typeof twoNodes>[number]

const ledgerOf = (node: Node) => Context.get(node, Ledger)
const storeOf = (node: Node) => Context.get(node, LedgerStore)

const accountWith = Effect.fnUntraced(function*(node: Node, credits: number) {
  yield* storeOf(node).definePlans({ [`race-${credits}`]: credits })
  return (yield* Context.get(node, KeyStore).createAccount({ name: "race", plan: `race-${credits}`, now: 0 })).id
})

const ask = (account: number, key = 1) => ({
  account,
  actor: { _tag: "Key", key } as const,
  tool: "get_price",
  credits: 1,
  ttlMs: 60_000,
  idempotency: null
})

const getCreditsLeft = (answers: ReadonlyArray<Admission>) =>
  answers.flatMap((answer) => answer._tag === "Admitted" ? [answer.creditsLeft] : []).toSorted((a, b) => a - b)

const audit = (node: Node, accounts: ReadonlyArray<number>) =>
  Effect.map(readLedgerRows(Context.get(node, PgClient.PgClient), accounts), (rows) => {
    assert.deepStrictEqual(findRuleViolations(rows), [])
    return rows
  })

describe("races over two clients", () => {
  it.live("admit 7 of 200 calls over two keys with 7 credits, each with a different balance", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const account = yield* accountWith(nodes[0], 7)
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, i) => i),
        (i) => ledgerOf(nodes[i % 2]!).reserve(ask(account, 1 + (i % 2))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(getCreditsLeft(answers), [0, 1, 2, 3, 4, 5, 6])
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Refused").length, 193)
      yield* audit(nodes[0], [account])
    }))

  it.live("charge and reserve exactly the credits of an account, and each idempotency key once", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const account = yield* accountWith(nodes[0], 50)
      const paid: Array<string | null> = []
      yield* Effect.forEach(Array.from({ length: 200 }, (_, i) => i), (i) =>
        Effect.gen(function*() {
          const ledger = ledgerOf(nodes[i % 2]!)
          const idempotency = i % 5 === 0 ? null : { key: `${i % 20}`, fingerprint: "f", retentionMs: 60_000 }
          const call = { ...ask(account), idempotency }
          if (i % 3 === 0) {
            const admission = yield* ledger.reserve(call)
            if (admission._tag !== "Admitted") return
            yield* ledger.settle(admission.reservation, "{}")
          } else {
            const result = yield* ledger.charge({ ...call, id: yield* ledger.takeCallId, response: "{\"data\":1}" })
            if (result._tag !== "Charged") return
          }
          paid.push(idempotency?.key ?? null)
        }), { concurrency: "unbounded", discard: true })
      const keys = paid.filter((key) => key !== null)
      assert.sameMembers(keys, [...new Set(keys)])
      assert.strictEqual(paid.length, 50)
      assert.strictEqual((yield* ledgerOf(nodes[0]).balance(account))?.used, 50)
      yield* audit(nodes[0], [account])
    }))

  it.live("give the last credit of an account to one call", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      for (let round = 0; round < 20; round++) {
        const account = yield* accountWith(nodes[0], 1)
        const answers = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i),
          (i) => ledgerOf(nodes[i % 2]!).reserve(ask(account)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(getCreditsLeft(answers), [0])
      }
    }))

  it.live("cause no deadlocks between batches of many accounts, and keep their balances right", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const accounts = yield* Effect.forEach(Array.from({ length: 30 }), () => accountWith(nodes[0], 60))
      const call = Effect.fnUntraced(function*(i: number) {
        const ledger = ledgerOf(nodes[i % 2]!)
        const answer = yield* ledger.reserve(ask(accounts[(i * 7_919) % accounts.length]!))
        if (answer._tag !== "Admitted") return 0
        if (i % 3 > 0) return yield* Effect.as(ledger.settle(answer.reservation, null), 1)
        return yield* Effect.as(ledger.release(answer.reservation), 0)
      })
      const charged = yield* Effect.forEach(Array.from({ length: 3_000 }, (_, i) => i), call, { concurrency: 200 })
      const rows = yield* audit(nodes[1], accounts)
      const usedCredits = rows.months.reduce((sum, row) => sum + row.used, 0)
      assert.strictEqual(usedCredits, charged.reduce((sum, one) => sum + one, 0))
      assert.isTrue(rows.months.every(({ reserved }) => reserved === 0))
    }))

  it.live("charge one idempotency key once", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const account = yield* accountWith(nodes[0], 60)
      const idempotency = { key: "same", fingerprint: "f", retentionMs: 60_000 }
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, i) => i),
        (i) => ledgerOf(nodes[i % 2]!).reserve({ ...ask(account), idempotency }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(getCreditsLeft(answers).length, 1)
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "InProgress").length, 99)
    }))

  it.live("apply a changed plan to a month that opens at the same time", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      yield* storeOf(nodes[0]).definePlans({ "race-5": 5 })
      yield* Effect.forEach(Array.from({ length: 40 }), () =>
        Effect.gen(function*() {
          const account = yield* accountWith(nodes[0], 60)
          yield* Effect.all([
            ledgerOf(nodes[0]).reserve(ask(account)),
            ledgerOf(nodes[1]).changePlan(account, "race-5")
          ], {
            concurrency: "unbounded"
          })
          assert.strictEqual((yield* ledgerOf(nodes[0]).balance(account))?.monthlyCredits, 5)
        }), { concurrency: 8, discard: true })
      yield* Effect.forEach(Array.from({ length: 20 }, (_, i) => 100 + i), (credits) =>
        Effect.gen(function*() {
          const account = yield* accountWith(nodes[0], credits)
          yield* Effect.all([
            ledgerOf(nodes[0]).reserve(ask(account)),
            storeOf(nodes[1]).definePlans({ [`race-${credits}`]: 7 })
          ], { concurrency: "unbounded" })
          assert.strictEqual((yield* ledgerOf(nodes[0]).balance(account))?.monthlyCredits, 7)
        }), { concurrency: 4, discard: true })
    }))

  it.live("end each reservation once by a sweep or a settlement at the moment of its expiry", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const account = yield* accountWith(nodes[0], 1_000)
      const now = Date.now()
      const [requests, at] = [
        Array.from({ length: 300 }, (_, i) => ({ ...ask(account), ttlMs: 1 + (i % 10) })),
        now + 5
      ]
      const reservations = (yield* storeOf(nodes[0]).reserve(requests, { at: now })).flatMap((answer) =>
        answer._tag === "Admitted" ? [answer.reservation] : []
      )
      const settle = (i: number) =>
        storeOf(nodes[i % 2]!).end([{
          reservation: reservations[i]!,
          outcome: { _tag: "Settle", response: null }
        }], { at, waitMs: 60_000 })
      const [endings] = yield* Effect.all([
        Effect.forEach(reservations, (_, i) => Effect.map(settle(i), ([ending]) => ending!._tag), {
          concurrency: "unbounded"
        }),
        Effect.forEach(Array.from({ length: 40 }, (_, i) => i), (i) => storeOf(nodes[i % 2]!).expire(20, { at }), {
          concurrency: 4
        })
      ], { concurrency: "unbounded" })
      yield* storeOf(nodes[0]).expire(1_000, { at })
      const rows = yield* audit(nodes[0], [account])
      assert.strictEqual(endings.filter((tag) => tag === "Ended").length, 150)
      assert.strictEqual(rows.entries.filter(({ state }) => state === "expired").length, 150)
    }))

  it.live("run a batch outside its first caller's transaction", () =>
    Effect.gen(function*() {
      const [node] = yield* twoNodes
      const account = yield* accountWith(node, 10)
      const sql = Context.get(node, PgClient.PgClient)
      const rolledBackReservation = sql.withTransaction(
        Effect.andThen(ledgerOf(node).reserve(ask(account)), Effect.fail("rolled back" as const))
      )
      const [first, second] = yield* Effect.all([
        Effect.exit(rolledBackReservation),
        ledgerOf(node).reserve(ask(account))
      ], {
        concurrency: "unbounded"
      })
      assert.strictEqual(first._tag, "Failure")
      assert.strictEqual(second._tag, "Admitted")
      assert.strictEqual((yield* ledgerOf(node).balance(account))?.reserved, 2)
    }))

  it.live("admit exactly the limit in a rate-limit window", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const verdicts = yield* Effect.forEach(
        Array.from({ length: 400 }, (_, i) => i),
        (i) => Context.get(nodes[i % 2]!, RateLimitStore).take({ account: 5, limit: 60, windowMs: 60_000 }),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(verdicts.filter(({ isAllowed }) => isAllowed).length, 60)
    }))

  it.live("publish a change to the other node, and again after its connection was cut", () =>
    Effect.gen(function*() {
      const nodes = yield* twoNodes
      const [keysA, keysB] = [Context.get(nodes[0], KeyStore), Context.get(nodes[1], KeyStore)]
      const account = yield* accountWith(nodes[0], 1)
      const key = {
        account,
        name: "k",
        prefix: "p",
        hash: "0".repeat(64),
        scopes: [],
        expiresAt: null,
        limit: 1,
        now: 0
      }
      const { id } = yield* keysA.createKey(key)
      const connected = yield* Queue.unbounded<void>()
      const notices = yield* Queue.unbounded<number>()
      yield* Effect.forkScoped(Stream.runForEach(keysB.changes, (change) =>
        change._tag === "Account"
          ? Queue.offer(notices, change.account)
          : Effect.flatMap(
            keysB.isReceivingChanges,
            (isReceiving) => isReceiving ? Queue.offer(connected, undefined) : Effect.void
          )))
      yield* Queue.take(connected)
      yield* keysA.updateKey(id, { scopes: ["read:us"] })
      assert.strictEqual(yield* Queue.take(notices), account)

      yield* Queue.clear(connected)
      yield* Context.get(nodes[0], PgClient.PgClient)`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`
      yield* Queue.take(connected)
      yield* keysA.revokeKey(id, 1)
      assert.strictEqual(yield* Queue.take(notices), account)
      assert.strictEqual((yield* keysB.findByHashes([key.hash]))[0]?.key.revokedAt, 1)
    }))
})
