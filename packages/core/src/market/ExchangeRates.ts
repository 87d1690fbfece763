import { Context } from "effect"
import type { FxPair, FxRate } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Series, SteppedInterval } from "./series.ts"

/** Stored exchange rates. `CoinPrices` documents the rules of stored market data. */
export class ExchangeRates extends Context.Service<ExchangeRates, {
  /** Returns the last exchange rate that was quoted at or before `time` (default now). */
  readonly rate: (query: { readonly pair: FxPair; readonly time?: number }) => MarketRead<FxRate>

  readonly history: (query: { readonly pair: FxPair } & SteppedInterval) => MarketRead<Series<FxRate>>
}>()("@tapeline/core/market/ExchangeRates") {}
