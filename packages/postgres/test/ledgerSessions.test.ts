import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import { KeyStore, Ledger, LedgerStore, type Reservation, type ReserveRequest } from "@tapeline/core/engine"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import {
  type Client,
  makeFreshPglite,
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  withStores
} from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"

const ask = (account: number): ReserveRequest => ({
  account,
  actor: { _tag: "Key", key: 1 },
  tool: "get_price",
  credits: 1,
  ttlMs: 60_000,
  idempotency: null
})

const newAccount = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ sessions: 1_000 })
  return (yield* (yield* KeyStore).createAccount({ name: "sessions", plan: "sessions", now: 0 })).id
})

const reserve = (account: number) =>
  Effect.map(Effect.flatMap(LedgerStore, (store) => store.reserve([ask(account)])), ([answer]): Reservation => {
    assert(answer?._tag === "Admitted")
    return answer.reservation
  })

/** Reads calls that were charged without a reservation through functions of earlier versions. */
const readChargesByEarlierFunctions = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const store = yield* LedgerStore
  const account = yield* newAccount
  const [id, failed] = yield* store.callIds(2)
  const idempotency = { key: "charged", fingerprint: "f", retentionMs: 60_000 }
  const call = { account, actor: { _tag: "Session", session: 1 }, tool: "get_price", credits: 1 } as const
  const response = "{\"tool\":\"get_price\",\"credits_used\":1,\"took_ms\":2,\"data\":{}}"
  yield* store.charge([{ ...call, id: id!, idempotency, response, isRepeated: false }])
  yield* store.recordFailures([{ ...call, id: failed! }])
  const [before] = yield* sql.unsafe<{ verdicts: Array<string>; answers: Array<string | null> }>(
    `select verdicts, answers from credit_reserve_3('{${account}}', '{1,1}', '{1,1}', '{null,null}', '{a,a}',
      '{1,1}', '{9000,9000}', null, '{charged,charged}', '{f,g}', '{90000,90000}', '{null,1}', 50, null)`
  )
  assert.deepStrictEqual(before?.verdicts, ["replayed", "reused"])
  // Processes of earlier versions require all of these fields.
  assert.deepStrictEqual(JSON.parse(before!.answers[0]!), {
    tool: "get_price",
    credits_used: 1,
    credits_left: 999,
    took_ms: 2,
    data: {}
  })
  const month = Number(new Date().toISOString().slice(0, 7).replace("-", ""))
  const [ended] = yield* sql.unsafe<{ verdicts: Array<string> }>(
    `select verdicts from credit_end_3('{${account}}', '{${month}}', '{${id},${failed}}', '{1,1}', '{t,f}',
      '{x,null}', 50, null)`
  )
  assert.deepStrictEqual(ended?.verdicts, ["settled", "released"])
  yield* sql.unsafe("select credit_expire_2(100, null), credit_prune_2(100, null)")
  const reference = { month: new Date().toISOString().slice(0, 7), entry: id! }
  const note = { account, reason: "test", reference: null }
  const refund = yield* store.adjust({ kind: "refund", amount: null, call: reference, ...note })
  assert.strictEqual(refund._tag, "Adjusted")
  const { tools } = (yield* store.balance(account, null))!
  assert.deepStrictEqual(tools, [{ name: "get_price", calls: 2, failed: 1, credits: 1 }])
  assert.deepStrictEqual(findRuleViolations(yield* readLedgerRows(sql, [account])), [])
})

