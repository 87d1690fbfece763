import { Context } from "effect"
import type { Effect } from "effect"
import type {
  AnalystRatings,
  EarningsReport,
  EquityHistory,
  EquityMarketSummary,
  Filing,
  Fundamentals,
  InsiderTrade,
  InvestorFlow,
  StockQuote
} from "./equity.ts"
import type { MarketError } from "./errors.ts"
import type { EquityCountry, Stock } from "./instrument.ts"
import type { OptionChain } from "./option.ts"
import type { EquityTimeframe } from "./timeframe.ts"

/**
 * Stock markets of the US and of Korea: external calls, so every method may fail with `SourceUnavailable`.
 *
 * A symbol is written as its market writes it (`AAPL`, `005930`) and is unique over both; one that nobody
 * lists fails with `UnknownSymbol`; something asked of the wrong country's stock (US options of a Korean
 * one) with `NoData`. The present is Effect's Clock, and nothing published after it is ever returned.
 * Series are oldest first.
 */
export class EquityMarkets extends Context.Service<EquityMarkets, {
  /** Where the data came from, as results say. */
  readonly source: string

  /** Every listed stock of a country, by symbol. */
  readonly stocks: (country: EquityCountry) => Effect.Effect<ReadonlyArray<Stock>, MarketError>

  /** One stock's facts. */
  readonly stock: (symbol: string) => Effect.Effect<Stock, MarketError>

  /** The last price (of the regular session) with what stands around it. */
  readonly quote: (symbol: string) => Effect.Effect<StockQuote, MarketError>

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
  }) => Effect.Effect<EquityHistory, MarketError>

  /** The country's indices, breadth, sectors and futures now. */
  readonly market: (country: EquityCountry) => Effect.Effect<EquityMarketSummary, MarketError>

  /** Statements reported by now, and ratios at the current price. */
  readonly fundamentals: (symbol: string) => Effect.Effect<Fundamentals, MarketError>

  /** Announcements due within `days` from now, of one symbol or of all US stocks, and the symbol's past ones. */
  readonly earnings: (query: { readonly symbol?: string; readonly days: number }) => Effect.Effect<
    EarningsReport,
    MarketError
  >

  /** Analysts' grades and targets now. */
  readonly ratings: (symbol: string) => Effect.Effect<AnalystRatings, MarketError>

  /** Trades of officers and directors that were filed in the last `days` days. */
  readonly insiderTrades: (query: { readonly symbol: string; readonly days: number }) => Effect.Effect<
    ReadonlyArray<InsiderTrade>,
    MarketError
  >

  /** The newest `limit` filings of one Korean symbol, or of all, newest last. */
  readonly filings: (query: { readonly symbol?: string; readonly limit: number }) => Effect.Effect<
    ReadonlyArray<Filing>,
    MarketError
  >

  /**
   * Net buying in Korea by kind of investor over the last `days` sessions that have closed, of one symbol or of the
   * whole market.
   */
  readonly investorFlows: (query: { readonly symbol?: string; readonly days: number }) => Effect.Effect<
    ReadonlyArray<InvestorFlow>,
    MarketError
  >

  /** Listed options of a US stock now: all unexpired expiries, or the one named (`expiryAt`, else `NoData`). */
  readonly options: (query: { readonly symbol: string; readonly expiryAt?: number }) => Effect.Effect<
    OptionChain,
    MarketError
  >
}>()("@tapeline/core/market/EquityMarkets") {}
