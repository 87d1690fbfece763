import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import { type AdjustmentRequest, KeyStore, Ledger, LedgerStore, type Reservation } from "@tapeline/core/engine"
import { layerPostgres, migrate, PgStores } from "@tapeline/postgres"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Effect, Fiber, Layer } from "effect"
import {
  makeFreshDatabase,
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld,
  withStores
} from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"
import { runMigrationsBefore } from "./support/migrateBefore.ts"

const at = Date.UTC(2026, 10, 20)
const november = 202611

const makeGrant = (account: number, amount: number, months = 1): AdjustmentRequest => ({
  kind: "grant",
  account,
  amount,
  month: null,
  months,
  reason: "test",
  reference: null
})

const newAccount = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ adjusted: 10 })
  return (yield* (yield* KeyStore).createAccount({ name: "adjusted", plan: "adjusted", now: 0 })).id
})

const reserve = (account: number, credits: number) =>
  Effect.flatMap(LedgerStore, (store) =>
    store.reserve([{
      account,
      actor: { _tag: "Key", key: 1 },
      tool: "get_price",
      credits,
      ttlMs: 60_000,
      idempotency: null
    }], { at }))

const settleOne = Effect.fnUntraced(function*(account: number, credits: number) {
  const [answer] = yield* reserve(account, credits)
  assert(answer?._tag === "Admitted")
  yield* (yield* LedgerStore).end([{
    reservation: answer.reservation,
    outcome: { _tag: "Settle", response: null }
  }], { at })
  return answer.reservation
})

const readRows = (accounts: ReadonlyArray<number>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => readLedgerRows(sql, accounts))

const makeRefund = (
  { account, entry, month }: Pick<Reservation, "account" | "entry" | "month">
): AdjustmentRequest => ({
  kind: "refund",
  account,
  amount: null,
  call: { month, entry },
  reason: "test",
  reference: null
})

/** Each statement of an adjustment, with a lock at which the statement waits. */
const steps: ReadonlyArray<readonly [name: string, hold: string, trigger?: string]> = [
  ["locks the plans", "lock table plans in exclusive mode"],
  ["locks the account", "select 1 from accounts where id = $1 for update"],
  ["opens a month", "select pg_advisory_xact_lock($1)", "before insert on credit_months"],
  ["locks the months", "select 1 from credit_months where account = $1 for update"],
  ["inserts the entries", "select pg_advisory_xact_lock($1)", "before insert on credit_adjustments"],
  ["changes the months", "select pg_advisory_xact_lock($1)", "before update on credit_months"],
  ["commits", "select pg_advisory_xact_lock($1)", "after insert on credit_adjustments deferrable initially deferred"]
]

/** Creates a trigger that waits for the advisory lock of the account until the end of the test. */
const createTrigger = (sql: PgClient.PgClient, trigger: string | undefined, account: number) =>
  trigger === undefined ? Effect.void : Effect.acquireRelease(
    Effect.andThen(
      sql.unsafe(`create function pause() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(${account}); return new; end $$`),
      sql.unsafe(
        `create ${trigger.startsWith("after") ? "constraint " : ""}trigger pause ${trigger}
        for each row execute function pause()`
      )
    ),
    () => Effect.orDie(sql.unsafe("drop function pause cascade"))
  )

