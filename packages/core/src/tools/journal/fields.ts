import { Schema } from "effect"
import { Instant, maybe, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { side } from "./arguments.ts"

/** A position as it was recorded. */
export const positionFields = {
  id: Schema.Int,
  coin: Schema.String,
  side,
  leverage: maybe("Times"),
  size_usd: maybe("Notional at the entry of what is open, USD"),
  entry: maybe("USD"),
  stop: maybe("USD"),
  initial_stop: maybe("The first stop that was recorded, which R is measured by; USD"),
  takes: Schema.Array(quantity("USD")),
  notes: Schema.NullOr(Schema.String),
  open_share: quantity("What is open of the whole position, 0 to 1", fraction),
  opened_at: Instant.annotate({ description: "When it was recorded" }),
  updated_at: Instant
}

export const PositionRow = Schema.Struct(positionFields)

/** A position valued at the market price. */
export const ValuedPosition = Schema.Struct({
  ...positionFields,
  mark: maybe("Newest price, USD"),
  value_usd: maybe("Notional at the mark, USD"),
  unrealised_usd: maybe("Profit at the mark before fees: size_usd (mark - entry) / entry, turned for a short"),
  unrealised_pct: maybe("Of size_usd", percent),
  liquidation_price: maybe(
    "Isolated, wallet size / leverage, maintenance 0.5 %; null without leverage or where no price liquidates",
    level
  ),
  liquidation_distance_pct: maybe("From the mark to the liquidation price, of the mark", percent)
})

export const NoteRow = Schema.Struct({
  id: Schema.Int,
  text: Schema.String,
  trade_id: Schema.NullOr(Schema.Int),
  coin: Schema.NullOr(Schema.String),
  time: Instant
})

/** A partial or complete close of a position. */
export const TradeRow = Schema.Struct({
  id: Schema.Int,
  position_id: Schema.Int,
  coin: Schema.String,
  side,
  fraction: quantity("Of what was open then, 0 to 1", fraction),
  size_usd: maybe("Notional at the entry of what was closed, USD"),
  entry: maybe("USD"),
  exit: quantity("USD"),
  initial_stop: maybe("The first stop that was recorded, USD"),
  r: maybe(
    "(exit - entry) / |entry - initial_stop|, turned for a short; null without such a stop on the losing side",
    fraction
  ),
  fees_usd: quantity("USD"),
  pnl_usd: maybe("Profit after fees, USD; null where size or entry were not recorded"),
  opened_at: Instant,
  closed_at: Instant,
  notes: Schema.NullOr(Schema.String)
})

export const ProfileFields = Schema.Struct({
  account_usd: maybe("USD"),
  risk_pct: maybe("Risk of a trade, percent of the account"),
  max_leverage: maybe("Times"),
  max_open_risk_pct: maybe("Risk of all open positions together, percent of the account"),
  base_currency: Schema.Literal("USD")
})
