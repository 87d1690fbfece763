import { Context } from "effect"
import type { FxPair, FxRate } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Series, Stepped } from "./series.ts"

/** Exchange rates, as stored; what `CoinPrices` says of all stored market data holds here. */
export class ExchangeRates extends Context.Service<ExchangeRates, {
  /**
   * The rate that holds at an instant (default now): the last one quoted by then. The reading's `asOf` is when that
   * was.
   */
  readonly rate: (query: { readonly pair: FxPair; readonly time?: number }) => MarketRead<FxRate>

  /** The rate at every multiple of `stepMs` in the interval. */
  readonly history: (query: { readonly pair: FxPair } & Stepped) => MarketRead<Series<FxRate>>
}>()("@tapeline/core/market/ExchangeRates") {}
