import { creditThresholds, type ReachedThreshold } from "@tapeline/core/engine"
import { bigints } from "../parameters.ts"
import { fromMonthNumber, toMonthNumber } from "./batch.ts"
import { nowSql } from "./reads.ts"

/** The time in ms after the end of a month in which its thresholds are still found. */
const previousMonthMs = 3_600_000

/** Selects at most `$1` thresholds that are reached and not marked. In tests, `$2` replaces the current time. */
export const selectReachedThresholds =
  `select m.account::float8 as account, m.month, t.threshold, m.used::float8 as used,
    (m.allotted + m.adjusted)::float8 as credits
  from (select ${nowSql("$2")} as now offset 0) n
  join credit_months m on m.month in (credit_month(n.now), credit_month(n.now - ${previousMonthMs}))
  cross join (values ${creditThresholds.map((threshold) => `(${threshold})`).join(", ")}) t (threshold)
  where m.allotted + m.adjusted > 0 and m.used * 100 >= (m.allotted + m.adjusted) * t.threshold and not exists (
    select 1 from credit_thresholds c
    where c.account = m.account and c.month = m.month and c.threshold = t.threshold
  )
  order by m.account, m.month, t.threshold limit $1`

/** Marks thresholds, and returns the positions of the thresholds that were not marked before. */
export const insertThresholds = `insert into credit_thresholds (account, month, threshold)
  select * from unnest($1::bigint[], $2::integer[], $3::integer[]) as u (account, month, threshold)
  order by account, month, threshold
  on conflict do nothing
  returning account::float8 as account, month, threshold`

export interface ThresholdRow {
  readonly account: number
  readonly month: number
  readonly threshold: ReachedThreshold["threshold"]
}

export const toReachedThreshold = (
  { account, credits, month, threshold, used }: ThresholdRow & { readonly used: number; readonly credits: number }
): ReachedThreshold => ({ account, month: fromMonthNumber(month), threshold, used, monthlyCredits: credits })

export const thresholdParameters = (thresholds: ReadonlyArray<ReachedThreshold>): ReadonlyArray<string> => [
  bigints(thresholds.map(({ account }) => account)),
  bigints(thresholds.map(({ month }) => toMonthNumber(month))),
  bigints(thresholds.map(({ threshold }) => threshold))
]

/** Returns the thresholds that the database has marked now. */
export const selectMarked = (
  thresholds: ReadonlyArray<ReachedThreshold>,
  rows: ReadonlyArray<ThresholdRow>
): ReadonlyArray<ReachedThreshold> => {
  const name = (account: number, month: number, threshold: number) => `${account}/${month}/${threshold}`
  const marked = new Set(rows.map(({ account, month, threshold }) => name(account, month, threshold)))
  return thresholds.filter(({ account, month, threshold }) =>
    marked.has(name(account, toMonthNumber(month), threshold))
  )
}
