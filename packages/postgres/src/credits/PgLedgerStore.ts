import { PgClient } from "@effect/sql-pg"
import {
  type Admission,
  type Busy,
  dayEnd,
  type Ending,
  type EndRequest,
  Failpoints,
  LedgerStore,
  type ReserveRequest,
  type StatementOptions,
  withFailpoints
} from "@tapeline/core/credits"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccessChannel } from "../access/AccessChannel.ts"
import { type Aside, makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { orWithout } from "../heldRows.ts"
import { bigints, texts } from "../parameters.ts"
import { endBatch, type EndRow, monthNumber, reserveBatch, type ReserveRow } from "./batch.ts"
import {
  booksOf,
  type BooksRow,
  countAnswers,
  readBooks,
  readPlans,
  readTime,
  recallEntry,
  type RecallRow,
  recollectionOf
} from "./reading.ts"
import { tending } from "./tending.ts"

/** How long a batch waits for a month that somebody holds before it does without, when its caller says nothing. */
const patienceMs = 50

/** Keys forgotten in one statement. */
const pruneBatch = 1_000

/** Accounts over whose months a plan is laid in one statement. */
const layBatch = 1_000

/** How often, and how soon again, a plan is laid over what somebody held; the rest is left to the housekeeping. */
const layAgain = { times: 10, afterMs: 200 } as const

type Values = Parameters<PgClient.PgClient["unsafe"]>[1]
type Laid = Effect.Effect<boolean, StoreUnavailable>

/** Failures after which the database has undone the whole statement, and which another try may not meet. */
const isConflict = (error: SqlError): boolean =>
  ["DeadlockError", "SerializationError", "UniqueViolation"].includes(error.reason._tag)

/** What a batch's row says to its requests; without a row every one of them is to be asked by itself. */
const answersOf =
  <Row, A>(requests: ReadonlyArray<unknown>, read: (row: Row) => ReadonlyArray<A>) =>
  (rows: ReadonlyArray<Row> | null): ReadonlyArray<A | Busy> =>
    rows === null ? requests.map((): Busy => ({ _tag: "Busy" })) : read(rows[0]!)

const instantOf = (options: StatementOptions | undefined): string | null =>
  options?.at === undefined ? null : String(Math.floor(options.at))

/** `LedgerStore` on PostgreSQL or PGlite. */
export const PgLedgerStore: Layer.Layer<LedgerStore, never, PgClient.PgClient | AccessChannel> = Layer.effect(
  LedgerStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const [aside, channel] = yield* Effect.all([makeAside, AccessChannel])
    const hook = yield* Failpoints
    const [guard, tend] = [unavailable("LedgerStore"), tending(aside.run)] as const
    const inTransaction = Effect.serviceOption(sql.transactionService).pipe(
      Effect.map((found) => found._tag === "Some")
    )

    /** Tries a statement again after a conflict; within a transaction it cannot be, for that is lost with it. */
    const whole = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
      Effect.flatMap(
        inTransaction,
        (inside) => inside ? statement : Effect.retry(statement, { times: 5, while: isConflict })
      )

    /**
     * A statement that does without what it does not get in time; null when it cannot do without it. Within a
     * transaction, which a lock that is waited for in vain would end, it does without at once.
     */
    const patiently = <Row>(
      statement: (waitMs: number | null) => Effect.Effect<ReadonlyArray<Row>, SqlError>,
      options: StatementOptions | undefined,
      alone: boolean
    ): Effect.Effect<ReadonlyArray<Row> | null, StoreUnavailable> =>
      guard(Effect.flatMap(inTransaction, (inside) =>
        inside
          ? statement(null)
          : orWithout((waitMs) => whole(statement(waitMs)), options?.waitMs ?? patienceMs, alone)))

    const one = <Row extends object>(text: string, parameters: Values, by: Aside["change"] = aside.run) =>
      guard(whole(by((sql) => sql.unsafe<Row>(text, parameters))))

    // By itself, so that no month is locked meanwhile.
    const prune = (at: string | null): Effect.Effect<void, StoreUnavailable> =>
      Effect.flatMap(
        one<{ count: number }>("select credit_prune_2($1, $2) as count", [pruneBatch, at]),
        ([row]) => row!.count < pruneBatch ? Effect.void : prune(at)
      )

    /** Lays a plan over its accounts' open months; true when none was missed. */
    const layPlan = (plan: string, at: string | null, by: Aside["run"], after = "0"): Laid =>
      Effect.flatMap(
        one<{ last: string | null; missed: boolean }>(
          "select last::text, missed from credit_lay_plan($1, $2, $3, $4)",
          [plan, after, layBatch, at],
          by
        ),
        ([row]) =>
          row!.last === null
            ? Effect.succeed(true)
            : Effect.map(layPlan(plan, at, by, row!.last), (rest) => rest && !row!.missed)
      )

    /** Lays what changed of the plans over open months; true when all of it was. */
    const layPlans = Effect.fnUntraced(function*(at: string | null, by: Aside["run"]) {
      let all = true
      const changed = yield* one<{ name: string; version: string }>(
        "select name, version::text from plans where not laid order by name",
        [],
        by
      )
      for (const { name, version } of changed) {
        if (yield* layPlan(name, at, by)) {
          // Unless it was changed again meanwhile, be it back to what it was.
          yield* one("update plans set laid = true where name = $1 and version = $2", [name, version], by)
        } else all = false
      }
      return all
    })

    const layUntilAll = (at: string | null, times: number): Effect.Effect<void, StoreUnavailable> =>
      Effect.flatMap(layPlans(at, aside.start), (all) =>
        all || times === 0
          ? Effect.void
          : Effect.andThen(Effect.sleep(layAgain.afterMs), layUntilAll(at, times - 1)))

    return LedgerStore.of({
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
        )),
      expire: (limit, options) =>
        withFailpoints(hook, "expire")(Effect.map(
          one<{ count: number }>("select credit_expire_2($1, $2) as count", [limit, instantOf(options)]),
          ([row]) => row!.count
        )).pipe(Effect.tap(() => prune(instantOf(options)))),
      tend: (keepMonths, options) =>
        Effect.andThen(
          guard(whole(tend(keepMonths, instantOf(options)))),
          Effect.asVoid(layPlans(instantOf(options), aside.run))
        ),
      recall: (account, { fingerprint, key }, options) =>
        Effect.map(
          guard(sql.unsafe<RecallRow>(recallEntry, [String(account), key, instantOf(options)])),
          ([row]) => recollectionOf(row, fingerprint)
        ),
      books: (account, month, options) =>
        Effect.map(
          guard(sql.unsafe<BooksRow>(readBooks, [
            String(account),
            month === null ? null : monthNumber(month),
            instantOf(options)
          ])),
          booksOf
        ),
      answersToday: (account, options) =>
        Effect.map(
          guard(sql.unsafe<{ count: number; instant: number }>(countAnswers, [String(account), instantOf(options)])),
          ([row]) => ({ count: row!.count, renewsAt: dayEnd(row!.instant) })
        ),
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
      plans: guard(aside.run(readPlans)),
      definePlans: (monthlyCredits, options) =>
        withFailpoints(hook, "definePlans")(Effect.andThen(
          guard(whole(aside.startAlone("plans", (sql) =>
            sql.unsafe("select credit_define_plans_2($1, $2)", [
              texts(Object.keys(monthlyCredits)),
              bigints(Object.values(monthlyCredits))
            ])))),
          layUntilAll(instantOf(options), layAgain.times)
        )),
      time: guard(readTime(sql))
    })
  })
)
