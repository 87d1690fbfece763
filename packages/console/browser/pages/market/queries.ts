import type { DataOf, ToolQuery } from "../../requests/toolQuery.ts"
import { type Timeframe, timeframes } from "./timeframe.ts"

export type Overview = DataOf<"get_market_overview">
export type Price = DataOf<"get_price">
export type Candles = DataOf<"get_price_history">
export type Candle = Candles["candles"][number]
export type Levels = DataOf<"get_levels">
export type ActiveSignals = DataOf<"get_active_signals">
export type EndedSignals = DataOf<"get_signal_outcomes">
export type FundingByVenue = DataOf<"get_funding_comparison">
export type Derivatives = DataOf<"get_derivatives">
export type Positioning = DataOf<"get_positioning_history">
export type Liquidations = DataOf<"get_liquidations_history">
export type Score = DataOf<"get_score">
export type ScoreHistory = DataOf<"get_score_history">
export type Volatility = DataOf<"get_volatility">

const minute = 60_000

/**
 * The time in ms for which a tool result counts as fresh. Live values become outdated sooner than values of closed
 * candles.
 */
const freshMsOf = { live: minute / 2, minutes: 2 * minute, hourly: 10 * minute } as const

export const overviewQuery: ToolQuery<Overview> = {
  tool: "get_market_overview",
  args: {},
  freshMs: freshMsOf.minutes,
  run: (client, options) => client.tools.get_market_overview({}, options)
}

export const priceQuery = (coin: string): ToolQuery<Price> => ({
  tool: "get_price",
  args: { coin },
  freshMs: freshMsOf.live,
  run: (client, options) => client.tools.get_price({ coin }, options)
})

/** The number of candles in the chart. The price of a call does not depend on the number of candles. */
const barCount = 500

export const candlesQuery = (coin: string, tf: Timeframe): ToolQuery<Candles> => ({
  tool: "get_price_history",
  args: { coin, tf, bars: barCount },
  freshMs: Math.max(freshMsOf.live, timeframes[tf].ms / 60),
  run: (client, options) => client.tools.get_price_history({ coin, tf, bars: barCount }, options)
})

export const levelsQuery = (coin: string, timeframe: Timeframe): ToolQuery<Levels> => {
  // The tool `get_levels` rejects timeframes that are shorter than 15 minutes.
  const tf = timeframe === "5m" ? "15m" : timeframe
  return {
    tool: "get_levels",
    args: { coin, tf },
    freshMs: Math.max(freshMsOf.minutes, timeframes[tf].ms / 6),
    run: (client, options) => client.tools.get_levels({ coin, tf }, options)
  }
}

export const activeSignalsQuery: ToolQuery<ActiveSignals> = {
  tool: "get_active_signals",
  args: {},
  freshMs: freshMsOf.minutes,
  run: (client, options) => client.tools.get_active_signals({}, options)
}

export const endedSignalsQuery: ToolQuery<EndedSignals> = {
  tool: "get_signal_outcomes",
  args: { top: 300 },
  freshMs: 6 * freshMsOf.hourly,
  run: (client, options) => client.tools.get_signal_outcomes({ top: 300 }, options)
}

export const fundingQuery = (coin: string): ToolQuery<FundingByVenue> => ({
  tool: "get_funding_comparison",
  args: { coin },
  freshMs: freshMsOf.minutes,
  run: (client, options) => client.tools.get_funding_comparison({ coin }, options)
})

export const derivativesQuery = (coin: string): ToolQuery<Derivatives> => ({
  tool: "get_derivatives",
  args: { coin },
  freshMs: freshMsOf.minutes,
  run: (client, options) => client.tools.get_derivatives({ coin }, options)
})

/**
 * Returns the tool call that requests one week of hourly data. Two sections of a coin's page share the result of the
 * tool call.
 */
export const positioningQuery = (coin: string): ToolQuery<Positioning> => ({
  tool: "get_positioning_history",
  args: { coin, hours: 168 },
  freshMs: freshMsOf.hourly,
  run: (client, options) => client.tools.get_positioning_history({ coin, hours: 168 }, options)
})

export const liquidationsQuery = (coin: string): ToolQuery<Liquidations> => ({
  tool: "get_liquidations_history",
  args: { coin, hours: 24, top: 60 },
  freshMs: freshMsOf.minutes,
  run: (client, options) => client.tools.get_liquidations_history({ coin, hours: 24, top: 60 }, options)
})

export const scoreQuery = (coin: string): ToolQuery<Score> => ({
  tool: "get_score",
  args: { coin },
  freshMs: freshMsOf.hourly,
  run: (client, options) => client.tools.get_score({ coin }, options)
})

export const scoreHistoryQuery = (coin: string): ToolQuery<ScoreHistory> => ({
  tool: "get_score_history",
  args: { coin, hours: 168 },
  freshMs: freshMsOf.hourly,
  run: (client, options) => client.tools.get_score_history({ coin, hours: 168 }, options)
})

export const volatilityQuery = (coin: string): ToolQuery<Volatility> => ({
  tool: "get_volatility",
  args: { coin },
  freshMs: 6 * freshMsOf.hourly,
  run: (client, options) => client.tools.get_volatility({ coin }, options)
})
