import { Column } from "@tapeline/core/engine"
import type { IvHistory, OptionChain, OptionExpiry, OptionTrade } from "@tapeline/core/market"
import { Schema } from "effect"
import { numberOrNull, toColumn } from "./tables.ts"

// The tables of this file store option data in columns, like the tables in `tables.ts`. Instrument names are stored as
// text.

export const OptionTradeTable = Schema.Struct({
  instruments: Schema.Array(Schema.String),
  time: Column,
  /** A column in which 1 means a call and 0 means a put. */
  isCall: Column,
  strike: Column,
  expiryAt: Column,
  /** A column in which 1 means a buy and 0 means a sale. */
  isBuy: Column,
  size: Column,
  premiumUsd: Column,
  ivPct: Column,
  spot: Column
})

export const toOptionTradeTable = (trades: ReadonlyArray<OptionTrade>): typeof OptionTradeTable.Type => ({
  instruments: trades.map(({ instrument }) => instrument),
  time: toColumn(trades, ({ time }) => time),
  isCall: toColumn(trades, ({ type }) => type === "call" ? 1 : 0),
  strike: toColumn(trades, ({ strike }) => strike),
  expiryAt: toColumn(trades, ({ expiryAt }) => expiryAt),
  isBuy: toColumn(trades, ({ side }) => side === "buy" ? 1 : 0),
  size: toColumn(trades, ({ size }) => size),
  premiumUsd: toColumn(trades, ({ premiumUsd }) => premiumUsd),
  ivPct: toColumn(trades, ({ ivPct }) => ivPct),
  spot: toColumn(trades, ({ spot }) => spot)
})

export const fromOptionTradeTable = (table: typeof OptionTradeTable.Type): ReadonlyArray<OptionTrade> =>
  table.instruments.map((instrument, i) => ({
    time: table.time[i]!,
    instrument,
    type: table.isCall[i] === 1 ? "call" : "put",
    strike: table.strike[i]!,
    expiryAt: table.expiryAt[i]!,
    side: table.isBuy[i] === 1 ? "buy" : "sell",
    size: table.size[i]!,
    premiumUsd: table.premiumUsd[i]!,
    ivPct: table.ivPct[i]!,
    spot: table.spot[i]!
  }))

const ExpiryTable = Schema.Struct({
  expiryAt: Schema.Finite,
  forward: Schema.NullOr(Schema.Finite),
  discount: Schema.NullOr(Schema.Finite),
  exercise: Schema.Literals(["european", "american"]),
  instruments: Schema.Array(Schema.String),
  /** A column in which 1 means a call and 0 means a put. */
  isCall: Column,
  strike: Column,
  bid: Column,
  ask: Column,
  mark: Column,
  ivPct: Column,
  openInterest: Column,
  volume24h: Column
})

export const ChainTable = Schema.Struct({
  time: Schema.Finite,
  underlying: Schema.String,
  spot: Schema.Finite,
  multiplier: Schema.Finite,
  expiries: Schema.Array(ExpiryTable)
})

const toExpiryTable = ({ quotes, ...expiry }: OptionExpiry): typeof ExpiryTable.Type => ({
  ...expiry,
  instruments: quotes.map(({ instrument }) => instrument),
  isCall: toColumn(quotes, ({ type }) => type === "call" ? 1 : 0),
  strike: toColumn(quotes, ({ strike }) => strike),
  bid: toColumn(quotes, ({ bid }) => bid),
  ask: toColumn(quotes, ({ ask }) => ask),
  mark: toColumn(quotes, ({ mark }) => mark),
  ivPct: toColumn(quotes, ({ ivPct }) => ivPct),
  openInterest: toColumn(quotes, ({ openInterest }) => openInterest),
  volume24h: toColumn(quotes, ({ volume24h }) => volume24h)
})

export const toChainTable = (chain: OptionChain): typeof ChainTable.Type => ({
  ...chain,
  expiries: chain.expiries.map(toExpiryTable)
})

const fromExpiryTable = (
  { ask, bid, instruments, isCall, ivPct, mark, openInterest, strike, volume24h, ...expiry }: typeof ExpiryTable.Type
): OptionExpiry => ({
  ...expiry,
  quotes: instruments.map((instrument, i) => ({
    instrument,
    type: isCall[i] === 1 ? "call" : "put",
    strike: strike[i]!,
    bid: numberOrNull(bid[i]),
    ask: numberOrNull(ask[i]),
    mark: numberOrNull(mark[i]),
    ivPct: numberOrNull(ivPct[i]),
    openInterest: numberOrNull(openInterest[i]),
    volume24h: numberOrNull(volume24h[i])
  }))
})

export const fromChainTable = (table: typeof ChainTable.Type): OptionChain => ({
  ...table,
  expiries: table.expiries.map(fromExpiryTable)
})

export const IvTable = Schema.Struct({
  method: Schema.Literals(["atm_interpolated", "index"]),
  maturityDays: Schema.Finite,
  since: Schema.NullOr(Schema.Finite),
  time: Column,
  ivPct: Column
})

export const toIvTable = ({ points, ...history }: IvHistory): typeof IvTable.Type => ({
  ...history,
  time: toColumn(points, ({ time }) => time),
  ivPct: toColumn(points, ({ ivPct }) => ivPct)
})

export const fromIvTable = ({ ivPct, time, ...history }: typeof IvTable.Type): IvHistory => ({
  ...history,
  points: Array.from(time, (timeMs, i) => ({ time: timeMs, ivPct: ivPct[i]! }))
})
