import { Schema } from "effect"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { side } from "./arguments.ts"

export const positionFields = {
  id: Schema.Int,
  coin: Schema.String,
  side,
  leverage: nullableQuantity("Times"),
  size_usd: nullableQuantity("Open notional at the entry price, USD"),
  entry: nullableQuantity("USD"),
  stop: nullableQuantity("USD"),
  initial_stop: nullableQuantity("The first recorded stop, from which R is computed; USD"),
  takes: Schema.Array(quantity("USD")),
  notes: Schema.NullOr(Schema.String),
  open_share: quantity("Open share of the original position, 0 to 1", fraction),
  opened_at: Instant.annotate({ description: "Time at which the position was recorded" }),
  updated_at: Instant
}

export const PositionRow = Schema.Struct(positionFields)

/** The schema of a position that is valued at the market price. */
export const ValuedPosition = Schema.Struct({
  ...positionFields,
  mark: nullableQuantity("Latest price, USD"),
  value_usd: nullableQuantity("Notional at the mark, USD"),
  unrealised_usd: nullableQuantity(
    "Profit at the mark before fees: size_usd (mark - entry) / entry, with the opposite sign for a short"
  ),
  unrealised_pct: nullableQuantity("Share of size_usd, percent", percent),
  liquidation_price: nullableQuantity(
    "For isolated margin of size / leverage and a maintenance margin of 0.5 %; null without leverage, or if no price liquidates",
    level
  ),
  liquidation_distance_pct: nullableQuantity(
    "Distance from the mark to the liquidation price, percent of the mark",
    percent
  )
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
  fraction: quantity("Closed share of the size that was open, 0 to 1", fraction),
  size_usd: nullableQuantity("Closed notional at the entry price, USD"),
  entry: nullableQuantity("USD"),
  exit: quantity("USD"),
  initial_stop: nullableQuantity("The first recorded stop, USD"),
  r: nullableQuantity(
    "(exit - entry) / |entry - initial_stop|, with the opposite sign for a short; null unless initial_stop is on the losing side",
    fraction
  ),
  fees_usd: quantity("USD"),
  pnl_usd: nullableQuantity("Profit after fees, USD; null if size or entry were not recorded"),
  opened_at: Instant,
  closed_at: Instant,
  notes: Schema.NullOr(Schema.String)
})

export const ProfileFields = Schema.Struct({
  account_usd: nullableQuantity("USD"),
  risk_pct: nullableQuantity("Risk per trade, percent of the account"),
  max_leverage: nullableQuantity("Times"),
  max_open_risk_pct: nullableQuantity("Total risk of all open positions, percent of the account"),
  base_currency: Schema.Literal("USD")
})
