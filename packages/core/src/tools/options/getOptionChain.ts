import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { level, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { optionalExpiry } from "./arguments.ts"
import { ChainRow } from "./fields.ts"

export const getOptionChain = specify({
  name: "get_option_chain",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary: "Options of BTC, ETH or SOL by strike, one expiry: quotes, IV, greeks. Legs: get_option_structure.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    expiry: optionalExpiry,
    strikes_around: withDefault(integerBetween(1, 200), 20)
  }),
  result: Schema.Struct({
    coin: Schema.String,
    expiry: Schema.String.annotate({ description: "Date of the listed expiry, UTC" }),
    expires_at: Instant,
    days: quantity("Days until then", roundToDecimals(6)),
    spot: quantity("Index price, USD", level),
    forward: nullableQuantity("Forward of this expiry, USD", level),
    expiries: Schema.Array(Schema.Struct({
      expiry: Schema.String,
      days: quantity("Days until then", roundToDecimals(2)),
      oi: nullableQuantity("Open interest, coins; null if no source reports it")
    })).annotate({ description: "All listed expiries, nearest first" }),
    rows: Schema.Array(ChainRow).annotate({ description: "By strike, ascending" }),
    strikes_listed: Schema.Int.annotate({ description: "Number of all strikes of this expiry" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
