import { Schema } from "effect"
import { numberAbove, optional, withDefault } from "../../engine/tool/argument.ts"
import { dayMs } from "../../market/timeframe.ts"

const expectedDate = { expected: "a date in the form YYYY-MM-DD", expectedMessage: { key: "expected_date" } } as const

/** Returns whether a text is a date that exists, because `Date` converts an impossible date to another date. */
const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return time % dayMs === 0 && new Date(time).toISOString().startsWith(text)
}

/** The schema of an expiry's date; without a date, the tool chooses an expiry. */
export const optionalExpiry = optional(
  Schema.String.annotate({ format: "date", description: "Default: the monthly near 30 days" }).check(
    Schema.makeFilter(isDate, expectedDate)
  )
)

export const expiryOrAll = withDefault(
  Schema.String.check(
    Schema.isPattern(/^(all|\d{4}-\d{2}-\d{2})$/u, expectedDate),
    Schema.makeFilter((text) => text === "all" || isDate(text), expectedDate)
  ),
  "all"
)

/** A leg of an option structure. */
export const LegArgument = Schema.Struct({
  type: Schema.Literals(["call", "put"]),
  strike: numberAbove(0, "Nearest listed counts"),
  side: Schema.Literals(["buy", "sell", "long", "short"]),
  qty: withDefault(
    Schema.Finite.annotate({ description: "Coins" }).check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1e6)),
    1
  )
})
