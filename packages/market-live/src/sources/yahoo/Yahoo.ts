/**
 * Yahoo's finance pages as data: quotes, charts, options, and analysts' ratings. Yahoo has no published API. It is only
 * for personal use, and is used only if an operator enables it.
 */
import type { SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import { type Answer, answering, makeSource, type Patience, type Source, SourceHealth } from "../../source/index.ts"
import { isNothing, refusedByYahoo } from "./refusals.ts"
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
import { userAgent, yahooSession } from "./session.ts"

/** The lengths of Yahoo's bars. */
export type YahooInterval = "5m" | "15m" | "60m" | "1d"

export interface ChartQuery {
  readonly symbol: string
  readonly interval: YahooInterval
  readonly from: number
  readonly to: number
}

/** The modules of company data other than prices. */
export const summaryModules = {
  analysts: "recommendationTrend,financialData,upgradeDowngradeHistory",
  earnings: "calendarEvents,earnings"
} as const

/** Symbols are Yahoo's own: `BRK-B`, `005930.KS`, `^GSPC`, `ES=F`, `KRW=X`. */
export class Yahoo extends Context.Service<Yahoo, {
  /** The present quotes by symbol. Unknown symbols are missing. */
  readonly quotes: (
    symbols: ReadonlyArray<string>
  ) => Effect.Effect<Answer<ReadonlyMap<string, YahooQuote>>, SourceUnavailable>
  /** The bars of `[from, to)` in regular hours; null if the symbol is unknown, or has no data of that time. */
  readonly chart: (query: ChartQuery) => Effect.Effect<Answer<YahooChart | null>, SourceUnavailable>
  /** The options of one expiry (by date; the next one by default). Null if there are no options. */
  readonly options: (
    query: { readonly symbol: string; readonly date?: number }
  ) => Effect.Effect<Answer<YahooChain | null>, SourceUnavailable>
  readonly summary: (
    query: { readonly symbol: string; readonly modules: keyof typeof summaryModules }
  ) => Effect.Effect<Answer<YahooSummary | null>, SourceUnavailable>
}>()("@tapeline/market-live/Yahoo") {}

export interface YahooOptions {
  readonly baseUrl?: string
  /** The site that issues cookies and a crumb. By default, each page is requested from its own public host. */
  readonly siteUrl?: string
  readonly patience?: Partial<Patience>
}

/** The name in results. */
export const yahooName = "yahoo"

/** Yahoo publishes no rate limit. Its own pages send more requests than this. */
const limits = [{ weight: 90, windowMs: 60_000 }, { weight: 1_500, windowMs: 3_600_000 }]

/** The maximum number of symbols in one request. */
const mostQuoted = 150

/** The cache times of responses. */
const quoteMs = 10_000
const chartMs = 10_000
const chainMs = 60_000
const summaryMs = 3_600_000

const seconds = (ms: number): number => Math.floor(ms / 1_000)

const quotesFrom = (source: Source): Yahoo["Service"]["quotes"] =>
  Effect.fnUntraced(function*(symbols) {
    const asked: Answer<null> = { value: null, receivedAt: yield* Clock.currentTimeMillis, date: null }
    const answers = yield* Effect.forEach(Arr.chunksOf(symbols, mostQuoted), (some) =>
      source.json({
        what: "quotes",
        path: "/v7/finance/quote",
        query: { symbols: some.join(","), formatted: "false", lang: "en-US", region: "US" },
        schema: Quotes,
        inSession: true,
        cacheMs: quoteMs
      }))
    const rows = answers.flatMap(({ value }) => value.quoteResponse.result)
    return answering(answers[0] ?? asked, new Map(rows.map((row) => [row.symbol, row])))
  })

const chartFrom = (source: Source): Yahoo["Service"]["chart"] => ({ from, interval, symbol, to }) =>
  Effect.map(
    source.find({
      what: "chart",
      path: `/v8/finance/chart/${encodeURIComponent(symbol)}`,
      query: { period1: seconds(from), period2: seconds(to), interval, events: "div|split", includePrePost: "false" },
      schema: Charts,
      absent: isNothing,
      cacheMs: chartMs
    }),
    (answer) => answering(answer, answer.value?.chart.result[0] ?? null)
  )

const optionsFrom = (source: Source): Yahoo["Service"]["options"] => ({ date, symbol }) =>
  Effect.map(
    source.find({
      what: "options",
      path: `/v7/finance/options/${encodeURIComponent(symbol)}`,
      query: { date: date === undefined ? undefined : seconds(date), formatted: "false", lang: "en-US" },
      schema: Chains,
      absent: isNothing,
      inSession: true,
      cacheMs: chainMs
    }),
    (answer) => answering(answer, answer.value?.optionChain.result[0] ?? null)
  )

const summaryFrom = (source: Source): Yahoo["Service"]["summary"] => ({ modules, symbol }) =>
  Effect.map(
    source.find({
      what: modules,
      path: `/v10/finance/quoteSummary/${encodeURIComponent(symbol)}`,
      query: { modules: summaryModules[modules], formatted: "false", lang: "en-US" },
      schema: Summaries,
      absent: isNothing,
      inSession: true,
      cacheMs: summaryMs
    }),
    (answer) => answering(answer, answer.value?.quoteSummary.result[0] ?? null)
  )

export const layerYahoo = (
  { baseUrl = "https://query2.finance.yahoo.com", patience = {}, siteUrl }: YahooOptions = {}
): Layer.Layer<Yahoo, never, SourceHealth> =>
  Layer.effect(
    Yahoo,
    Effect.map(
      makeSource({
        name: yahooName,
        baseUrl,
        limits,
        headers: { "user-agent": userAgent },
        refusedInBody: refusedByYahoo,
        session: yahooSession(siteUrl),
        patience
      }),
      (source) => ({
        quotes: quotesFrom(source),
        chart: chartFrom(source),
        options: optionsFrom(source),
        summary: summaryFrom(source)
      })
    )
  )
