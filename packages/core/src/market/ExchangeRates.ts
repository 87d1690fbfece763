import { Context } from "effect"
import type { FxPair, FxRate } from "./korea.ts"
import type { MarketRead } from "./reading.ts"
import type { Series, SteppedInterval } from "./series.ts"

/** Stored exchange rates, under the rules of `CoinPrices` for stored market data. */
export class ExchangeRates extends Context.Service<ExchangeRates, {
  /** Returns the last exchange rate quoted by a time (default now), as of the time of the quote. */
  readonly rate: (query: { readonly pair: FxPair; readonly time?: number }) => MarketRead<FxRate>

  readonly history: (query: { readonly pair: FxPair } & SteppedInterval) => MarketRead<Series<FxRate>>
}>()("@tapeline/core/market/ExchangeRates") {}
