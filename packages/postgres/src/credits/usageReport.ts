import {
  groupedDimensions,
  monthEnd,
  monthOf,
  type UsageLine,
  type UsageReportQuery,
  usageSettlingMs
} from "@tapeline/core/engine"
import { int8 } from "../parameters.ts"
import { fromMonthNumber, toMonthNumber } from "./batch.ts"
import { nowSql, toCaller } from "./reads.ts"

const dayMs = 86_400_000

/** The number of an unknown caller in usage positions. */
const unknownCaller = -2

const toDayNumber = (time: number): number => Math.floor(time / dayMs)

/** Collects the parameters of a statement. `add` returns the placeholder of the new parameter. */
const makeParameters = () => {
  const values: Array<ReturnType<typeof int8> | string | null> = []
  return { values, add: (value: ReturnType<typeof int8> | string | null): string => `$${values.push(value)}` }
}

/** Returns the months that lie completely within the days of a report. */
const wholeMonths = ({ from, to }: UsageReportQuery): readonly [first: number, last: number] => {
  const [firstMonth, lastMonth] = [monthOf(from), monthOf(to)]
  const first = from === Date.parse(`${firstMonth}-01`) ? firstMonth : monthOf(monthEnd(firstMonth))
  const last = to + dayMs === monthEnd(lastMonth) ? lastMonth : monthOf(Date.parse(`${lastMonth}-01`) - 1)
  return [toMonthNumber(first), toMonthNumber(last)]
}

/**
 * Returns the statement that selects the lines of a usage report. A report by account reads the accounts one after
 * another, by the primary key of the usage table. A page of the report therefore reads only the accounts of the page.
 */
export const selectUsageLines = (query: UsageReportQuery) => {
  const { account, after, from, groupBy, key, limit, operation, to } = query
  const grouped = groupedDimensions(groupBy)
  const parameters = makeParameters()
  const integer = (value: number) => `${parameters.add(int8(value))}::bigint`
  const [firstWhole, lastWhole] = wholeMonths(query)
  const conditions = [
    `d.month between ${integer(toMonthNumber(monthOf(from)))} and ${integer(toMonthNumber(monthOf(to)))}`,
    // Usage from before the database counted days belongs to a whole month.
    `(d.day between ${integer(toDayNumber(from))} and ${integer(toDayNumber(to))}
      or d.day = 0 and d.month between ${integer(firstWhole)} and ${integer(lastWhole)})`,
    ...(account === undefined ? [] : [`d.account = ${integer(account)}`]),
    ...(key === undefined ? [] : [`d.caller = ${integer(key)}`]),
    ...(operation === undefined ? [] : [`d.tool = ${parameters.add(operation)}`])
  ].join(" and ")
  const select = (isGrouped: boolean, expression: string, ungrouped: string) => isGrouped ? expression : ungrouped
  const groups = `${select(grouped.month, "d.month", "0")}::bigint as month,
      ${select(grouped.day, "d.day", "0")}::bigint as day,
      ${select(grouped.key, `case when d.day > 0 then d.caller else ${unknownCaller} end`, "0")}::bigint as caller,
      ${select(grouped.operation, "d.tool", "''")}::text collate "C" as operation,
      sum(d.calls) as calls, sum(d.failed) as failed, sum(d.credits) as credits
    from credit_usage_days d where ${conditions}`
  const lines = grouped.account
    ? `select a.id as account, a.external_id, u.* from accounts a cross join lateral (
        select ${groups} and d.account = a.id group by 1, 2, 3, 4
      ) u where a.id >= ${integer(after[0])}${account === undefined ? "" : ` and a.id = ${integer(account)}`}`
    : `select 0::bigint as account, null::text as external_id, u.* from (select ${groups} group by 1, 2, 3, 4) u`
  const position = [...after.slice(0, 4).map((part) => integer(Number(part))), `${parameters.add(after[4])}::text`]
  const text = `select l.account::float8 as account, l.external_id, l.month::float8 as month, l.day::float8 as day,
      l.caller::float8 as caller, k.name, l.operation, l.calls::float8 as calls, l.failed::float8 as failed,
      l.credits::float8 as credits
    from (${lines}) l
    left join keys k on k.id = l.caller and k.account = l.account
    where (l.account, l.month, l.day, l.caller, l.operation) > (${position.join(", ")})
    order by l.account, l.month, l.day, l.caller, l.operation limit ${integer(limit)}`
  return { text, parameters: parameters.values }
}

export interface UsageLineRow {
  readonly account: number
  readonly external_id: string | null
  readonly month: number
  readonly day: number
  readonly caller: number
  readonly name: string | null
  readonly operation: string
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

export const toUsageLine =
  ({ groupBy }: UsageReportQuery) =>
  ({ account, caller, calls, credits, day, external_id, failed, month, name, operation }: UsageLineRow): UsageLine => {
    const grouped = groupedDimensions(groupBy)
    return {
      position: [account, month, day, caller, operation],
      account: grouped.account ? { id: account, externalId: external_id } : null,
      month: grouped.month ? fromMonthNumber(month) : null,
      day: day === 0 ? null : day * dayMs,
      caller: !grouped.key ? null : caller === unknownCaller ? { kind: "unknown" } : toCaller(caller, name),
      operation: grouped.operation ? operation : null,
      calls,
      failed,
      credits
    }
  }

/** Returns the statement that checks whether the days of a report are over and all their calls have ended. */
export const selectIsFinal = ({ account, from, to }: UsageReportQuery, at: string | null) => {
  const parameters = makeParameters()
  const integer = (value: number) => `${parameters.add(int8(value))}::bigint`
  const end = integer(to + dayMs)
  const text = `select ${end} + ${usageSettlingMs} <= ${nowSql(parameters.add(at))} and not exists (
      select 1 from credit_reservations e
      where e.state = 'reserved' and e.reserved_at between ${integer(from)} and ${end} - 1
        and e.month between ${integer(toMonthNumber(monthOf(from)))} and ${integer(toMonthNumber(monthOf(to)))}
        ${account === undefined ? "" : `and e.account = ${integer(account)}`}
    ) as is_final`
  return { text, parameters: parameters.values }
}
