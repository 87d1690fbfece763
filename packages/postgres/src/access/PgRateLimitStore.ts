import { PgClient } from "@effect/sql-pg"
import { type Busy, type RateLimitDecision, RateLimitStore, retryingGroupCommit } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { mapSqlErrors } from "../errors.ts"
import { bigints } from "../parameters.ts"
import { runOrSkipLocked } from "../rowLocks.ts"

interface WindowRequest {
  readonly account: number
  readonly limit: number
  readonly windowMs: number
}

interface WindowRow {
  readonly account: number
  readonly admitted: number
  readonly taken: number
  readonly reset_ms: number
}

/** Decides how many requests of each account are admitted; the accounts must be distinct and sorted. */
const takeRequestsSql = "select * from take_requests($1, $2, $3, $4, $5)"

/** The time in ms that a batch waits for a locked rate-limit window before skipping the window. */
const lockWaitMs = 50

/**
 * The maximum time in ms that a caller waits for a locked rate-limit window. The maximum wait keeps the duration of a
 * call below 10 seconds.
 */
const maxWaitMs = 4_000

interface BatchStatement {
  readonly windowMs: number
  /**
   * The requests of the statement, grouped by account id. `indexes` contains the positions of the account's requests in
   * the batch, in ascending order.
   */
  readonly groups: Map<number, { readonly account: number; readonly limit: number; readonly indexes: Array<number> }>
}

/**
 * Divides a batch of requests into statements. Within a statement, all requests have the same window length, and all
 * requests of an account have the same limit. Requests of one account with different limits or window lengths are sent
 * in separate statements.
 */
const divideIntoStatements = (requests: ReadonlyArray<WindowRequest>): ReadonlyArray<BatchStatement> => {
  const statements: Array<BatchStatement> = []
  requests.forEach(({ account, limit, windowMs }, index) => {
    const lastIndex = statements.findLastIndex(({ groups }) => groups.has(account))
    const group = statements[lastIndex]?.groups.get(account)
    if (group?.limit === limit && statements[lastIndex]?.windowMs === windowMs) return void group.indexes.push(index)
    let statement = statements.find((statement, i) => i > lastIndex && statement.windowMs === windowMs)
    if (statement === undefined) statements.push(statement = { windowMs, groups: new Map() })
    statement.groups.set(account, { account, limit, indexes: [index] })
  })
  return statements
}

/** Copies the results of a statement to `verdicts`. A request that the statement skipped keeps the verdict `Busy`. */
const writeVerdicts = (
  verdicts: Array<RateLimitDecision | Busy>,
  { groups }: BatchStatement,
  rows: ReadonlyArray<WindowRow>
): void => {
  for (const { account, admitted, reset_ms, taken } of rows) {
    const { limit, indexes } = groups.get(account)!
    indexes.forEach((index, i) => {
      const isAllowed = i < admitted
      const takenByThen = isAllowed ? taken - admitted + i + 1 : taken
      verdicts[index] = { isAllowed, remaining: Math.max(0, limit - takenByThen), resetMs: reset_ms }
    })
  }
}

/**
 * Implements `RateLimitStore` with PostgreSQL or PGlite, and takes all times from the clock of the database. One
 * statement handles several concurrent requests, and admits the requests of an account in order. A rate-limit window
 * that another transaction has locked delays only the requests of the window's account.
 */
export const PgRateLimitStore: Layer.Layer<RateLimitStore, never, PgClient.PgClient> = Layer.effect(
  RateLimitStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const runStatement = ({ groups, windowMs }: BatchStatement, lockWaitMs: number) => {
      const sorted = [...groups.values()].sort((a, b) => a.account - b.account)
      const statement = (lockWaitMs: number | null) =>
        sql.unsafe<WindowRow>(takeRequestsSql, [
          bigints(sorted.map(({ account }) => account)),
          bigints(sorted.map(({ indexes }) => indexes.length)),
          bigints(sorted.map(({ limit }) => limit)),
          String(windowMs),
          lockWaitMs
        ])
      return mapSqlErrors("RateLimitStore")(
        runOrSkipLocked(statement, lockWaitMs, sorted.length === 1)
      )
    }
    const take = yield* retryingGroupCommit(
      (requests: ReadonlyArray<WindowRequest>, options) => {
        const verdicts = requests.map((): RateLimitDecision | Busy => ({ _tag: "Busy" }))
        return Effect.as(
          Effect.forEach(
            divideIntoStatements(requests),
            (statement) =>
              Effect.map(
                runStatement(statement, options.waitMs ?? lockWaitMs),
                (rows) => writeVerdicts(verdicts, statement, rows ?? [])
              ),
            { discard: true }
          ),
          verdicts
        )
      },
      ({ account }) => account,
      {
        maxBatch: 256,
        batchesInFlight: 2,
        maxWaitMs,
        store: "RateLimitStore",
        lockedResource: "window of requests"
      }
    )
    return RateLimitStore.of({
      // The window of a key has the negative id of the key in place of an account.
      take: ({ account, key, limit, windowMs }) =>
        take({ account: key === undefined ? account : -key, limit, windowMs })
    })
  })
)
