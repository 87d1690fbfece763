import { Schema } from "effect"
import { Decimal } from "./decimal.ts"

/* What a journal holds. Times are epoch ms, by the store's clock. Ids are drawn from one sequence for all accounts. */

const AmountOrNull = Schema.NullOr(Decimal)

export const Side = Schema.Literals(["long", "short"])
export type Side = typeof Side.Type

/** A position that is open, as its owner recorded it. What was not recorded is null. */
export const Position = Schema.Struct({
  id: Schema.Int,
  coin: Schema.String,
  side: Side,
  leverage: AmountOrNull,
  /** Notional at the entry of what is left of it, USD. */
  sizeUsd: AmountOrNull,
  entry: AmountOrNull,
  stop: AmountOrNull,
  /** The first stop that was ever recorded: what R is measured by. */
  initialStop: AmountOrNull,
  takes: Schema.Array(Decimal),
  notes: Schema.NullOr(Schema.String),
  /** What is left of the whole, 0 to 1. */
  share: Decimal,
  openedAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Position = typeof Position.Type

/** A part of a position that was closed, or the whole. */
export const Trade = Schema.Struct({
  id: Schema.Int,
  positionId: Schema.Int,
  coin: Schema.String,
  side: Side,
  /** Of what was open then. */
  fraction: Decimal,
  /** Of the whole position: the shares of a position's trades add up to 1 once it is closed. */
  share: Decimal,
  /** Notional at the entry of what was closed, USD. */
  sizeUsd: AmountOrNull,
  entry: AmountOrNull,
  exit: Decimal,
  initialStop: AmountOrNull,
  feesUsd: Decimal,
  /** After fees; null where size or entry were never recorded. */
  pnlUsd: AmountOrNull,
  /** True of the trade that left nothing open. */
  closes: Schema.Boolean,
  notes: Schema.NullOr(Schema.String),
  openedAt: Schema.Int,
  closedAt: Schema.Int
})
export type Trade = typeof Trade.Type

/** A note of the journal, on a trade, on a coin, or on neither. */
export const JournalNote = Schema.Struct({
  id: Schema.Int,
  text: Schema.String,
  tradeId: Schema.NullOr(Schema.Int),
  coin: Schema.NullOr(Schema.String),
  writtenAt: Schema.Int
})
export type JournalNote = typeof JournalNote.Type

/** What an account is willing to risk; null where it never said. */
export const RiskProfile = Schema.Struct({
  accountUsd: AmountOrNull,
  riskPct: AmountOrNull,
  maxLeverage: AmountOrNull,
  maxOpenRiskPct: AmountOrNull
})
export type RiskProfile = typeof RiskProfile.Type

export const noProfile: RiskProfile = { accountUsd: null, riskPct: null, maxLeverage: null, maxOpenRiskPct: null }

/** What a change of a journal wrote: what its call answers, however often it is made. */
export const Written = Schema.TaggedUnion({
  Position: { position: Position },
  Closed: { trade: Trade, position: Schema.NullOr(Position) },
  Deleted: { id: Schema.Int },
  Note: { note: JournalNote },
  Profile: { profile: RiskProfile },
  Watchlist: { coins: Schema.Array(Schema.String) }
})
export type Written = typeof Written.Type

/** How much an account's journal holds at most. */
export const journalBounds = { positions: 100, trades: 20_000, notes: 2_000, watchlist: 100 } as const
