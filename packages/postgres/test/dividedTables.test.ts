import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import {
  type Admission,
  type Busy,
  type EndRequest,
  type EndResult,
  KeyStore,
  LedgerStore,
  RateLimitStore,
  type ReserveRequest
} from "@tapeline/core/engine"
import { JournalStore } from "@tapeline/core/personal"
import { isFullRun } from "@tapeline/testing/fullRun"
import { runJournalModel } from "@tapeline/testing/journal/modelRun"
import { runLedgerModel } from "@tapeline/testing/ledger/modelRun"
import { Effect } from "effect"
import * as fc from "fast-check"
import { makeFreshPostgres, withStores } from "./support/databases.ts"
import { makeLedgerUnderTest } from "./support/ledgerRows.ts"
import { splitBatch } from "./support/routedStores.ts"

/* Tests that tables and batches can be divided by account, as PostgreSQL with sharding requires. */

/** Replaces an empty table by four partitions by account. PostgreSQL rejects unique keys that span partitions. */
const divide = Effect.fnUntraced(function*(table: string) {
  const sql = yield* PgClient.PgClient
  const run = (text: string) => sql.unsafe(text).unprepared
  yield* run(`create table divided (like ${table} including all) partition by hash (account)`)
  yield* run(`drop table ${table}`)
  yield* run(`alter table divided rename to ${table}`)
  yield* run(`alter table ${table} rename constraint divided_pkey to ${table}_pkey`)
  for (let part = 0; part < 4; part++) {
    yield* run(
      `create table ${table}_${part} partition of ${table} for values with (modulus 4, remainder ${part})`
    )
  }
})

const divideAll = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  // The view `credit_usage` is dropped first, because it depends on the tables that are dropped below.
  yield* sql.unsafe("drop view credit_usage")
  for (const table of ["credit_months", "credit_usage_days", "credit_idempotency", "request_windows"]) {
    yield* divide(table)
  }
  for (const table of ["journals", "journal_positions", "journal_trades", "journal_notes", "journal_writes"]) {
    yield* divide(table)
  }
  const months = yield* sql<{ table: string; bound: string }>`select c.relname::text as table,
      pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'credit_reservations'::regclass`
  for (const { bound, table } of months) {
    yield* sql.unsafe(`alter table credit_reservations detach partition ${table}`).unprepared
    yield* divide(table)
    yield* sql.unsafe(`alter table credit_reservations attach partition ${table} ${bound}`).unprepared
  }
  return months.length
})

const partsWithRows = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ parts: number }>`select count(distinct tableoid)::integer as parts from credit_reservations`,
    ([row]) => row!.parts
  ))

/** A request on one of three accounts. `index` selects the account. */
const request = fc.record({
  index: fc.nat({ max: 2 }),
  credits: fc.integer({ min: 1, max: 9 }),
  key: fc.option(fc.constantFrom("a", "b"), { freq: 2 }),
  print: fc.constantFrom("f", "g"),
  max: fc.option(fc.constantFrom(1, 2), { freq: 4, nil: undefined }),
  settles: fc.boolean()
})

type RequestSample = typeof request extends fc.Arbitrary<infer Value> ? Value : never

const at = Date.UTC(2026, 10, 28)

/** The parts of an admission or of an ending that callers receive, except generated numbers. */
/** Removes the ids of reservations, which differ between the accounts. */
const summaryOf = (answer: Admission | Busy | EndResult | undefined) =>
  answer?._tag === "Admitted"
    ? { _tag: answer._tag, creditsLeft: answer.creditsLeft }
    : answer?._tag === "Replayed"
    ? { _tag: answer._tag, response: answer.response }
    : answer

type Batch = ReadonlyArray<RequestSample>
type Accounts = ReadonlyArray<{ readonly id: number }>