const transactions = (name: string, client: Layer.Layer<Client>) =>
  withLayer(withStores(client), { excludeTestServices: true, timeout: 60_000 })(`transactions: ${name}`, (it) => {
    it.effect("run ends and renewals in the caller's transaction, and roll them back with it", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const store = yield* LedgerStore
        const account = yield* newAccount
        const reservation = yield* reserve(account)
        const settle = store.end([{ reservation, outcome: { _tag: "Settle", response: null } }])
        const rolledBackError = yield* Effect.flip(sql.withTransaction(Effect.gen(function*() {
          assert.isTrue(yield* store.renew(reservation, 600_000))
          assert.strictEqual((yield* settle)[0]?._tag, "Ended")
          return yield* Effect.fail("undone" as const)
        })))
        assert.strictEqual(rolledBackError, "undone")
        const [row] = (yield* readLedgerRows(sql, [account])).entries
        assert.deepStrictEqual([row?.state, row?.expiresAt], ["reserved", reservation.expiresAt])
        yield* sql.withTransaction(settle)
        assert.strictEqual((yield* store.balance(account, null))?.used, 1)
      }))

    it.effect("commit credits and keys synchronously, whatever the session's setting", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const account = yield* newAccount
        const setting = Effect.map(
          sql<{ value: string }>`select current_setting('synchronous_commit') as value`,
          ([row]) => row?.value
        )
        const during = (write: Effect.Effect<unknown, unknown>) =>
          sql.withTransaction(Effect.gen(function*() {
            yield* sql`set local synchronous_commit = off`
            yield* write
            return yield* setting
          }))
        const store = yield* LedgerStore
        const reservation = yield* reserve(account)
        assert.strictEqual(yield* during(store.reserve([ask(account)])), "on")
        assert.strictEqual(yield* during(store.end([{ reservation, outcome: { _tag: "Release" } }])), "on")
        assert.strictEqual(yield* during(store.callIds(1)), "on")
        const note = { account, reason: "test", reference: null }
        assert.strictEqual(
          yield* during(store.adjust({ kind: "grant", amount: 1, month: null, months: 1, ...note })),
          "on"
        )
        assert.strictEqual(
          yield* during(sql`insert into keys (account, name, prefix, hash, scopes, created_at)
            values (${BigInt(account)}, 'k', 'p', ${crypto.randomUUID()}, '{}', 0)`),
          "on"
        )
      }))

    it.effect("create months in advance, and drop old ones when none of their rows is needed", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const store = yield* LedgerStore
        const account = yield* newAccount
        const reservation = yield* reserve(account)
        const later = { at: Date.UTC(Number(reservation.month.slice(0, 4)) + 2, 0, 1) }
        const entryCount = Effect.map(readLedgerRows(sql, [account]), ({ entries }) => entries.length)
        yield* store.runHousekeeping(13, later)
        assert.strictEqual(yield* entryCount, 1)
        while ((yield* store.expire(1_000, later)) > 0);
        yield* store.runHousekeeping(13)
        assert.strictEqual(yield* entryCount, 1)
        yield* store.runHousekeeping(13, later)
        assert.strictEqual(yield* entryCount, 0)
        assert.strictEqual((yield* store.balance(account, reservation.month))?.tools[0]?.calls, 1)
        const far = { at: Date.UTC(2090, 5, 1) }
        assert.strictEqual((yield* store.reserve([ask(account)], far))[0]?._tag, "Admitted")
      }))
  })

transactions("PGlite", makeFreshPglite())

