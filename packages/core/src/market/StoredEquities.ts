import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { IndexQuote, SessionClose, StockPrice, StockQuote } from "./equity.ts"
import type { EquityCountry } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"

/**
 * Stored data of stocks and indices. Use this port to read all stocks at once, or to read stocks every minute.
 * `CoinPrices` documents the rules of stored market data. An unlisted symbol or index fails with `UnknownSymbol`.
 */
export class StoredEquities extends Context.Service<StoredEquities, {
  /**
   * Returns the last stored quotes of a country's trading stocks, largest turnover first. Stocks whose turnover is
   * unknown come last.
   */
  readonly quotes: (country: EquityCountry) => MarketRead<ReadonlyArray<StockQuote>>

  /** Returns the last stored quotes of a country's indices; `VIX` counts as a US index. */
  readonly indexQuotes: (country: EquityCountry) => MarketRead<ReadonlyArray<IndexQuote>>

  /** Returns at most the last `bars` daily candles of an index up to `until`. An unknown volume is reported as 0. */
  readonly indexHistory: (query: {
    readonly index: string
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyArray<Candle>>

  /**
   * Returns every stock's last regular-session price at or before `time`, by symbol. Prices are not adjusted for splits
   * and dividends. The result lacks stocks that did not trade or were not recorded.
   */
  readonly pricesAt: (query: { readonly country: EquityCountry; readonly time: number }) => MarketRead<
    ReadonlyArray<StockPrice>
  >

  /**
   * Returns every stock's official close of the last session that ended by `until`, by symbol. Closes are not adjusted
   * for splits and dividends.
   */
  readonly closes: (query: { readonly country: EquityCountry; readonly until?: number }) => MarketRead<
    ReadonlyArray<SessionClose>
  >
}>()("@tapeline/core/market/StoredEquities") {}
