import { Compute, type Job } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  durationMs,
  hourMs,
  ImpliedVolatilities,
  makeReading,
  type MarketPorts,
  type MarketRead,
  OptionsVenue,
  SocialFeed,
  SourceUnavailable
} from "@tapeline/core/market"
import { SimMarket } from "@tapeline/market-sim"
import { Clock, Effect, Layer } from "effect"
import { fromChainTable, fromIvTable, fromOptionTradeTable } from "./optionTables.ts"
import {
  candleRangeJob,
  ivHistoryJob,
  liquidationsJob,
  optionChainJob,
  optionTradesJob,
  perpetualHistoryJob,
  type ReadInput,
  type ReadOutput,
  socialActivityJob,
  takerFlowJob
} from "./simulatedReads.ts"
import {
  fromCandleTable,
  fromLiquidationTapeTable,
  fromPerpetualTable,
  fromSocialTable,
  fromTakerTable
} from "./tables.ts"

/** The URL of the module with the simulated market's jobs, for a thread pool. */
export const simulatedReadsModule: string = new URL(
  import.meta.url.endsWith(".ts") ? "./simulatedReads.ts" : "./simulatedReads.js",
  import.meta.url
).href

/**
 * The limits up to which a market read runs in the current thread. Larger reads run in other threads, because a larger
 * read takes more than a few milliseconds.
 */
const inlineLimits = {
  candles: 300,
  perpetualPoints: 24,
  flowMs: 12 * hourMs,
  socialMs: 48 * hourMs,
  ivDays: 60
} as const

/** Creates a market read that runs as a job in another thread. */
const makeComputedRead = (compute: typeof Compute["Service"], seed: number) =>
<Query, Table, A>(
  job: Job<ReadInput<Query>, ReadOutput<Table>>,
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
        ? Effect.succeed(makeReading(toValue(read.table), SimMarket.source, read.asOf))
        : Effect.fail(read.error)
    )
  )

/**
 * An options venue that computes option chains and trades as jobs in other threads. An option chain is computed from a
 * year of open interest.
 */
const layerOptions = (seed: number): Layer.Layer<OptionsVenue, never, OptionsVenue> =>
  Layer.effect(
    OptionsVenue,
    Effect.gen(function*() {
      const inline = yield* OptionsVenue
      const readComputed = makeComputedRead(yield* Compute, seed)
      return OptionsVenue.of({
        ...inline,
        chain: (query) => readComputed(optionChainJob, query, fromChainTable),
        trades: (query) => readComputed(optionTradesJob, query, fromOptionTradeTable)
      })
    })
  )

const layerVolatilities = (seed: number): Layer.Layer<ImpliedVolatilities, never, ImpliedVolatilities> =>
  Layer.effect(
    ImpliedVolatilities,
    Effect.gen(function*() {
      const inline = yield* ImpliedVolatilities
      const readComputed = makeComputedRead(yield* Compute, seed)
      return ImpliedVolatilities.of({
        history: (query) =>
          query.days > inlineLimits.ivDays ? readComputed(ivHistoryJob, query, fromIvTable) : inline.history(query)
      })
    })
  )

/**
 * Provides the market that is simulated from a seed. `Compute` runs long market reads as jobs of `simulatedReadsModule`
 * in other threads. All threads return the same data, since the simulated market is a pure function of its seed.
 */
export const layerSimulatedMarket = (seed: number): Layer.Layer<MarketPorts> => {
  const prices = Layer.effect(
    CoinPrices,
    Effect.gen(function*() {
      const inline = yield* CoinPrices
      const readComputed = makeComputedRead(yield* Compute, seed)
      return CoinPrices.of({
        ...inline,
        candleRange: (query) =>
          (query.to - query.from) / durationMs[query.timeframe] > inlineLimits.candles
            ? readComputed(candleRangeJob, query, fromCandleTable)
            : inline.candleRange(query)
      })
    })
  )
  const derivatives = Layer.effect(
    CoinDerivatives,
    Effect.gen(function*() {
      const inline = yield* CoinDerivatives
      const readComputed = makeComputedRead(yield* Compute, seed)
      return CoinDerivatives.of({
        ...inline,
        perpetualHistory: (query) =>
          (query.to - query.from) / query.stepMs > inlineLimits.perpetualPoints
            ? readComputed(perpetualHistoryJob, query, (table) => ({ points: fromPerpetualTable(table), gaps: [] }))
            : inline.perpetualHistory(query),
        takerFlow: (query) =>
          query.to - query.from > inlineLimits.flowMs
            ? readComputed(takerFlowJob, query, (table) => ({ points: fromTakerTable(table), gaps: [] }))
            : inline.takerFlow(query),
        liquidations: (query) =>
          query.to - query.from > inlineLimits.flowMs
            ? readComputed(liquidationsJob, query, fromLiquidationTapeTable)
            : inline.liquidations(query)
      })
    })
  )
  const social = Layer.effect(
    SocialFeed,
    Effect.gen(function*() {
      const inline = yield* SocialFeed
      const readComputed = makeComputedRead(yield* Compute, seed)
      return SocialFeed.of({
        ...inline,
        activity: (query) =>
          query.to - query.from > inlineLimits.socialMs
            ? readComputed(socialActivityJob, query, (table) => ({ points: fromSocialTable(table), gaps: [] }))
            : inline.activity(query)
      })
    })
  )
  return Layer.mergeAll(prices, derivatives, social, layerOptions(seed), layerVolatilities(seed)).pipe(
    Layer.provideMerge(SimMarket.layer({ seed }))
  )
}
