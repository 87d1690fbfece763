import { Schema } from "effect"
import { optional, withDefault } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { price, recordId, shortText } from "./arguments.ts"
import { PositionRow, TradeRow } from "./fields.ts"

export const closePosition = specify({
  name: "close_position",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Closes a journal position, or a fraction of its open size, and records a trade with R and profit.",
  parameters: Schema.Struct({
    id: recordId,
    exit: price,
    fraction: withDefault(
      Schema.Finite.annotate({ description: "Share of the open size" }).check(
        Schema.isGreaterThan(0),
        Schema.isLessThanOrEqualTo(1)
      ),
      1
    ),
    fees_usd: withDefault(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 })), 0),
    notes: optional(shortText)
  }),
  result: Schema.Struct({
    trade: TradeRow,
    position: Schema.NullOr(PositionRow).annotate({
      description: "The position with its remaining size; null if it is closed completely"
    })
  }),
  example: { id: 1, exit: 98000, fraction: 0.5, fees_usd: 1.2 }
})
