import type { PgClient } from "@effect/sql-pg"
import {
  type Admission,
  type Busy,
  dayEnd,
  type Ending,
  type EndRequest,
  Failpoints,
  LedgerStore,
  type Month,
  type ReserveRequest,
  type StatementOptions,
  type StoreUnavailable,
  withFailpoints
} from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { AccessChannel } from "../access/AccessChannel.ts"
import { bigints, texts } from "../parameters.ts"
import { endBatch, type EndRow, monthNumber, reserveBatch, type ReserveRow } from "./batch.ts"
import { laying } from "./laying.ts"
import {
  booksOf,
  type BooksRow,
  countAnswers,
  readBooks,
  readPlans,
  readTime,
  readUsage,
  recallEntry,
  type RecallRow,
  recollectionOf,
  usageOf,
  type UsageRow
} from "./reading.ts"
import { instantOf, makeStatements, type Statements } from "./statements.ts"
import { tending } from "./tending.ts"

/** Maximum number of idempotency keys that one statement removes. */
const pruneBatch = 1_000

type Store = LedgerStore["Service"]
type Hook = typeof Failpoints.Service

/**
 * Returns the results of a batch's requests from its row. Without a row, all of them are `Busy` and must be sent
 * separately.
 */
const answersOf =
  <Row, A>(requests: ReadonlyArray<unknown>, read: (row: Row) => ReadonlyArray<A>) =>
  (rows: ReadonlyArray<Row> | null): ReadonlyArray<A | Busy> =>
    rows === null ? requests.map((): Busy => ({ _tag: "Busy" })) : read(rows[0]!)

/** The ledger operations with which calls reserve, end and renew reservations. */
const charging = (
  { one, patiently, sql }: Statements,
  hook: Hook
): Pick<Store, "reserve" | "end" | "renew"> => ({
  reserve: (requests: ReadonlyArray<ReserveRequest>, options) => {
    if (requests.length === 0) return Effect.succeed<ReadonlyArray<Admission | Busy>>([])
    const batch = reserveBatch(requests)
    const statement = (waitMs: number | null) =>
      sql.unsafe<ReserveRow>(
        "select * from credit_reserve_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        [...batch.parameters, waitMs, instantOf(options)]
      )
    return withFailpoints(hook, "reserve")(
      Effect.map(patiently(statement, options, batch.alone), answersOf(requests, batch.admissions))
    )
  },
  end: (requests: ReadonlyArray<EndRequest>, options) => {
    if (requests.length === 0) return Effect.succeed<ReadonlyArray<Ending | Busy>>([])
    const batch = endBatch(requests)
    const statement = (waitMs: number | null) =>
      sql.unsafe<EndRow>(
        "select * from credit_end_2($1, $2, $3, $4, $5, $6, $7, $8)",
        [...batch.parameters, waitMs, instantOf(options)]
      )
    return withFailpoints(hook, "end")(
      Effect.map(patiently(statement, options, batch.alone), answersOf(requests, batch.endings))
    )
  },
  renew: ({ account, entry, month }, ttlMs, options) =>
    withFailpoints(hook, "renew")(Effect.map(
      one<{ renewed: boolean }>(
        "select credit_renew($1, $2, $3, $4, $5) as renewed",
        [String(account), monthNumber(month), String(entry), String(Math.ceil(ttlMs)), instantOf(options)],
        (use) => use(sql)
      ),
      ([row]) => row!.renewed
    ))
})

/** The ledger operations of the housekeeping. */
const housekeeping = (
  statements: Statements,
  hook: Hook,
  lay: ReturnType<typeof laying>
): Pick<Store, "expire" | "tend"> => {
  const { aside, guard, one, whole } = statements
  const tend = tending(aside.run)

  // Runs separately, so that no month is locked meanwhile.
  const prune = (at: string | null): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(
      one<{ count: number }>("select credit_prune_2($1, $2) as count", [pruneBatch, at]),
      ([row]) => row!.count < pruneBatch ? Effect.void : prune(at)
    )

  return {
    expire: (limit, options) =>
      withFailpoints(hook, "expire")(Effect.map(
        one<{ count: number }>("select credit_expire_2($1, $2) as count", [limit, instantOf(options)]),
        ([row]) => row!.count
      )).pipe(Effect.tap(() => prune(instantOf(options)))),
    tend: (keepMonths, options) =>
      Effect.andThen(guard(whole(tend(keepMonths, instantOf(options)))), lay.once(instantOf(options)))
  }
}

/** The parameters of reads of a month. */
const ofMonth = (account: number, month: Month | null, options: StatementOptions | undefined) => [
  String(account),
  month === null ? null : monthNumber(month),
  instantOf(options)
]

/** The read-only operations of the ledger. */
const reads = (
  { aside, guard, sql }: Statements
): Pick<Store, "recall" | "books" | "usage" | "answersToday" | "plans" | "time"> => ({
  recall: (account, { fingerprint, key }, options) =>
    Effect.map(
      guard(sql.unsafe<RecallRow>(recallEntry, [String(account), key, instantOf(options)])),
      ([row]) => recollectionOf(row, fingerprint)
    ),
  books: (account, month, options) =>
    Effect.map(guard(sql.unsafe<BooksRow>(readBooks, ofMonth(account, month, options))), booksOf),
  usage: (account, month, options) =>
    Effect.map(guard(sql.unsafe<UsageRow>(readUsage, ofMonth(account, month, options))), usageOf),
  answersToday: (account, options) =>
    Effect.map(
      guard(sql.unsafe<{ count: number; instant: number }>(countAnswers, [String(account), instantOf(options)])),
      ([row]) => ({ count: row!.count, renewsAt: dayEnd(row!.instant) })
    ),
  plans: guard(aside.run(readPlans)),
  time: guard(readTime(sql))
})

/** Changes of an account's plan, and of the plans' monthly credits. */
const planning = (
  { aside, guard, one, whole }: Statements,
  hook: Hook,
  lay: ReturnType<typeof laying>,
  channel: AccessChannel["Service"]
): Pick<Store, "changePlan" | "definePlans"> => ({
  changePlan: (account, plan, options) =>
    withFailpoints(hook, "changePlan")(Effect.tap(
      Effect.map(
        one<{ done: boolean }>(
          "select credit_change_plan_2($1, $2, $3) as done",
          [String(account), plan, instantOf(options)],
          aside.change
        ),
        ([row]) => row!.done
      ),
      (done) => done ? channel.publish(account) : Effect.void
    )),
  definePlans: (monthlyCredits, options) =>
    withFailpoints(hook, "definePlans")(Effect.andThen(
      guard(whole(aside.startAlone("plans", (sql) =>
        sql.unsafe("select credit_define_plans_2($1, $2)", [
          texts(Object.keys(monthlyCredits)),
          bigints(Object.values(monthlyCredits))
        ])))),
      lay.atStart(instantOf(options))
    ))
})

/** `LedgerStore` on PostgreSQL or PGlite. */
export const PgLedgerStore: Layer.Layer<LedgerStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const [statements, channel, hook] = yield* Effect.all([makeStatements, AccessChannel, Failpoints])
    const lay = laying(statements)
    return LedgerStore.of({
      ...charging(statements, hook),
      ...housekeeping(statements, hook, lay),
      ...reads(statements),
      ...planning(statements, hook, lay, channel)
    })
  })
)
