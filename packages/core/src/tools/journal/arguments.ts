import { Schema } from "effect"
import { hasWords, Text } from "../../engine/text/text.ts"
import { expects, optional } from "../../engine/tool/argument.ts"

/** Between bounds that no schema tells: they are beyond what anybody asks, and language models read every word. */
const within = (minimum: number, maximum: number) =>
  Schema.Finite.check(Schema.makeFilter(
    (value) => value >= minimum && value <= maximum,
    expects(`a value from ${minimum} to ${maximum}`, {
      key: "expected_between",
      params: { minimum: `${minimum}`, maximum: `${maximum}` }
    })
  ))

/** A price: as small as any coin's, and of as many digits as reckoning with it keeps. */
export const price = within(1e-15, 1e15)

/** An amount of money that is somebody's. */
export const usd = within(0.01, 1e12)

/** At more than 200 times, a position is liquidated as it is opened. */
export const leverage = Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 200 }))

export const percentOfAccount = within(0.001, 100)

export const recordId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }))

export const shortText = Text.check(Schema.isMaxLength(1_000), hasWords)

export const side = Schema.Literals(["long", "short"])

/** What of a position its owner may record, and change later. */
export const positionArguments = {
  leverage: optional(leverage),
  size_usd: optional(usd.annotate({ description: "Notional" })),
  entry: optional(price),
  stop: optional(price),
  takes: optional(Schema.Array(price).check(Schema.isMaxLength(10))),
  notes: optional(shortText)
}