describe("sessions", () => {
  transactions("PostgreSQL", makeFreshPostgres())

  describe("a month's row that another session holds", () => {
    it.live("delays only its own account, and nothing is charged twice", () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const node = yield* Layer.build(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url)))))
        const other = Context.get(yield* Layer.build(Layer.fresh(makeMigratedClient(url))), PgClient.PgClient)
        const ledger = Context.get(node, Ledger)
        const provide = Effect.provide(node)
        const [blockedAccount, free] = [yield* provide(newAccount), yield* provide(newAccount)]
        const reservation = yield* provide(reserve(blockedAccount))
        yield* provide(reserve(free))

        const [locked, isDone] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.forkChild(other.withTransaction(Effect.gen(function*() {
          yield* other`select 1 from credit_months where account = ${BigInt(blockedAccount)} for update`
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(isDone)
        })))
        yield* Deferred.await(locked)
        const waiting = yield* Effect.forkChild(
          Effect.all([ledger.settle(reservation, null), ledger.reserve(ask(blockedAccount))], {
            concurrency: "unbounded"
          })
        )
        // Some of the following calls are in the batch of the waiting call, and others in later batches.
        for (let i = 0; i < 5; i++) {
          const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => ledger.reserve(ask(free)), {
            concurrency: "unbounded"
          })
          assert.isTrue(answers.every(({ _tag }) => _tag === "Admitted"))
        }
        assert.isUndefined(waiting.pollUnsafe())
        assert.strictEqual(yield* Context.get(node, LedgerStore).expire(10), 0)
        yield* Deferred.succeed(isDone, undefined)
        yield* Fiber.join(holder)
        const [ending, admission] = yield* Fiber.join(waiting)
        assert.deepStrictEqual([ending._tag, admission._tag], ["Ended", "Admitted"])
        const rows = yield* readLedgerRows(Context.get(node, PgClient.PgClient), [blockedAccount, free])
        assert.deepStrictEqual(findRuleViolations(rows), [])
        const month = rows.months.find(({ account }) => account === blockedAccount)
        assert.deepStrictEqual([month?.used, month?.reserved], [1, 1])
      }))
  })

  withLayer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })(
    "a process of the previous version, next to this one",
    (it) => {
      it.effect("updates the same balances through the functions that it knows", () =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const store = yield* LedgerStore
          const account = yield* newAccount
          const now = Date.now()
          const month = Number(new Date(now).toISOString().slice(0, 7).replace("-", ""))
          const [before] = yield* sql.unsafe<
            { verdicts: Array<string>; entries: Array<number | null>; details: Array<number | null> }
          >(
            `select * from credit_reserve('{${account}}', '{${month}}', '{1,1,1}', '{1,1,1}', '{old,old,old}',
              '{1,1,1}', '{${now},${now},${now}}', '{${now + 60_000},${now + 60_000},${
              now + 60_000
            }}', '{shared,shared,null}',
              '{f,f,null}', '{${now + 90_000},${now + 90_000},null}', '{null,1,null}')`
          )
          assert.deepStrictEqual(before?.verdicts, ["admitted", "in_progress", "admitted"])
          const idempotency = { key: "shared", fingerprint: "f", retentionMs: 60_000 }
          assert.strictEqual((yield* store.idempotencyState(account, idempotency))?._tag, "InProgress")
          const renewed = yield* sql.unsafe(
            `update credit_entries set expires_at = greatest(expires_at, ${now + 80_000})
            where id = ${before!.entries[0]} and ended_at is null and expires_at > ${now} returning id`
          )
          assert.strictEqual(renewed.length, 1)
          const [ended] = yield* sql.unsafe<{ ended: Array<number> }>(
            `select * from credit_end('{${account}}', '{${month}}', '{${
              before!.entries[0]
            }}', '{1}', '{${now}}', '{t}', '{kept}')`
          )
          assert.deepStrictEqual(ended?.ended, [before!.entries[0]])
          assert.deepStrictEqual(yield* store.idempotencyState(account, idempotency), {
            _tag: "Replayed",
            response: "kept",
            call: { month: new Date(now).toISOString().slice(0, 7), entry: before!.entries[0]! }
          })
          yield* reserve(account)
          yield* sql.unsafe(`select credit_expire(${now}, 10), credit_prune(${now}, 10),
            credit_define_plans('{sessions}', '{7}', ${month})`)
          const books = yield* store.balance(account, null)
          assert.deepStrictEqual([books?.monthlyCredits, books?.used, books?.reserved], [7, 1, 2])
          yield* sql.unsafe(`select credit_change_plan(${account}, 'none', ${month})`)
          assert.strictEqual((yield* store.balance(account, null))?.monthlyCredits, 0)
          assert.deepStrictEqual(findRuleViolations(yield* readLedgerRows(sql, [account])), [])
        }))

      it.effect(
        "replays, refunds and reports calls that this version charged without a reservation",
        () => readChargesByEarlierFunctions
      )

      it.effect("finds no key of a hot table that spans accounts", () =>
        Effect.gen(function*() {
          const sql = yield* PgClient.PgClient
          const tables = "'credit_months', 'credit_reservations', 'credit_idempotency', 'credit_usage_days'"
          const keys = yield* sql.unsafe<{ table: string; first: string }>(
            `select c.relname as table, a.attname as first from pg_index i
              join pg_class c on c.oid = i.indrelid
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
              where i.indisunique and c.relname in (${tables})`
          )
          assert.deepStrictEqual(keys.map(({ first }) => first), ["account", "account", "account", "account"])
          const others = yield* sql.unsafe(
            `select conname from pg_constraint k join pg_class c on c.oid = k.conrelid
              where c.relname in (${tables}) and k.contype in ('f', 'x')`
          )
          assert.deepStrictEqual(others, [])
        }))
    }
  )
})
