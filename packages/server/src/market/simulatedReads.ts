// Long reads of the simulated market, as jobs. A thread of the compute pool loads this module.
import { type EncodedJob, encodedJob, type Job } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  ImpliedVolatilities,
  type MarketPorts,
  type MarketRead,
  NoData,
  OptionsVenue,
  SocialFeed,
  SourceUnavailable,
  timeframes,
  UnknownSymbol
} from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { Clock, Context, Effect, Schema } from "effect"
import {
  Candles,
  Chain,
  OptionTrades,
  PerpetualHistory,
  SocialActivities,
  TakerFlows,
  Tape,
  VolatilityHistory
} from "./tables.ts"

/** The simulated market of the current thread, for the seed of the latest request. */
let cachedMarket: { readonly seed: number; readonly ports: Context.Context<MarketPorts> } | undefined

const simulatedMarketOf = (seed: number): Context.Context<MarketPorts> => {
  if (cachedMarket?.seed !== seed) cachedMarket = { seed, ports: SimMarket.makePorts(makeWorld(seed)) }
  return cachedMarket.ports
}

const FailedRead = Schema.Struct({
  _tag: Schema.Literal("Failed"),
  error: Schema.Union([UnknownSymbol, NoData, SourceUnavailable])
})

/** Creates a clock that always returns the caller's time. Sleeping on the clock is a defect. */
const fixedClock = (now: number): Clock.Clock => {
  const nanos = BigInt(Math.trunc(now)) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.succeed(now),
    currentTimeNanosUnsafe: () => nanos,
    currentTimeNanos: Effect.succeed(nanos),
    monotonicTimeNanosUnsafe: () => nanos,
    monotonicTimeNanos: Effect.succeed(nanos),
    sleep: () => Effect.die(new Error("a job of the simulated market must not wait"))
  }
}

/** The input of a read: a query, the seed of the simulated market, and the time of the caller. */
export interface ReadInput<Query> {
  readonly seed: number
  readonly now: number
  readonly query: Query
}

/** The result of a read. The simulated market has one source. */
export type ReadOutput<A> =
  | { readonly _tag: "Read"; readonly value: A; readonly asOf: number }
  | typeof FailedRead.Type

const makeReadJob = <Query, A>(
  { query, read, value, ...job }: {
    readonly name: string
    readonly query: Schema.Codec<Query, unknown>
    readonly value: Schema.Codec<A, unknown>
    readonly read: (ports: Context.Context<MarketPorts>, query: Query) => MarketRead<A>
  }
): Job<ReadInput<Query>, ReadOutput<A>> => ({
  name: job.name,
  input: Schema.Struct({ seed: Schema.Finite, now: Schema.Finite, query }),
  output: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Read"), value, asOf: Schema.Finite }),
    FailedRead
  ]),
  // The simulated market never waits, so its reads can run synchronously.
  run: (input) =>
    read(simulatedMarketOf(input.seed), input.query).pipe(
      Effect.match({
        onSuccess: ({ asOf, value }): ReadOutput<A> => ({ _tag: "Read", value, asOf }),
        onFailure: (error): ReadOutput<A> => ({ _tag: "Failed", error })
      }),
      Effect.provideService(Clock.Clock, fixedClock(input.now)),
      Effect.runSync
    )
})

const intervalFields = { coin: Schema.String, from: Schema.Finite, to: Schema.Finite }
const SteppedQuery = Schema.Struct({ ...intervalFields, stepMs: Schema.Finite })

export const candleRangeJob = makeReadJob({
  name: "simulated_candles",
  query: Schema.Struct({ ...intervalFields, timeframe: Schema.Literals(timeframes) }),
  value: Candles,
  read: (ports, query) => Context.get(ports, CoinPrices).candleRange(query)
})

export const perpetualHistoryJob = makeReadJob({
  name: "simulated_perpetual",
  query: SteppedQuery,
  value: PerpetualHistory,
  read: (ports, query) => Context.get(ports, CoinDerivatives).perpetualHistory(query)
})

export const takerFlowJob = makeReadJob({
  name: "simulated_taker_flow",
  query: SteppedQuery,
  value: TakerFlows,
  read: (ports, query) => Context.get(ports, CoinDerivatives).takerFlow(query)
})

export const liquidationsJob = makeReadJob({
  name: "simulated_liquidations",
  query: Schema.Struct({
    ...intervalFields,
    minSizeUsd: Schema.optionalKey(Schema.Finite),
    limit: Schema.optionalKey(Schema.Finite),
    stepMs: Schema.optionalKey(Schema.Finite)
  }),
  value: Tape,
  read: (ports, query) => Context.get(ports, CoinDerivatives).liquidations(query)
})

export const socialActivityJob = makeReadJob({
  name: "simulated_social",
  query: SteppedQuery,
  value: SocialActivities,
  read: (ports, query) => Context.get(ports, SocialFeed).activity(query)
})

export const optionChainJob = makeReadJob({
  name: "simulated_option_chain",
  query: Schema.Struct({ coin: Schema.String, expiryAt: Schema.optionalKey(Schema.Finite) }),
  value: Chain,
  read: (ports, query) => Context.get(ports, OptionsVenue).chain(query)
})

export const optionTradesJob = makeReadJob({
  name: "simulated_option_trades",
  query: Schema.Struct({ ...intervalFields, limit: Schema.optionalKey(Schema.Finite) }),
  value: OptionTrades,
  read: (ports, query) => Context.get(ports, OptionsVenue).trades(query)
})

export const ivHistoryJob = makeReadJob({
  name: "simulated_iv",
  query: Schema.Struct({
    coin: Schema.String,
    maturityDays: Schema.Finite,
    days: Schema.Finite,
    method: Schema.optionalKey(Schema.Literals(["atm_interpolated", "index"]))
  }),
  value: VolatilityHistory,
  read: (ports, query) => Context.get(ports, ImpliedVolatilities).history(query)
})

export const jobs: ReadonlyArray<EncodedJob> = [
  encodedJob(candleRangeJob),
  encodedJob(perpetualHistoryJob),
  encodedJob(takerFlowJob),
  encodedJob(liquidationsJob),
  encodedJob(socialActivityJob),
  encodedJob(optionChainJob),
  encodedJob(optionTradesJob),
  encodedJob(ivHistoryJob)
]
