import type { PgClient } from "@effect/sql-pg"
import {
  type Admission,
  type Busy,
  dayEnd,
  type EndRequest,
  type EndResult,
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
import { makeCallMethods } from "./accountCalls.ts"
import { makeAdjustmentMethods } from "./adjustments.ts"
import { endBatch, type EndRow, reserveBatch, type ReserveRow, toMonthNumber } from "./batch.ts"
import { makeChargeMethods } from "./charges.ts"
import { makeKeyCreditMethods } from "./keyCredits.ts"
import { makePartitionMaintenance } from "./partitionMaintenance.ts"
import { makePlanApplication } from "./planApplication.ts"
import {
  type BalanceRow,
  countAnswersSql,
  type IdempotencyRow,
  readPlans,
  readTime,
  selectBalance,
  selectIdempotencyKey,
  selectUsage,
  toBalance,
  toRecollection,
  toUsage,
  type UsageRow
} from "./reads.ts"
import { makeStatements, type Statements, toInstantParameter } from "./statements.ts"
import {
  insertThresholds,
  selectMarked,
  selectReachedThresholds,
  thresholdParameters,
  type ThresholdRow,
  toReachedThreshold
} from "./thresholds.ts"
import { selectIsFinal, selectUsageLines, toUsageLine, type UsageLineRow } from "./usageReport.ts"

const maxPrunedKeys = 1_000

type Store = LedgerStore["Service"]
type RunFailpoint = typeof Failpoints.Service

/**
 * Creates a function that reads the results of a batch from its row. If `rows` is null, every result is `Busy`, and the
 * caller sends each request separately.
 */
const makeResultReader =
  <Row, A>(requests: ReadonlyArray<unknown>, read: (row: Row) => ReadonlyArray<A>) =>
  (rows: ReadonlyArray<Row> | null): ReadonlyArray<A | Busy> =>
    rows === null ? requests.map((): Busy => ({ _tag: "Busy" })) : read(rows[0]!)

const makeReservationMethods = (
  { queryRows, runSkippingLocked, sql }: Statements,
  runFailpoint: RunFailpoint
): Pick<Store, "reserve" | "end" | "renew"> => ({
  reserve: (requests: ReadonlyArray<ReserveRequest>, options) => {
    if (requests.length === 0) return Effect.succeed<ReadonlyArray<Admission | Busy>>([])
    const batch = reserveBatch(requests)
    const runBatch = (waitMs: number | null) =>
      sql.unsafe<ReserveRow>(
        "select * from credit_reserve_3($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        [...batch.parameters, waitMs, toInstantParameter(options)]
      )
    return withFailpoints(runFailpoint, "reserve")(
      Effect.map(
        runSkippingLocked(runBatch, options, batch.isSingleAccount),
        makeResultReader(requests, batch.admissions)
      )
    )
  },
  end: (requests: ReadonlyArray<EndRequest>, options) => {
    if (requests.length === 0) return Effect.succeed<ReadonlyArray<EndResult | Busy>>([])
    const batch = endBatch(requests)
    const runBatch = (waitMs: number | null) =>
      sql.unsafe<EndRow>(
        "select * from credit_end_3($1, $2, $3, $4, $5, $6, $7, $8)",
        [...batch.parameters, waitMs, toInstantParameter(options)]
      )
    return withFailpoints(runFailpoint, "end")(
      Effect.map(runSkippingLocked(runBatch, options, batch.isSingleMonth), makeResultReader(requests, batch.endings))
    )
  },
  renew: ({ account, entry, month }, ttlMs, options) =>
    withFailpoints(runFailpoint, "renew")(Effect.map(
      queryRows<{ renewed: boolean }>(
        "select credit_renew($1, $2, $3, $4, $5) as renewed",
        [String(account), toMonthNumber(month), String(entry), String(Math.ceil(ttlMs)), toInstantParameter(options)],
        (useClient) => useClient(sql)
      ),
      ([row]) => row!.renewed
    ))
})

const makeHousekeepingMethods = (
  statements: Statements,
  runFailpoint: RunFailpoint,
  planApplication: ReturnType<typeof makePlanApplication>
): Pick<Store, "expire" | "runHousekeeping"> => {
  const { backgroundPool, mapErrors, queryRows, retryConflicts } = statements
  const maintainPartitions = makePartitionMaintenance(backgroundPool.run)

  // Pruning runs separately, so that no month is locked meanwhile.
  const pruneKeys = (at: string | null): Effect.Effect<void, StoreUnavailable> =>
    Effect.flatMap(
      queryRows<{ count: number }>("select credit_prune_2($1, $2) as count", [maxPrunedKeys, at]),
      ([row]) => row!.count < maxPrunedKeys ? Effect.void : pruneKeys(at)
    )

  return {
    expire: (limit, options) =>
      withFailpoints(runFailpoint, "expire")(Effect.map(
        queryRows<{ count: number }>("select credit_expire_2($1, $2) as count", [limit, toInstantParameter(options)]),
        ([row]) => row!.count
      )).pipe(Effect.tap(() => pruneKeys(toInstantParameter(options)))),
    runHousekeeping: (keepMonths, options) =>
      Effect.andThen(
        mapErrors(retryConflicts(maintainPartitions(keepMonths, toInstantParameter(options)))),
        planApplication.applyOnce(toInstantParameter(options))
      )
  }
}

const makeMonthParameters = (account: number, month: Month | null, options: StatementOptions | undefined) => [
  String(account),
  month === null ? null : toMonthNumber(month),
  toInstantParameter(options)
]

const makeReadMethods = (
  { backgroundPool, mapErrors, sql }: Statements
): Pick<Store, "idempotencyState" | "balance" | "usage" | "usageReport" | "answersToday" | "plans" | "time"> => ({
  idempotencyState: (account, { fingerprint, key }, options) =>
    Effect.map(
      mapErrors(sql.unsafe<IdempotencyRow>(selectIdempotencyKey, [String(account), key, toInstantParameter(options)])),
      ([row]) => toRecollection(row, fingerprint)
    ),
  balance: (account, month, options) =>
    Effect.map(
      mapErrors(sql.unsafe<BalanceRow>(selectBalance, makeMonthParameters(account, month, options))),
      toBalance
    ),
  usage: (account, month, options) =>
    Effect.map(mapErrors(sql.unsafe<UsageRow>(selectUsage, makeMonthParameters(account, month, options))), toUsage),
  usageReport: (query, options) =>
    Effect.gen(function*() {
      const check = selectIsFinal(query, toInstantParameter(options))
      const select = selectUsageLines(query)
      const run = <Row extends object>({ parameters, text }: typeof select) =>
        mapErrors(backgroundPool.run((sql) => sql.unsafe<Row>(text, parameters)))
      // The check comes first, so that no call can end between a positive check and the read.
      const [row] = yield* run<{ readonly is_final: boolean }>(check)
      const lines = yield* run<UsageLineRow>(select)
      return { lines: lines.map(toUsageLine(query)), isFinal: row!.is_final }
    }),
  answersToday: (account, options) =>
    Effect.map(
      mapErrors(
        sql.unsafe<{ count: number; instant: number }>(countAnswersSql, [String(account), toInstantParameter(options)])
      ),
      ([row]) => ({ count: row!.count, renewsAt: dayEnd(row!.instant) })
    ),
  plans: mapErrors(backgroundPool.run(readPlans)),
  time: mapErrors(readTime(sql))
})

const makeThresholdMethods = (
  { queryRows, backgroundPool }: Statements
): Pick<Store, "reachedThresholds" | "markThresholds"> => ({
  reachedThresholds: (limit, options) =>
    Effect.map(
      queryRows<Parameters<typeof toReachedThreshold>[0]>(selectReachedThresholds, [
        String(limit),
        toInstantParameter(options)
      ]),
      (rows) => rows.map(toReachedThreshold)
    ),
  markThresholds: (thresholds) =>
    Effect.map(
      queryRows<ThresholdRow>(insertThresholds, thresholdParameters(thresholds), backgroundPool.runWithLockTimeout),
      (rows) => selectMarked(thresholds, rows)
    )
})

const makePlanMethods = (
  { backgroundPool, mapErrors, queryRows, retryConflicts }: Statements,
  runFailpoint: RunFailpoint,
  planApplication: ReturnType<typeof makePlanApplication>,
  channel: AccessChannel["Service"]
): Pick<Store, "changePlan" | "definePlans"> => ({
  changePlan: (account, plan, options) =>
    withFailpoints(runFailpoint, "changePlan")(Effect.tap(
      Effect.map(
        queryRows<{ done: boolean }>(
          "select credit_change_plan_2($1, $2, $3) as done",
          [String(account), plan, toInstantParameter(options)],
          backgroundPool.runWithLockTimeout
        ),
        ([row]) => row!.done
      ),
      (done) => done ? channel.publish(account) : Effect.void
    )),
  definePlans: (monthlyCredits, options) =>
    withFailpoints(runFailpoint, "definePlans")(Effect.andThen(
      mapErrors(retryConflicts(backgroundPool.runAtStartWithTableLock("plans", (sql) =>
        sql.unsafe("select credit_define_plans_2($1, $2)", [
          texts(Object.keys(monthlyCredits)),
          bigints(Object.values(monthlyCredits))
        ])))),
      planApplication.applyAtStart(toInstantParameter(options))
    ))
})

/** Implements `LedgerStore` with PostgreSQL or PGlite. */
export const PgLedgerStore: Layer.Layer<LedgerStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const [statements, channel, runFailpoint] = yield* Effect.all([makeStatements, AccessChannel, Failpoints])
    const planApplication = makePlanApplication(statements)
    return LedgerStore.of({
      ...makeReservationMethods(statements, runFailpoint),
      ...makeChargeMethods(statements, runFailpoint),
      ...makeHousekeepingMethods(statements, runFailpoint, planApplication),
      ...makeReadMethods(statements),
      ...makeThresholdMethods(statements),
      ...makePlanMethods(statements, runFailpoint, planApplication, channel),
      ...makeAdjustmentMethods(statements, runFailpoint),
      ...makeCallMethods(statements),
      ...makeKeyCreditMethods(statements, runFailpoint, channel)
    })
  })
)