const toReserveRequests = (batch: Batch, accounts: Accounts) =>
  batch.map(({ credits, key, max, index, print }): ReserveRequest => ({
    account: accounts[index]!.id,
    actor: { _tag: "Key", key: 1 },
    tool: "t",
    credits,
    ttlMs: 1_000,
    idempotency: key === null ? null : { key, fingerprint: print, retentionMs: 60_000 },
    quota: max === undefined ? undefined : { max }
  }))

const endings = (batch: Batch, admissions: ReadonlyArray<Admission | Busy | undefined>) =>
  admissions.flatMap((admission, i): ReadonlyArray<EndRequest> =>
    admission?._tag === "Admitted"
      ? [{
        reservation: admission.reservation,
        outcome: batch[i]!.settles ? { _tag: "Settle", response: `${i}` } : { _tag: "Release" }
      }]
      : []
  )

/** Checks that batches on three accounts have the same results as separate batches for each of three other accounts. */
const assertSameResult = Effect.fnUntraced(function*(batches: ReadonlyArray<Batch>) {
  const [keys, store] = yield* Effect.all([KeyStore, LedgerStore])
  const three = Effect.forEach([1, 2, 3], () => keys.createAccount({ name: "a", plan: "small", now: at }))
  const [one, other] = [yield* three, yield* three]
  for (const batch of batches) {
    const directAdmissions = yield* store.reserve(toReserveRequests(batch, one), { at })
    const parts = yield* splitBatch(
      toReserveRequests(batch, other),
      ({ account }) => account,
      (part) => store.reserve(part, { at })
    )
    assert.deepStrictEqual(parts.map(summaryOf), directAdmissions.map(summaryOf))
    const endResults = yield* store.end(endings(batch, directAdmissions), { at })
    const endedInParts = yield* splitBatch(
      endings(batch, parts),
      ({ reservation }) => reservation.account,
      (part) => store.end(part, { at })
    )
    assert.deepStrictEqual(endedInParts.map(summaryOf), endResults.map(summaryOf))
  }
  for (const [i, { id }] of one.entries()) {
    assert.deepStrictEqual(yield* store.balance(other[i]!.id, null, { at }), yield* store.balance(id, null, { at }))
  }
})

describe("tables divided by account", () => {
  const divided = withStores(makeFreshPostgres())
  withLayer(divided, { excludeTestServices: true, timeout: 60_000 })("tables divided by account", (it) => {
    it.effect("satisfy the ledger's model and rate limits, with unchanged functions", () =>
      Effect.gen(function*() {
        assert.isAtLeast(yield* divideAll, 4)
        const ledger = yield* makeLedgerUnderTest
        const result = yield* Effect.promise(() =>
          runLedgerModel(() => Promise.resolve(ledger), { runs: isFullRun ? 100 : 3, commands: 50 })
        )
        console.log(`divided: seed ${result.seed}, ${result.runs} runs, ${result.commands} commands`)
        assert.isNull(result.failure)
        const windows = yield* RateLimitStore
        const verdicts = yield* Effect.all(
          Array.from({ length: 24 }, (_, n) => windows.take({ account: 1 + n % 8, limit: 2, windowMs: 60_000 })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(verdicts.filter(({ isAllowed }) => isAllowed).length, 16)
        assert.isAtLeast(yield* partsWithRows, 2)
      }))

    it.effect("satisfy the journal's model for independent accounts", () =>
      Effect.gen(function*() {
        let account = 0
        assert.isNull(yield* runJournalModel(yield* JournalStore, () => ++account, { runs: isFullRun ? 100 : 3 }))
      }))

    it.effect("return the same for a batch split by account as for the whole batch", () =>
      Effect.gen(function*() {
        const stores = yield* Effect.context<KeyStore | LedgerStore>()
        yield* (yield* LedgerStore).definePlans({ small: 12 }, { at })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              fc.array(fc.array(request, { minLength: 2, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
              (batches) => Effect.runPromise(Effect.provideContext(assertSameResult(batches), stores))
            ),
            { numRuns: isFullRun ? 500 : 10 }
          )
        )
      }))
  })
})
