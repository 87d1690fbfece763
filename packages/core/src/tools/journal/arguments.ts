import { Schema } from "effect"
import { isNotBlank, Text } from "../../engine/text/text.ts"
import { expectation, optional } from "../../engine/tool/argument.ts"

/**
 * Creates the schema of a number between two bounds. The JSON Schema omits the bounds to save tokens of the language
 * model.
 */
const makeBetween = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.makeFilter(
    (value) => value >= minimum && value <= maximum,
    expectation(`a value from ${minimum} to ${maximum}`, {
      key: "expected_between",
      params: { minimum: `${minimum}`, maximum: `${maximum}` }
    })
  ))

/** The schema of a price, with bounds for the smallest coin prices and the precision of computations. */
export const price = makeBetween(1e-15, 1e15)

/** The schema of an amount of money of an account, in USD. */
export const usd = makeBetween(0.01, 1e12)

/** The schema of a position's leverage; above 200, a position is liquidated when it is opened. */
export const leverage = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 200 }))

export const percentOfAccount = makeBetween(0.001, 100)

export const recordId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

export const shortText = Text.check(Schema.isMaxLength(1_000), isNotBlank)

export const side = Schema.Literals(["long", "short"])

/** The fields of a position that its owner may record and later change. */
export const positionArguments = {
  leverage: optional(leverage),
  size_usd: optional(usd.annotate({ description: "Notional" })),
  entry: optional(price),
  stop: optional(price),
  takes: optional(Schema.Array(price).check(Schema.isMaxLength(10))),
  notes: optional(shortText)
}
