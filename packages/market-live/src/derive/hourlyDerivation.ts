import { type DerivedError, DerivedStore } from "@tapeline/core/analysis"
import { hourMs, minuteMs, type Reading, SourceUnavailable } from "@tapeline/core/market"
import { documentsKinds, type MarketStore } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import type { DocumentsCollector } from "../collect/collector.ts"
import { type CollectOptions, layerCollectors } from "../collect/layerCollectors.ts"
import type { MarketHealth } from "../collect/MarketHealth.ts"

const source = "derived"

/**
 * The delay between a full hour and the derivation of the hour's data. The candles of an hour are recorded shortly
 * after the hour.
 */
const offsetMs = 6 * minuteMs
const fearGreedDays = 90

const toSourceError = (error: DerivedError): SourceUnavailable =>
  error._tag === "SourceUnavailable"
    ? error
    : new SourceUnavailable({ source, failure: "unreachable", reason: error.message, retryable: true })

/** Returns null instead of an error if data is missing, for example for a new market. */
const orNull = <A>(
  read: Effect.Effect<Reading<A>, DerivedError>
): Effect.Effect<Reading<A> | null, SourceUnavailable> =>
  read.pipe(
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.mapError(toSourceError)
  )

const deriveOnce = Effect.fnUntraced(function*(derived: DerivedStore["Service"]) {
  const scores = yield* orNull(derived.scores)
  const regime = yield* orNull(derived.regime)
  // These derivations are requested only so that their results are cached and stored.
  const rates = yield* orNull(derived.hitRates({}))
  const days = yield* orNull(derived.fearGreed(fearGreedDays))
  const signals = yield* orNull(derived.signals({ hours: 24 }))
  return {
    scores: scores?.value.map(({ coin, score }) => ({ coin, score })) ?? [],
    regime: regime?.value ?? null,
    fear_greed: days?.value.at(-1) ?? null,
    signals: signals?.value.signals ?? [],
    hit_rates: rates?.value ?? null
  }
})

/**
 * Collects derived data from the stored series every hour, so that the results are stored before a caller requests
 * them.
 */
export const hourlyDerivationCollector: Effect.Effect<DocumentsCollector, never, DerivedStore> = Effect.map(
  DerivedStore,
  (derived) => ({
    _tag: "documents",
    source,
    name: "hours",
    kind: documentsKinds.derivations,
    everyMs: hourMs,
    offsetMs,
    fetch: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const hour = yield* deriveOnce(derived)
      const time = Math.floor(now / hourMs) * hourMs
      return { documents: [{ key: "newest", time, source, document: JSON.stringify(hour) }], faults: [] }
    })
  })
)

/** Derives data every hour in only one of the processes that share the store, until the layer's scope closes. */
export const layerHourlyDerivation = (
  options: CollectOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth | DerivedStore> =>
  Layer.unwrap(Effect.map(hourlyDerivationCollector, (collector) => layerCollectors([collector], options)))
