/** Fetches data from Yahoo Finance, which has no published API, only for the operator's personal use. */
import type { SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import {
  makeSource,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"
import { isNotFound, readYahooRejection } from "./rejections.ts"
import {
  Chains,
  Charts,
  Quotes,
  Summaries,
  type YahooChain,
  type YahooChart,
  type YahooQuote,
  type YahooSummary
} from "./rows.ts"
import { makeYahooSession, userAgent } from "./session.ts"

export type YahooInterval = "5m" | "15m" | "60m" | "1d"

export interface ChartQuery {
  readonly symbol: string
  readonly interval: YahooInterval
  readonly from: number
  readonly to: number
}

/** Yahoo's modules of company data other than prices. */
export const summaryModules = {
  analysts: "recommendationTrend,financialData,upgradeDowngradeHistory",
  earnings: "calendarEvents,earnings"
} as const

/** Provides Yahoo Finance's data by Yahoo's own symbols: `BRK-B`, `005930.KS`, `^GSPC`, `ES=F`, `KRW=X`. */
export class Yahoo extends Context.Service<Yahoo, {
  /** Fetches the current quotes of the known symbols. */
  readonly quotes: (
    symbols: ReadonlyArray<string>
  ) => Effect.Effect<SourceResponse<ReadonlyMap<string, YahooQuote>>, SourceUnavailable>
  /**
   * Fetches the bars in `[from, to)` during regular hours. Returns null if the symbol is unknown or has no data in the
   * interval.
   */
  readonly chart: (query: ChartQuery) => Effect.Effect<SourceResponse<YahooChart | null>, SourceUnavailable>
  /** Fetches the options of one expiry date, by default the next expiry, or null if the symbol has no options. */
  readonly options: (
    query: { readonly symbol: string; readonly date?: number }
  ) => Effect.Effect<SourceResponse<YahooChain | null>, SourceUnavailable>
  readonly summary: (
    query: { readonly symbol: string; readonly modules: keyof typeof summaryModules }
  ) => Effect.Effect<SourceResponse<YahooSummary | null>, SourceUnavailable>
}>()("@tapeline/market-live/Yahoo") {}

export interface YahooOptions {
  readonly baseUrl?: string | undefined
  /**
   * The base URL of the site that issues cookies and a crumb. By default, each page is requested from its own public
   * host.
   */
  readonly siteUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

export const yahooName = "yahoo"

/** The rate limits of the Yahoo client; Yahoo publishes no rate limit. */
const limits = [{ weight: 90, windowMs: 60_000 }, { weight: 1_500, windowMs: 3_600_000 }]

const maxSymbols = 150

const quoteCacheMs = 10_000
const chartCacheMs = 10_000
const chainCacheMs = 60_000
const summaryCacheMs = 3_600_000

const seconds = (ms: number): number => Math.floor(ms / 1_000)

const makeQuotesMethod = (source: Source): Yahoo["Service"]["quotes"] =>
  Effect.fnUntraced(function*(symbols) {
    const emptyResponse: SourceResponse<null> = { value: null, receivedAt: yield* Clock.currentTimeMillis, date: null }
    const answers = yield* Effect.forEach(Arr.chunksOf(symbols, maxSymbols), (chunk) =>
      source.json({
        label: "quotes",
        path: "/v7/finance/quote",
        query: { symbols: chunk.join(","), formatted: "false", lang: "en-US", region: "US" },
        schema: Quotes,
        inSession: true,
        cacheMs: quoteCacheMs
      }))
    const rows = answers.flatMap(({ value }) => value.quoteResponse.result)
    return withValue(answers[0] ?? emptyResponse, new Map(rows.map((row) => [row.symbol, row])))
  })

const makeChartMethod = (source: Source): Yahoo["Service"]["chart"] => ({ from, interval, symbol, to }) =>
  Effect.map(
    source.find({
      label: "chart",
      path: `/v8/finance/chart/${encodeURIComponent(symbol)}`,
      query: { period1: seconds(from), period2: seconds(to), interval, events: "div|split", includePrePost: "false" },
      schema: Charts,
      isAbsent: isNotFound,
      cacheMs: chartCacheMs
    }),
    (answer) => withValue(answer, answer.value?.chart.result[0] ?? null)
  )

const makeOptionsMethod = (source: Source): Yahoo["Service"]["options"] => ({ date, symbol }) =>
  Effect.map(
    source.find({
      label: "options",
      path: `/v7/finance/options/${encodeURIComponent(symbol)}`,
      query: { date: date === undefined ? undefined : seconds(date), formatted: "false", lang: "en-US" },
      schema: Chains,
      isAbsent: isNotFound,
      inSession: true,
      cacheMs: chainCacheMs
    }),
    (answer) => withValue(answer, answer.value?.optionChain.result[0] ?? null)
  )

const makeSummaryMethod = (source: Source): Yahoo["Service"]["summary"] => ({ modules, symbol }) =>
  Effect.map(
    source.find({
      label: modules,
      path: `/v10/finance/quoteSummary/${encodeURIComponent(symbol)}`,
      query: { modules: summaryModules[modules], formatted: "false", lang: "en-US" },
      schema: Summaries,
      isAbsent: isNotFound,
      inSession: true,
      cacheMs: summaryCacheMs
    }),
    (answer) => withValue(answer, answer.value?.quoteSummary.result[0] ?? null)
  )

export const layerYahoo = (
  { baseUrl = "https://query2.finance.yahoo.com", retryPolicy = {}, siteUrl }: YahooOptions = {}
): Layer.Layer<Yahoo, never, SourceHealth> =>
  Layer.effect(
    Yahoo,
    Effect.map(
      makeSource({
        name: yahooName,
        baseUrl,
        limits,
        headers: { "user-agent": userAgent },
        readBodyRejection: readYahooRejection,
        session: makeYahooSession(siteUrl),
        retryPolicy
      }),
      (source) => ({
        quotes: makeQuotesMethod(source),
        chart: makeChartMethod(source),
        options: makeOptionsMethod(source),
        summary: makeSummaryMethod(source)
      })
    )
  )
