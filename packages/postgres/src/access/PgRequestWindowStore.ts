import { PgClient } from "@effect/sql-pg"
import { type Busy, patientCommit, RequestWindowStore, type WindowVerdict } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { unavailable } from "../errors.ts"
import { orWithout } from "../heldRows.ts"
import { bigints } from "../parameters.ts"

interface Take {
  readonly account: number
  readonly limit: number
  readonly windowMs: number
}

interface Row {
  readonly account: number
  readonly admitted: number
  readonly taken: number
  readonly reset_ms: number
}

/** Decides how many requests of each account are admitted. The accounts are distinct and in order. */
const takeRequests = "select * from take_requests($1, $2, $3, $4, $5)"

/** How long a batch waits for a window that another transaction holds, before it skips that window. */
const waitMs = 50

/** How long a caller waits for a held window. The rest of its call then still completes within ten seconds. */
const patienceMs = 4_000

interface Statement {
  readonly windowMs: number
  /** By account: its limit, and the indexes of its requests in the batch, in order. */
  readonly groups: Map<number, { readonly account: number; readonly limit: number; readonly places: Array<number> }>
}

/**
 * Divides a batch into statements. A statement has one window length, and one limit for each account. Nearly always,
 * the whole batch is one statement. A request that differs goes into a later statement than the earlier requests of its
 * account.
 */
const statementsOf = (takes: ReadonlyArray<Take>): ReadonlyArray<Statement> => {
  const statements: Array<Statement> = []
  takes.forEach(({ account, limit, windowMs }, place) => {
    const last = statements.findLastIndex(({ groups }) => groups.has(account))
    const group = statements[last]?.groups.get(account)
    if (group?.limit === limit && statements[last]?.windowMs === windowMs) return void group.places.push(place)
    let statement = statements.find((statement, i) => i > last && statement.windowMs === windowMs)
    if (statement === undefined) statements.push(statement = { windowMs, groups: new Map() })
    statement.groups.set(account, { account, limit, places: [place] })
  })
  return statements
}

/** Writes the verdicts of a statement's requests to their places. Skipped requests stay `Busy`. */
const judge = (verdicts: Array<WindowVerdict | Busy>, { groups }: Statement, rows: ReadonlyArray<Row>): void => {
  for (const { account, admitted, reset_ms, taken } of rows) {
    const { limit, places } = groups.get(account)!
    places.forEach((place, i) => {
      const allowed = i < admitted
      const countedUpToIt = allowed ? taken - admitted + i + 1 : taken
      verdicts[place] = { allowed, remaining: Math.max(0, limit - countedUpToIt), resetMs: reset_ms }
    })
  }
}

/**
 * `RequestWindowStore` on PostgreSQL or PGlite. Times are the database's. Concurrent requests are sent together; those
 * of one account are admitted in order. A window that another transaction holds delays only its own account.
 */
export const PgRequestWindowStore: Layer.Layer<RequestWindowStore, never, PgClient.PgClient> = Layer.effect(
  RequestWindowStore,
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const run = ({ groups, windowMs }: Statement, wait: number) => {
      const sorted = [...groups.values()].sort((a, b) => a.account - b.account)
      const statement = (wait: number | null) =>
        sql.unsafe<Row>(takeRequests, [
          bigints(sorted.map(({ account }) => account)),
          bigints(sorted.map(({ places }) => places.length)),
          bigints(sorted.map(({ limit }) => limit)),
          String(windowMs),
          wait
        ])
      return unavailable("RequestWindowStore")(
        orWithout(statement, wait, sorted.length === 1)
      )
    }
    const take = yield* patientCommit(
      (takes: ReadonlyArray<Take>, options) => {
        const verdicts = takes.map((): WindowVerdict | Busy => ({ _tag: "Busy" }))
        return Effect.as(
          Effect.forEach(
            statementsOf(takes),
            (statement) =>
              Effect.map(run(statement, options.waitMs ?? waitMs), (rows) => judge(verdicts, statement, rows ?? [])),
            { discard: true }
          ),
          verdicts
        )
      },
      ({ account }) => account,
      { maxBatch: 256, batchesInFlight: 2, patienceMs, store: "RequestWindowStore", held: "window of requests" }
    )
    return RequestWindowStore.of({ take: (request) => take(request) })
  })
)
