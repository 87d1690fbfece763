import { Context } from "effect"
import type {
  AnalystRatings,
  EarningsReport,
  EquityHistory,
  EquityMarketSummary,
  Filing,
  Fundamentals,
  InsiderTrade,
  InvestorFlow,
  StockQuote,
  StockRatingChange
} from "./equity.ts"
import type { EquityCountry, Stock } from "./instrument.ts"
import type { OptionChain } from "./option.ts"
import type { MarketRead } from "./reading.ts"
import type { EquityTimeframe } from "./timeframe.ts"

/**
 * Reads data of the US and Korean stock markets from external services. Every call may fail with `SourceUnavailable`.
 *
 * A symbol is written as on its market (`AAPL`, `005930`). No symbol occurs in both countries. An unlisted symbol fails
 * with `UnknownSymbol`. Fails with `NoData` for data that does not exist in the stock's country, such as US options of
 * a Korean stock. Data published after the present time of Effect's Clock is never returned. Series are oldest first. A
 * stock that is not listed yet fails with `NoData`. A delisted stock still has facts and history. Reads of a delisted
 * stock's current data fail with `NoData`.
 */
export class EquityMarkets extends Context.Service<EquityMarkets, {
  /** Returns every stock of a country that is or was listed, sorted by symbol. */
  readonly stocks: (country: EquityCountry) => MarketRead<ReadonlyArray<Stock>>

  readonly stock: (symbol: string) => MarketRead<Stock>

  /** Returns the quote of a stock. `price` is the last price of a regular session. */
  readonly quote: (symbol: string) => MarketRead<StockQuote>

  /**
   * Returns at most the last `bars` bars up to `until` (default now). The bars are adjusted for splits and dividends,
   * unless `adjusted` is false.
   */
  readonly history: (query: {
    readonly symbol: string
    readonly timeframe: EquityTimeframe
    readonly bars: number
    readonly until?: number
    readonly adjusted?: boolean
  }) => MarketRead<EquityHistory>

  /** Returns the country's current indices, market breadth, sectors and futures. */
  readonly market: (country: EquityCountry) => MarketRead<EquityMarketSummary>

  /** Returns the financial statements reported so far, and ratios at the current price. */
  readonly fundamentals: (symbol: string) => MarketRead<Fundamentals>

  /** Returns the earnings announcements due within `days`, and the past announcements of `symbol` if given. */
  readonly earnings: (query: { readonly symbol?: string; readonly days: number }) => MarketRead<EarningsReport>

  readonly ratings: (symbol: string) => MarketRead<AnalystRatings>

  /** Returns the newest `limit` changes of ratings and price targets of US stocks in the last 30 days, oldest first. */
  readonly ratingChanges: (query: { readonly limit: number }) => MarketRead<ReadonlyArray<StockRatingChange>>

  /** Returns the trades of officers and directors that were filed in the last `days` days, ordered by filing. */
  readonly insiderTrades: (
    query: { readonly symbol: string; readonly days: number }
  ) => MarketRead<ReadonlyArray<InsiderTrade>>

  /** Returns the newest `limit` filings of one Korean symbol or of all Korean symbols, newest last. */
  readonly filings: (query: { readonly symbol?: string; readonly limit: number }) => MarketRead<ReadonlyArray<Filing>>

  /**
   * Returns net buying in Korea by kind of investor for the last `days` closed sessions. Without `symbol`, the result
   * covers the whole market.
   */
  readonly investorFlows: (
    query: { readonly symbol?: string; readonly days: number }
  ) => MarketRead<ReadonlyArray<InvestorFlow>>

  /**
   * Returns the listed options of a US stock, now or at the end of the last session. `expiryAt` selects one expiry;
   * otherwise, all unexpired expiries are returned. Fails with `NoData` for an unknown expiry.
   */
  readonly options: (query: { readonly symbol: string; readonly expiryAt?: number }) => MarketRead<OptionChain>
}>()("@tapeline/core/market/EquityMarkets") {}
