import { Context } from "effect"
import type { Candle } from "./candle.ts"
import type { IndexQuote, SessionClose, StockPrice, StockQuote } from "./equity.ts"
import type { EquityCountry } from "./instrument.ts"
import type { MarketRead } from "./reading.ts"

/**
 * Stocks and indices as the service keeps them for itself, for what is asked of all of them or every minute; what
 * `CoinPrices` says of all stored market data holds here. A symbol or index that nobody lists fails with
 * `UnknownSymbol`.
 */
export class StoredEquities extends Context.Service<StoredEquities, {
  /** Last stored quotes of a country's stocks that trade, largest turnover first, those without one last. */
  readonly quotes: (country: EquityCountry) => MarketRead<ReadonlyArray<StockQuote>>

  /** Every index's last stored quote in one country (`VIX` among the US ones). */
  readonly indexQuotes: (country: EquityCountry) => MarketRead<ReadonlyArray<IndexQuote>>

  /** Daily candles of an index: at most the last `bars` up to `until`, `volume` 0 where the index has none. */
  readonly indexHistory: (query: {
    readonly index: string
    readonly bars: number
    readonly until?: number
  }) => MarketRead<ReadonlyArray<Candle>>

  /**
   * Every stock's last price of a regular session at or before an instant, by symbol, as traded; one that did not trade
   * or was not recorded then is missing. An hour ago, for what compares all stocks with now.
   */
  readonly pricesAt: (query: { readonly country: EquityCountry; readonly time: number }) => MarketRead<
    ReadonlyArray<StockPrice>
  >

  /** Every stock's official close of the last session that has ended by `until`, by symbol, as traded. */
  readonly closes: (query: { readonly country: EquityCountry; readonly until?: number }) => MarketRead<
    ReadonlyArray<SessionClose>
  >
}>()("@tapeline/core/market/StoredEquities") {}
