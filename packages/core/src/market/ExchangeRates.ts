import { Context } from "effect"
import type { FxPair, FxRate } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Series, SteppedInterval } from "./series.ts"

/** Stored exchange rates. The rules of `CoinPrices` for stored market data apply. */
export class ExchangeRates extends Context.Service<ExchangeRates, {
  /**
   * Returns the exchange rate at a time (default now), which is the last rate quoted by then. The reading's `asOf` is
   * the time of the quote.
   */
  readonly rate: (query: { readonly pair: FxPair; readonly time?: number }) => MarketRead<FxRate>

  /** Returns the exchange rate at every multiple of `stepMs` in the interval. */
  readonly history: (query: { readonly pair: FxPair } & SteppedInterval) => MarketRead<Series<FxRate>>
}>()("@tapeline/core/market/ExchangeRates") {}
