import { Column } from "@tapeline/core/engine"
import type { IvHistory, OptionChain, OptionExpiry, OptionTrade } from "@tapeline/core/market"
import { Schema } from "effect"
import { column, known } from "./column.ts"

// Options in columns, like the candles in `tables.ts`. Names are exchanged as text.

export const OptionTradeTable = Schema.Struct({
  instruments: Schema.Array(Schema.String),
  time: Column,
  /** 1 for true, 0 for false. */
  isCall: Column,
  strike: Column,
  expiryAt: Column,
  /** 1 for true, 0 for false. */
  isBuy: Column,
  size: Column,
  premiumUsd: Column,
  ivPct: Column,
  spot: Column
})

export const optionTradeTable = (trades: ReadonlyArray<OptionTrade>): typeof OptionTradeTable.Type => ({
  instruments: trades.map(({ instrument }) => instrument),
  time: column(trades, ({ time }) => time),
  isCall: column(trades, ({ type }) => type === "call" ? 1 : 0),
  strike: column(trades, ({ strike }) => strike),
  expiryAt: column(trades, ({ expiryAt }) => expiryAt),
  isBuy: column(trades, ({ side }) => side === "buy" ? 1 : 0),
  size: column(trades, ({ size }) => size),
  premiumUsd: column(trades, ({ premiumUsd }) => premiumUsd),
  ivPct: column(trades, ({ ivPct }) => ivPct),
  spot: column(trades, ({ spot }) => spot)
})

export const optionTradesOf = (table: typeof OptionTradeTable.Type): ReadonlyArray<OptionTrade> =>
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
  /** 1 for true, 0 for false. */
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

const expiryTable = ({ quotes, ...expiry }: OptionExpiry): typeof ExpiryTable.Type => ({
  ...expiry,
  instruments: quotes.map(({ instrument }) => instrument),
  isCall: column(quotes, ({ type }) => type === "call" ? 1 : 0),
  strike: column(quotes, ({ strike }) => strike),
  bid: column(quotes, ({ bid }) => bid),
  ask: column(quotes, ({ ask }) => ask),
  mark: column(quotes, ({ mark }) => mark),
  ivPct: column(quotes, ({ ivPct }) => ivPct),
  openInterest: column(quotes, ({ openInterest }) => openInterest),
  volume24h: column(quotes, ({ volume24h }) => volume24h)
})

export const chainTable = (chain: OptionChain): typeof ChainTable.Type => ({
  ...chain,
  expiries: chain.expiries.map(expiryTable)
})

const expiryOf = (
  { ask, bid, instruments, isCall, ivPct, mark, openInterest, strike, volume24h, ...expiry }: typeof ExpiryTable.Type
): OptionExpiry => ({
  ...expiry,
  quotes: instruments.map((instrument, i) => ({
    instrument,
    type: isCall[i] === 1 ? "call" : "put",
    strike: strike[i]!,
    bid: known(bid[i]),
    ask: known(ask[i]),
    mark: known(mark[i]),
    ivPct: known(ivPct[i]),
    openInterest: known(openInterest[i]),
    volume24h: known(volume24h[i])
  }))
})

export const chainOf = (table: typeof ChainTable.Type): OptionChain => ({
  ...table,
  expiries: table.expiries.map(expiryOf)
})

export const IvTable = Schema.Struct({
  method: Schema.Literals(["atm_interpolated", "index"]),
  maturityDays: Schema.Finite,
  since: Schema.NullOr(Schema.Finite),
  time: Column,
  ivPct: Column
})

export const ivTable = ({ points, ...history }: IvHistory): typeof IvTable.Type => ({
  ...history,
  time: column(points, ({ time }) => time),
  ivPct: column(points, ({ ivPct }) => ivPct)
})

export const ivOf = ({ ivPct, time, ...history }: typeof IvTable.Type): IvHistory => ({
  ...history,
  points: Array.from(time, (at, i) => ({ time: at, ivPct: ivPct[i]! }))
})
