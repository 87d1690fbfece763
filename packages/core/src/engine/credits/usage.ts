import type { Month } from "./month.ts"

/** The number of ended calls, the number of failed calls, and the credits charged. Failed calls charge no credits. */
export interface UsageTotals {
  readonly calls: number
  readonly failed: number
  readonly credits: number
}

/**
 * A caller in a month's usage: an API key, all sessions together, or all tasks together. `name` is null if the account
 * no longer has this API key.
 */
export type UsageCaller =
  | { readonly kind: "key"; readonly key: number; readonly name: string | null }
  | { readonly kind: "session" }
  | { readonly kind: "task" }

/** The dimensions by which a usage report can group calls, in the order in which its lines are sorted. */
export const usageDimensions = ["account", "month", "day", "key", "operation"] as const
export type UsageDimension = typeof usageDimensions[number]

/**
 * The position of a line in a usage report: account, month (such as 202611), day (days since 1970), caller, and
 * operation. The caller is the id of a key, 0 for tasks, -1 for sessions, or -2 if it is unknown. If the report does
 * not group by a dimension, its field is 0 or an empty text. Lines are sorted by their positions, and no two lines
 * share one.
 */
export type UsagePosition = readonly [account: number, month: number, day: number, caller: number, operation: string]

/** The position before the first line of a usage report. */
export const usageStart: UsagePosition = [0, 0, 0, -3, ""]

export interface UsageReportQuery {
  /** The start of the first UTC day, in epoch ms. */
  readonly from: number
  /** The start of the last UTC day, in epoch ms. */
  readonly to: number
  readonly account?: number | undefined
  /** Selects the calls of one API key. */
  readonly key?: number | undefined
  /** Selects the calls of one operation: a tool's name, or `agent.answer`. */
  readonly operation?: string | undefined
  /** Grouping by `key` implies grouping by `account`, and grouping by `day` implies grouping by `month`. */
  readonly groupBy: ReadonlyArray<UsageDimension>
  /** The position after which the report continues. */
  readonly after: UsagePosition
  /** The maximum number of lines, at least 1. */
  readonly limit: number
}

/**
 * The usage of one group of calls. A dimension by which the report does not group is null. `day` is the start of the
 * UTC day in epoch ms; it is null for usage from before the database counted days, whose caller is `unknown`.
 */
export interface UsageLine extends UsageTotals {
  readonly position: UsagePosition
  readonly account: { readonly id: number; readonly externalId: string | null } | null
  readonly month: Month | null
  readonly day: number | null
  readonly caller: UsageCaller | { readonly kind: "unknown" } | null
  readonly operation: string | null
}

export interface UsageReport {
  readonly lines: ReadonlyArray<UsageLine>
  /** Whether the days of the report are over and all their calls have ended, so that no line can change. */
  readonly isFinal: boolean
}

/** Returns for each dimension whether a report groups by it. */
export const groupedDimensions = (
  groupBy: ReadonlyArray<UsageDimension>
): Readonly<Record<UsageDimension, boolean>> => {
  const has = (dimension: UsageDimension) => groupBy.includes(dimension)
  return {
    account: has("account") || has("key"),
    month: has("month") || has("day"),
    day: has("day"),
    key: has("key"),
    operation: has("operation")
  }
}

/**
 * The time in ms after the end of a day in which a report of the day is not final, because a reservation of the day may
 * not be visible yet.
 */
export const usageSettlingMs = 60_000