withLayer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })(
  "an adjustment whose session is cut",
  (it) => {
    for (const [name, hold, trigger] of steps) {
      it.effect(`while it ${name} changes nothing, and can be repeated`, () =>
        Effect.gen(function*() {
          const [sql, store, account] = [yield* PgClient.PgClient, yield* LedgerStore, yield* newAccount]
          yield* settleOne(account, 4)
          yield* createTrigger(sql, trigger, account)
          const before = yield* readRows([account])
          const adjust = store.adjust(makeGrant(account, 5, 2), { at })
          const adjusting = yield* withLockHeld(sql, hold, hold.includes("$1") ? [account] : [])(
            Effect.gen(function*() {
              const adjusting = yield* Effect.forkChild(Effect.flip(adjust))
              yield* waitForLockWaiters(sql, 1)
              yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`
              return adjusting
            })
          )
          assert.strictEqual((yield* Fiber.join(adjusting))._tag, "StoreUnavailable")
          assert.deepStrictEqual(yield* readRows([account]), before)
          assert.strictEqual((yield* adjust)._tag, "Adjusted")
          const after = yield* readRows([account])
          assert.deepStrictEqual(after.adjustments.map(({ amount }) => amount), [5, 5])
          assert.deepStrictEqual(findRuleViolations(after), [])
        }))
    }
  }
)

describe("adjustments on two processes", () => {
  it.live("cause no deadlocks with calls and plan changes, and lose no credits", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const node = () =>
        Layer.build(Layer.fresh(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url))))))
      const nodes = [yield* node(), yield* node()] as const
      const accounts = yield* Effect.provideContext(Effect.all(Array.from({ length: 8 }, () => newAccount)), nodes[0])
      yield* Context.get(nodes[0], LedgerStore).definePlans({ other: 30 })
      const run = Effect.fnUntraced(function*(i: number) {
        const [ledger, account] = [Context.get(nodes[i % 2]!, Ledger), accounts[(i * 7_919) % accounts.length]!]
        if (i % 5 === 0) return yield* Effect.as(ledger.changePlan(account, i % 2 === 0 ? "other" : "adjusted"), 0)
        if (i % 5 === 1) return (yield* ledger.adjust(makeGrant(account, 3, 4)))._tag === "Adjusted" ? 12 : NaN
        const answer = yield* ledger.reserve({
          account,
          actor: { _tag: "Key", key: 1 },
          tool: "get_price",
          credits: 1,
          ttlMs: 60_000,
          idempotency: null
        })
        if (answer._tag !== "Admitted") return 0
        yield* ledger.settle(answer.reservation, null)
        const refunds = yield* Effect.all(
          nodes.map((node) => Context.get(node, Ledger).adjust(makeRefund(answer.reservation))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(refunds.map(({ _tag }) => _tag).toSorted(), ["Adjusted", "AlreadyRefunded"])
        return 1
      })
      const added = yield* Effect.forEach(Array.from({ length: 200 }, (_, i) => i), run, { concurrency: 16 })
      const rows = yield* Effect.provideContext(readRows(accounts), nodes[0])
      assert.deepStrictEqual(findRuleViolations(rows), [])
      assert.strictEqual(
        rows.months.reduce((sum, { adjusted }) => sum + adjusted, 0),
        added.reduce((sum, one) => sum + one, 0)
      )
    }))
})

withLayer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })(
  "a process of the previous version, next to adjustments",
  (it) => {
    it.effect("uses adjusted credits, and changes plans without losing them", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const store = yield* LedgerStore
        const account = yield* newAccount
        assert.strictEqual((yield* store.adjust(makeGrant(account, 5), { at }))._tag, "Adjusted")
        const reserveBefore = (credits: number) =>
          Effect.map(
            sql.unsafe<
              { verdicts: Array<string>; lefts: Array<number>; details: Array<number>; entries: Array<number> }
            >(
              `select * from credit_reserve('{${account}}', '{${november}}', '{1}', '{1}', '{old}', '{${credits}}',
                '{${at}}', '{${at + 60_000}}', '{null}', '{null}', '{null}', '{null}')`
            ),
            ([row]) => [row!.verdicts[0], row!.lefts[0], row!.details[0], row!.entries[0]] as const
          )
        const [verdict, left, , entry] = yield* reserveBefore(12)
        assert.deepStrictEqual([verdict, left], ["admitted", 3])
        // The plan's credits are in the verdict, because the service names the plans with more.
        assert.deepStrictEqual((yield* reserveBefore(4)).slice(0, 3), ["refused", 3, 10])
        const [ended] = yield* sql.unsafe<{ lefts: Array<number> }>(
          `select * from credit_end('{${account}}', '{${november}}', '{${entry}}', '{1}', '{${at}}', '{f}', '{null}')`
        )
        assert.deepStrictEqual(ended?.lefts, [3])
        yield* sql.unsafe("select credit_define_plans('{adjusted}', '{20}', 0)")
        assert.strictEqual((yield* store.balance(account, "2026-11"))?.left, 25)
        yield* sql.unsafe(`select credit_change_plan_2(${account}, 'none', ${at})`)
        assert.strictEqual((yield* store.balance(account, "2026-11"))?.left, 5)
        assert.deepStrictEqual(findRuleViolations(yield* readRows([account])), [])
      }))
  }
)

const beforeAdjustments = Layer.unwrap(Effect.map(makeFreshDatabase, ({ url }) => layerPostgres({ url }))).pipe(
  Layer.orDie
)

withLayer(PgStores.pipe(Layer.provideMerge(beforeAdjustments)), { excludeTestServices: true, timeout: 60_000 })(
  "the migration to adjustments",
  (it) => {
    it.effect("keeps balances, and lets earlier calls be refunded", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const store = yield* LedgerStore
        yield* runMigrationsBefore("0022")
        const account = yield* newAccount
        const reserveBefore = (credits: number) =>
          Effect.map(
            sql.unsafe<{ entries: Array<number> }>(
              `select entries from credit_reserve_2('{${account}}', '{1}', '{1}', '{null}', '{get_price}',
                '{${credits}}', '{60000}', null, null, null, null, null, null, ${at})`
            ),
            ([row]) => row!.entries[0]!
          )
        const charged = yield* reserveBefore(4)
        yield* sql.unsafe(
          `select * from credit_end_2('{${account}}', '{${november}}', '{${charged}}', '{1}', '{t}', '{null}', null, ${at})`
        )
        yield* reserveBefore(3)
        // The new plan has fewer credits than the account has used.
        yield* store.changePlan(account, "none", { at })
        yield* migrate
        const [row] = yield* sql<{ row: string }>`select concat_ws(' ', allotted, adjusted, cap, used, reserved) as row
          from credit_months`
        assert.strictEqual(row?.row, "0 0 7 4 3")
        const result = yield* store.adjust(makeRefund({ account, month: "2026-11", entry: charged }), { at })
        assert.strictEqual(result._tag === "Adjusted" && result.balance.adjusted, 4)
        assert.deepStrictEqual(findRuleViolations(yield* readRows([account])), [])
      }))
  }
)
