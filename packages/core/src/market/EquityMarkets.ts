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
 * Stock markets of the US and of Korea: external calls, so every method may fail with `SourceUnavailable`.
 *
 * A symbol is written as its market writes it (`AAPL`, `005930`) and is unique over both; one that nobody
 * lists fails with `UnknownSymbol`; something asked of the wrong country's stock (US options of a Korean
 * one) with `NoData`. The present is Effect's Clock, and nothing published after it is ever returned.
 * Series are oldest first. A stock that is not listed yet is `NoData`; of one that was delisted there are its facts and
 * its history, and `NoData` where the present is asked for.
 */
export class EquityMarkets extends Context.Service<EquityMarkets, {
  /** Every stock of a country that is listed or was, by symbol. */
  readonly stocks: (country: EquityCountry) => MarketRead<ReadonlyArray<Stock>>

  /** One stock's facts. */
  readonly stock: (symbol: string) => MarketRead<Stock>

  /** The last price (of the regular session) with what stands around it. */
  readonly quote: (symbol: string) => MarketRead<StockQuote>

  /**
   * At most the last `bars` bars up to `until` (default now), the running one open; adjusted unless `adjusted` is
   * false.
   */
  readonly history: (query: {
    readonly symbol: string
    readonly timeframe: EquityTimeframe
    readonly bars: number
    readonly until?: number
    readonly adjusted?: boolean
  }) => MarketRead<EquityHistory>

  /** The country's indices, breadth, sectors and futures now. */
  readonly market: (country: EquityCountry) => MarketRead<EquityMarketSummary>

  /** Statements reported by now, and ratios at the current price. */
  readonly fundamentals: (symbol: string) => MarketRead<Fundamentals>

  /** Announcements due within `days` from now, of one symbol or of all US stocks, and the symbol's past ones. */
  readonly earnings: (query: { readonly symbol?: string; readonly days: number }) => MarketRead<EarningsReport>

  /** Analysts' grades and targets now. */
  readonly ratings: (symbol: string) => MarketRead<AnalystRatings>

  /** The newest `limit` grades and targets of the last 30 days over all US stocks that trade, oldest first. */
  readonly ratingChanges: (query: { readonly limit: number }) => MarketRead<ReadonlyArray<StockRatingChange>>

  /** Trades of officers and directors that were filed in the last `days` days, by filing. */
  readonly insiderTrades: (
    query: { readonly symbol: string; readonly days: number }
  ) => MarketRead<ReadonlyArray<InsiderTrade>>

  /** The newest `limit` filings of one Korean symbol, or of all, newest last, by date where the time is not known. */
  readonly filings: (query: { readonly symbol?: string; readonly limit: number }) => MarketRead<ReadonlyArray<Filing>>

  /**
   * Net buying in Korea by kind of investor over the last `days` sessions that have closed, of one symbol or of the
   * whole market.
   */
  readonly investorFlows: (
    query: { readonly symbol?: string; readonly days: number }
  ) => MarketRead<ReadonlyArray<InvestorFlow>>

  /**
   * Listed options of a US stock now, or as the last session left them: all unexpired expiries, or the one named
   * (`expiryAt`, else `NoData`).
   */
  readonly options: (query: { readonly symbol: string; readonly expiryAt?: number }) => MarketRead<OptionChain>
}>()("@tapeline/core/market/EquityMarkets") {}
