import { Schema } from "effect"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { side } from "./arguments.ts"

/** The fields of a position as the owner recorded the position. */
export const positionFields = {
  id: Schema.Int,
  coin: Schema.String,
  side,
  leverage: nullableQuantity("Times"),
  size_usd: nullableQuantity("Notional at the entry of what is open, USD"),
  entry: nullableQuantity("USD"),
  stop: nullableQuantity("USD"),
  initial_stop: nullableQuantity("The first stop that was recorded, which R is measured by; USD"),
  takes: Schema.Array(quantity("USD")),
  notes: Schema.NullOr(Schema.String),
  open_share: quantity("What is open of the whole position, 0 to 1", fraction),
  opened_at: Instant.annotate({ description: "When it was recorded" }),
  updated_at: Instant
}

export const PositionRow = Schema.Struct(positionFields)

/** The schema of a position that is valued at the market price. */
export const ValuedPosition = Schema.Struct({
  ...positionFields,
  mark: nullableQuantity("Newest price, USD"),
  value_usd: nullableQuantity("Notional at the mark, USD"),
  unrealised_usd: nullableQuantity(
    "Profit at the mark before fees: size_usd (mark - entry) / entry, turned for a short"
  ),
  unrealised_pct: nullableQuantity("Of size_usd", percent),
  liquidation_price: nullableQuantity(
    "Isolated, wallet size / leverage, maintenance 0.5 %; null without leverage or where no price liquidates",
    level
  ),
  liquidation_distance_pct: nullableQuantity("From the mark to the liquidation price, of the mark", percent)
})

export const NoteRow = Schema.Struct({
  id: Schema.Int,
  text: Schema.String,
  trade_id: Schema.NullOr(Schema.Int),
  coin: Schema.NullOr(Schema.String),
  time: Instant
})

/** The schema of a partial or complete close of a position. */
export const TradeRow = Schema.Struct({
  id: Schema.Int,
  position_id: Schema.Int,
  coin: Schema.String,
  side,
  fraction: quantity("Of what was open then, 0 to 1", fraction),
  size_usd: nullableQuantity("Notional at the entry of what was closed, USD"),
  entry: nullableQuantity("USD"),
  exit: quantity("USD"),
  initial_stop: nullableQuantity("The first stop that was recorded, USD"),
  r: nullableQuantity(
    "(exit - entry) / |entry - initial_stop|, turned for a short; null without such a stop on the losing side",
    fraction
  ),
  fees_usd: quantity("USD"),
  pnl_usd: nullableQuantity("Profit after fees, USD; null where size or entry were not recorded"),
  opened_at: Instant,
  closed_at: Instant,
  notes: Schema.NullOr(Schema.String)
})

export const ProfileFields = Schema.Struct({
  account_usd: nullableQuantity("USD"),
  risk_pct: nullableQuantity("Risk of a trade, percent of the account"),
  max_leverage: nullableQuantity("Times"),
  max_open_risk_pct: nullableQuantity("Risk of all open positions together, percent of the account"),
  base_currency: Schema.Literal("USD")
})
