import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { IndexQuote, SessionClose, StockPrice, StockQuote } from "./equity.ts"
import type { EquityCountry } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"

/**
 * Stocks and indices that the service stores, for reads of all stocks and for reads every minute. The rules of
 * `CoinPrices` for stored market data apply. An unlisted symbol or index fails with `UnknownSymbol`.
 */
export class StoredEquities extends Context.Service<StoredEquities, {
  /** Returns the last stored quotes of a country's trading stocks, largest turnover first and unknown turnover last. */
  readonly quotes: (country: EquityCountry) => MarketRead<ReadonlyArray<StockQuote>>

  /** Returns the last stored quotes of a country's indices (`VIX` is a US index). */
  readonly indexQuotes: (country: EquityCountry) => MarketRead<ReadonlyArray<IndexQuote>>

  /** Returns at most the last `bars` daily candles of an index up to `until`, with volume 0 for an unknown volume. */
  readonly indexHistory: (query: {
    readonly index: string
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyArray<Candle>>

  /**
   * Returns every stock's last price of a regular session at or before a time, by symbol, not adjusted. Stocks that did
   * not trade or were not recorded are missing.
   */
  readonly pricesAt: (query: { readonly country: EquityCountry; readonly time: number }) => MarketRead<
    ReadonlyArray<StockPrice>
  >

  /** Returns every stock's official close of the last session that ended by `until`, by symbol, not adjusted. */
  readonly closes: (query: { readonly country: EquityCountry; readonly until?: number }) => MarketRead<
    ReadonlyArray<SessionClose>
  >
}>()("@tapeline/core/market/StoredEquities") {}
