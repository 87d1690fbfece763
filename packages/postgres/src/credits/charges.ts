import {
  type Busy,
  type ChargeRequest,
  type ChargeResult,
  type Failpoints,
  type LedgerStore,
  monthEnd,
  monthOf,
  type StatementOptions,
  toCreditsLeft,
  type UnreservedCall,
  withFailpoints
} from "@tapeline/core/engine"
import { Effect } from "effect"
import { bigints, booleans, texts } from "../parameters.ts"
import { dropLongAnswer, findEarlierDuplicates, fromMonthNumber, numberAccounts, toKeyColumn } from "./batch.ts"
import { type Statements, toInstantParameter } from "./statements.ts"

interface ChargeRow {
  readonly instant: number
  readonly verdicts: ReadonlyArray<string>
  readonly entries: ReadonlyArray<number | null>
  readonly lefts: ReadonlyArray<number | null>
  readonly details: ReadonlyArray<number | null>
  readonly answers: ReadonlyArray<string | null> | null
}

const readCall = (row: ChargeRow, i: number) => ({ month: fromMonthNumber(row.details[i]!), entry: row.entries[i]! })

const readCharge = (row: ChargeRow, i: number): ChargeResult | Busy => {
  const refusal = () => ({
    creditsLeft: row.lefts[i]!,
    monthlyCredits: row.details[i]!,
    renewsAt: monthEnd(monthOf(row.instant))
  })
  switch (row.verdicts[i]) {
    case "charged":
      return { _tag: "Charged", call: readCall(row, i), creditsLeft: toCreditsLeft(row.lefts[i]!) }
    case "refused":
      return { _tag: "Refused", ...refusal() }
    case "key_limit":
      return { _tag: "KeyLimitReached", ...refusal() }
    case "replayed":
      return { _tag: "Replayed", response: row.answers?.[i] ?? "", call: readCall(row, i) }
    case "in_progress":
      return { _tag: "InProgress", lapsesInMs: row.details[i]! }
    case "reused":
      return { _tag: "Reused" }
    case "busy":
      return { _tag: "Busy" }
    case "no_account":
      return { _tag: "NoAccount" }
    default:
      throw new Error(`Unknown verdict ${row.verdicts[i]}`)
  }
}

type StoredCall = UnreservedCall & Pick<ChargeRequest, "idempotency" | "response">

/** Converts calls to all parameters of the SQL function `credit_charge` before `p_wait`. */
const toParameters = (calls: ReadonlyArray<StoredCall>, isCharged: boolean, isRepeated: boolean) => {
  const { accounts, slots } = numberAccounts(calls)
  const hasKeys = calls.some(({ idempotency }) => idempotency !== null)
  return {
    isSingleAccount: accounts.length === 1,
    parameters: [
      bigints(accounts),
      bigints(slots),
      bigints(calls.map(({ id }) => id)),
      bigints(calls.map(({ actor }) => toKeyColumn(actor))),
      bigints(calls.map(({ actor }) => actor._tag === "Task" ? actor.task : null)),
      texts(calls.map(({ tool }) => tool)),
      bigints(calls.map(({ credits }) => credits)),
      booleans(calls.map(() => isCharged)),
      texts(hasKeys ? calls.map(({ idempotency }) => idempotency?.key ?? null) : null),
      texts(hasKeys ? calls.map(({ idempotency }) => idempotency?.fingerprint ?? null) : null),
      hasKeys ? bigints(calls.map(({ idempotency }) => idempotency?.retentionMs ?? null)) : null,
      hasKeys ? bigints(findEarlierDuplicates(calls)) : null,
      texts(hasKeys ? calls.map(({ response }) => dropLongAnswer(response)) : null),
      isRepeated
    ]
  }
}

export const makeChargeMethods = (
  { mapErrors, runSkippingLocked, sql }: Statements,
  runFailpoint: typeof Failpoints.Service
): Pick<LedgerStore["Service"], "callIds" | "charge" | "recordFailures"> => {
  const run = (
    { isSingleAccount, parameters }: ReturnType<typeof toParameters>,
    options: StatementOptions | undefined
  ) =>
    runSkippingLocked(
      (waitMs) =>
        sql.unsafe<ChargeRow>(
          "select * from credit_charge($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
          [...parameters, waitMs, toInstantParameter(options)]
        ),
      options,
      isSingleAccount
    )
  return {
    callIds: (count) =>
      Effect.map(
        // After a crash of the database, no id may be returned again, whatever `synchronous_commit` is by default.
        mapErrors(sql.unsafe<{ readonly id: number }>(
          `select nextval('credit_reservation_ids')::float8 as id
          from set_config('synchronous_commit', 'on', true), generate_series(1, $1::integer)`,
          [count]
        )),
        (rows) => rows.map(({ id }) => id)
      ),
    charge: (requests, options) => {
      if (requests.length === 0) return Effect.succeed([])
      const batch = toParameters(requests, true, requests.some(({ isRepeated }) => isRepeated))
      return withFailpoints(runFailpoint, "charge")(
        Effect.map(
          run(batch, options),
          (rows): ReadonlyArray<ChargeResult | Busy> =>
            rows === null ? requests.map(() => ({ _tag: "Busy" })) : requests.map((_, i) => readCharge(rows[0]!, i))
        )
      )
    },
    recordFailures: (calls, options) =>
      calls.length === 0 ? Effect.void : withFailpoints(runFailpoint, "recordFailures")(Effect.asVoid(
        run(toParameters(calls.map((call) => ({ ...call, idempotency: null, response: null })), false, false), options)
      ))
  }
}
