/**
 * The names and weights for derived data and tool results. This file has no imports, because tool specifications import
 * it.
 */

/** The factors of the composite score, in the order of `ScoredHour.factors`. The weights of the factors add up to 1. */
export const scoreFactors = [
  { name: "trend", weight: 0.2, about: "EMA(20) over EMA(50), in ATRs: tanh((ema20 - ema50) / (2 atr))" },
  {
    name: "long_trend",
    weight: 0.1,
    about: "Close over EMA(200) of 600 to 624 hours, in ATRs: tanh((close - ema200) / (8 atr))"
  },
  {
    name: "momentum",
    weight: 0.2,
    about: "Log return of 24 hours over its standard deviation (from 168 hours): tanh(z)"
  },
  { name: "rsi", weight: 0.1, about: "RSI(14) around 50: (rsi - 50) / 30, limited to -1 and 1" },
  { name: "macd", weight: 0.1, about: "MACD(12, 26, 9) histogram in ATRs: tanh(2 histogram / atr)" },
  { name: "flow", weight: 0.1, about: "Taker buying over 24 hours: tanh((2 buy share - 1) / 0.1)" },
  {
    name: "funding",
    weight: 0.1,
    about:
      "Against the crowd: -tanh(z / 2), z of the last funding payment among the payments of the previous 30 days, each per 8 hours"
  },
  {
    name: "open_interest",
    weight: 0.1,
    about:
      "New positions behind the move: tanh(change of open interest in coins over the 24 hours to the last of 00:00, 08:00, 16:00 UTC / 10 %) tanh(z of momentum)"
  }
] as const

export const biases = ["bullish", "bearish", "neutral"] as const
export type Bias = (typeof biases)[number]

/** The minimum number of coins other than BTC that the breadth and dominance components need. */
export const minFearGreedCoins = 5

/**
 * The components of the fear and greed index, in the order of `FearGreedDay.components`. The weights of the components
 * add up to 1.
 */
export const fearGreedComponents = [
  { name: "volatility", weight: 0.2, about: "BTC: 50 - 50 tanh(ln(volatility of 14 days / of 90 days))" },
  { name: "momentum", weight: 0.25, about: "BTC: 50 + 50 tanh(z of 30 days)" },
  {
    name: "volume",
    weight: 0.15,
    about: "BTC: 50 + 50 tanh(z of 7 days) min(1, volume of 7 days / 1.5 of 60 days' mean)"
  },
  {
    name: "breadth",
    weight: 0.15,
    about:
      `Share of coins besides BTC that closed above their SMA(20), percent; needs at least ${minFearGreedCoins} coins`
  },
  {
    name: "dominance",
    weight: 0.1,
    about:
      `50 - 50 tanh(z of BTC's 30-day return less the median return of the other coins, at least ${minFearGreedCoins}): in fear, money moves to BTC`
  },
  {
    name: "funding",
    weight: 0.1,
    about:
      "BTC: 50 + 50 tanh(z / 2), z of the mean payment of 3 days among the payments of the previous 30 days, each per 8 hours"
  },
  { name: "social", weight: 0.05, about: "Posts about BTC on the day: 50 + 50 mean tone" }
] as const

export const fearGreedLabels = ["extreme_fear", "fear", "neutral", "greed", "extreme_greed"] as const
export type FearGreedLabel = (typeof fearGreedLabels)[number]

/** The possible trends of the market in a regime. */
export const trends = ["up", "down", "range"] as const
export type Trend = (typeof trends)[number]
export const volatilityRegimes = ["low", "normal", "high", "extreme"] as const
export type VolatilityRegime = (typeof volatilityRegimes)[number]
export const risks = ["risk_on", "neutral", "risk_off"] as const
export type Risk = (typeof risks)[number]
export const regimeLabels = ["panic", "uptrend", "downtrend", "quiet_range", "range", "volatile_range"] as const
export type RegimeLabel = (typeof regimeLabels)[number]

/** The sides of paper trades. */
export const signalSides = ["long", "short"] as const
export type SignalSide = (typeof signalSides)[number]
export const outcomeKinds = ["take", "stop", "timeout"] as const
export type OutcomeKind = (typeof outcomeKinds)[number]

/** The possible states of a coil. */
export const coilStates = ["coiled", "squeeze", "released_up", "released_down", "none"] as const
export type CoilState = (typeof coilStates)[number]

/** The starts of VWAP sessions: 00:00 UTC of each day, of each Monday, or of the first day of each month. */
export const vwapAnchors = ["day", "week", "month"] as const
export type VwapAnchor = (typeof vwapAnchors)[number]
