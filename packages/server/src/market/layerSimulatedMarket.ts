import { Compute, type Job } from "@tapeline/core/compute"
import { durationMs, hourMs, type MarketError, MarketStore, SourceUnavailable } from "@tapeline/core/market"
import { SimMarket } from "@tapeline/market-sim"
import { Effect, Layer } from "effect"
import { candleRangeJob, derivativesHistoryJob, type Read, socialActivityJob } from "./simulatedReads.ts"
import { candlesOf, perpetualOf, socialOf } from "./tables.ts"

/** Where a pool's threads find the jobs of the simulated market. */
export const simulatedReads: string = new URL(
  import.meta.url.endsWith(".ts") ? "./simulatedReads.ts" : "./simulatedReads.js",
  import.meta.url
).href

/** Reads beyond these take more than a few milliseconds, and are worth their way to another thread. */
const long = { candles: 300, perpetualPoints: 24, socialMs: 48 * hourMs } as const

/**
 * The simulated market of a seed for a thread that serves others: reads that take long are computed by `Compute`, whose
 * threads must have the jobs of `simulatedReads`. It is the same market, since it is a pure function of its seed.
 */
export const layerSimulatedMarket = (seed: number) =>
  Layer.effect(
    MarketStore,
    Effect.gen(function*() {
      const store = yield* MarketStore
      const compute = yield* Compute
      const computed = <Query, Table, Row>(
        job: Job<{ readonly seed: number; readonly query: Query }, Read<Table>>,
        query: Query,
        toRows: (table: Table) => ReadonlyArray<Row>
      ): Effect.Effect<ReadonlyArray<Row>, MarketError> =>
        compute.run(job, { seed, query }).pipe(
          Effect.mapError(({ _tag, toolFailure: { retryable } }) =>
            new SourceUnavailable({
              source: store.source,
              failure: _tag === "ComputeBusy" ? "rate_limited" : "unreachable",
              reason: `the simulated market could not be computed (${_tag})`,
              retryable
            })
          ),
          Effect.flatMap((read) => read._tag === "Rows" ? Effect.succeed(toRows(read.table)) : Effect.fail(read.error))
        )
      return MarketStore.of({
        ...store,
        candleRange: (query) =>
          (query.to - query.from) / durationMs[query.timeframe] > long.candles
            ? computed(candleRangeJob, query, candlesOf)
            : store.candleRange(query),
        derivativesHistory: (query) =>
          (query.to - query.from) / query.stepMs > long.perpetualPoints
            ? computed(derivativesHistoryJob, query, perpetualOf)
            : store.derivativesHistory(query),
        socialActivity: (query) =>
          query.to - query.from > long.socialMs
            ? computed(socialActivityJob, query, socialOf)
            : store.socialActivity(query)
      })
    })
  ).pipe(Layer.provideMerge(SimMarket.layer({ seed })))
