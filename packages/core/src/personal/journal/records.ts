import { Schema } from "effect"
import { Decimal } from "./decimal.ts"

/* The records of a journal, with times in epoch ms by the store's clock, and one sequence of ids for all accounts. */

const AmountOrNull = Schema.NullOr(Decimal)

export const Side = Schema.Literals(["long", "short"])
export type Side = typeof Side.Type

/** An open position as its owner recorded it, with null for fields that were not recorded. */
export const Position = Schema.Struct({
  id: Schema.Int,
  coin: Schema.String,
  side: Side,
  leverage: AmountOrNull,
  /** The notional of the position's open part at the entry, in USD. */
  sizeUsd: AmountOrNull,
  entry: AmountOrNull,
  stop: AmountOrNull,
  /** The first recorded stop price of the position, from which the R multiple is computed. */
  initialStop: AmountOrNull,
  takes: Schema.Array(Decimal),
  notes: Schema.NullOr(Schema.String),
  /** The share of the position that is still open, 0 to 1. */
  share: Decimal,
  openedAt: Schema.Int,
  updatedAt: Schema.Int
})
export type Position = typeof Position.Type

/** The close of a position, or of a part of a position. */
export const Trade = Schema.Struct({
  id: Schema.Int,
  positionId: Schema.Int,
  coin: Schema.String,
  side: Side,
  /** The fraction of the open position that the trade closed. */
  fraction: Decimal,
  /** The closed share of the whole position; the shares of all trades of a closed position add up to 1. */
  share: Decimal,
  /** The notional of the part that the trade closed, at the entry price, in USD. */
  sizeUsd: AmountOrNull,
  entry: AmountOrNull,
  exit: Decimal,
  initialStop: AmountOrNull,
  feesUsd: Decimal,
  /** The trade's profit after fees, or null if the size or entry was never recorded. */
  pnlUsd: AmountOrNull,
  /** Whether the trade closed the position completely. */
  closes: Schema.Boolean,
  notes: Schema.NullOr(Schema.String),
  openedAt: Schema.Int,
  closedAt: Schema.Int
})
export type Trade = typeof Trade.Type

/** A note in an account's journal, optionally about a trade or a coin. */
export const JournalNote = Schema.Struct({
  id: Schema.Int,
  text: Schema.String,
  tradeId: Schema.NullOr(Schema.Int),
  coin: Schema.NullOr(Schema.String),
  writtenAt: Schema.Int
})
export type JournalNote = typeof JournalNote.Type

/** The risk limits of an account, with null for a limit that is not set. */
export const RiskProfile = Schema.Struct({
  accountUsd: AmountOrNull,
  riskPct: AmountOrNull,
  maxLeverage: AmountOrNull,
  maxOpenRiskPct: AmountOrNull
})
export type RiskProfile = typeof RiskProfile.Type

export const noProfile: RiskProfile = { accountUsd: null, riskPct: null, maxLeverage: null, maxOpenRiskPct: null }

/** The result of a change of a journal. A repeated call with an equal `callId` returns the same result. */
export const JournalChangeResult = Schema.TaggedUnion({
  Position: { position: Position },
  Closed: { trade: Trade, position: Schema.NullOr(Position) },
  Deleted: { id: Schema.Int },
  Note: { note: JournalNote },
  Profile: { profile: RiskProfile },
  Watchlist: { coins: Schema.Array(Schema.String) }
})
export type JournalChangeResult = typeof JournalChangeResult.Type

/** The maximum number of records in an account's journal. */
export const journalLimits = { positions: 100, trades: 20_000, notes: 2_000, watchlist: 100 } as const
