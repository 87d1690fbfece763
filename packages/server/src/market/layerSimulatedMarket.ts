import { Compute, type Job } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  durationMs,
  hourMs,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  type MarketPorts,
  type MarketRead,
  OptionsVenue,
  reading,
  SocialFeed,
  SourceUnavailable
} from "@tapeline/core/market"
import { SimMarket } from "@tapeline/market-sim"
import { Clock, Effect, Layer } from "effect"
import { chainOf, ivOf, optionTradesOf } from "./optionTables.ts"
import {
  type Asking,
  candleRangeJob,
  ivHistoryJob,
  liquidationsJob,
  optionChainJob,
  optionTradesJob,
  perpetualHistoryJob,
  type Read,
  socialActivityJob,
  takerFlowJob
} from "./simulatedReads.ts"
import { candlesOf, perpetualOf, socialOf, takersOf, tapeOf } from "./tables.ts"

/** The URL of the module that contains the jobs of the simulated market, for a thread pool. */
export const simulatedReads: string = new URL(
  import.meta.url.endsWith(".ts") ? "./simulatedReads.ts" : "./simulatedReads.js",
  import.meta.url
).href

/** The limits of reads in this thread. Larger reads take more than a few milliseconds and run in another thread. */
const long = { candles: 300, perpetualPoints: 24, flowMs: 12 * hourMs, socialMs: 48 * hourMs, ivDays: 60 } as const

/** Reads from a job that computes the market of a seed, instead of from the market itself. */
const asking = (compute: typeof Compute["Service"], seed: number) =>
<Query, Table, A>(
  job: Job<Asking<Query>, Read<Table>>,
  query: Query,
  toValue: (table: Table) => A
): MarketRead<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => compute.run(job, { seed, now, query })).pipe(
    Effect.mapError(({ _tag, toolFailure: { retryable } }) =>
      new SourceUnavailable({
        source: SimMarket.source,
        failure: _tag === "ComputeBusy" ? "rate_limited" : "unreachable",
        reason: `the simulated market could not be computed (${_tag})`,
        retryable
      })
    ),
    Effect.flatMap((read) =>
      read._tag === "Rows"
        ? Effect.succeed(reading(toValue(read.table), SimMarket.source, read.asOf))
        : Effect.fail(read.error)
    )
  )

/**
 * An options venue whose chains and trades are computed as jobs: they require a year of open interest, and a price for
 * each trade.
 */
const optionsOf = (seed: number): Layer.Layer<OptionsVenue, never, OptionsVenue> =>
  Layer.effect(
    OptionsVenue,
    Effect.gen(function*() {
      const here = yield* OptionsVenue
      const computed = asking(yield* Compute, seed)
      return OptionsVenue.of({
        ...here,
        chain: (query) => computed(optionChainJob, query, chainOf),
        trades: (query) => computed(optionTradesJob, query, optionTradesOf)
      })
    })
  )

const volatilitiesOf = (seed: number): Layer.Layer<ImpliedVolatilities, never, ImpliedVolatilities> =>
  Layer.effect(
    ImpliedVolatilities,
    Effect.gen(function*() {
      const here = yield* ImpliedVolatilities
      const computed = asking(yield* Compute, seed)
      return ImpliedVolatilities.of({
        history: (query) => query.days > long.ivDays ? computed(ivHistoryJob, query, ivOf) : here.history(query)
      })
    })
  )

/**
 * Reads all markets once. The first read takes some 60 ms, since its code has not run before. A server therefore reads
 * as soon as it listens, before the first request. The coins are read one by one, so that requests are answered in
 * between.
 */
export const firstReading: Effect.Effect<void, never, CoinPrices | KoreanCoinMarkets> = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const { value: coins } = yield* prices.coins
  for (const { coin } of coins) {
    yield* Effect.yieldNow
    yield* prices.ticker(coin)
  }
  yield* prices.tickers
  yield* Effect.yieldNow
  yield* (yield* KoreanCoinMarkets).tickers
}).pipe(Effect.ignore)

/**
 * The simulated market of a seed, for a thread that serves requests. Long reads are computed by `Compute`, whose
 * threads must have the jobs of `simulatedReads`. The data is the same, since the market is a pure function of its
 * seed.
 */
export const layerSimulatedMarket = (seed: number): Layer.Layer<MarketPorts> => {
  const prices = Layer.effect(
    CoinPrices,
    Effect.gen(function*() {
      const here = yield* CoinPrices
      const computed = asking(yield* Compute, seed)
      return CoinPrices.of({
        ...here,
        candleRange: (query) =>
          (query.to - query.from) / durationMs[query.timeframe] > long.candles
            ? computed(candleRangeJob, query, candlesOf)
            : here.candleRange(query)
      })
    })
  )
  const derivatives = Layer.effect(
    CoinDerivatives,
    Effect.gen(function*() {
      const here = yield* CoinDerivatives
      const computed = asking(yield* Compute, seed)
      return CoinDerivatives.of({
        ...here,
        perpetualHistory: (query) =>
          (query.to - query.from) / query.stepMs > long.perpetualPoints
            ? computed(perpetualHistoryJob, query, (table) => ({ points: perpetualOf(table), gaps: [] }))
            : here.perpetualHistory(query),
        takerFlow: (query) =>
          query.to - query.from > long.flowMs
            ? computed(takerFlowJob, query, (table) => ({ points: takersOf(table), gaps: [] }))
            : here.takerFlow(query),
        liquidations: (query) =>
          query.to - query.from > long.flowMs ? computed(liquidationsJob, query, tapeOf) : here.liquidations(query)
      })
    })
  )
  const social = Layer.effect(
    SocialFeed,
    Effect.gen(function*() {
      const here = yield* SocialFeed
      const computed = asking(yield* Compute, seed)
      return SocialFeed.of({
        ...here,
        activity: (query) =>
          query.to - query.from > long.socialMs
            ? computed(socialActivityJob, query, (table) => ({ points: socialOf(table), gaps: [] }))
            : here.activity(query)
      })
    })
  )
  return Layer.mergeAll(prices, derivatives, social, optionsOf(seed), volatilitiesOf(seed)).pipe(
    Layer.provideMerge(SimMarket.layer({ seed }))
  )
}
