import { type SourceFailure } from "@tapeline/core/engine"
import { SourceUnavailable } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { Clock, Deferred, Effect, Layer } from "effect"
import { newestInstant } from "../collect/gapPlan.ts"
import {
  type Collector,
  type DocumentsCollector,
  type SeriesCollector,
  type StreamCollector,
  trackedCoins
} from "../collect/index.ts"
import { SourceHealth } from "../source/index.ts"
import { distinctSourceNames } from "../stored/storeReads.ts"
import { defaultStocks } from "../yahoo/knownStocks.ts"
import { emptyStore } from "./emptyStore.ts"
import { layerSources } from "./layerSources.ts"
import { liveCollectors } from "./liveCollectors.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { type AttributedCount, countOf, type Probe } from "./Probe.ts"
import { onDemandProbes, replacementProbes } from "./sourceProbes.ts"

/** The result of a test request to a source. */
export interface ProbeResult {
  /** The source that responded or failed, which may be a replacement of the requested source. */
  readonly source: string
  /** The description of the requested data. */
  readonly label: string
  /** The outcome of the request: `answered` if the response matched its schema, or the kind of the failure. */
  readonly outcome: "answered" | SourceFailure
  /** The number of rows or documents, or null if the response has no such number. */
  readonly rowCount: number | null
  readonly reason: string | null
  readonly tookMs: number
}

/** The minimum length of a requested past interval, and the minimum number of steps in the interval. */
const minIntervalMs = 6 * 3_600_000
const minSteps = 3

/** The difference in milliseconds between the current time and the time for which snapshots are requested. */
const snapshotAgeMs = 2_000

const maxDuration = "14 seconds"

/** The maximum number of concurrent requests to one source, in addition to the source's own rate limits. */
const maxConcurrent = 16

/**
 * The retry policy of probes. Each request has one try, and the circuit breaker never opens, so that each probe has its
 * own result.
 */
const probeRetryPolicy = {
  timeoutMs: 4_000,
  maxTries: 1,
  callTimeoutMs: 12_000,
  failuresToOpen: Number.MAX_SAFE_INTEGER,
  concurrency: maxConcurrent
} as const

const probeReconnectPolicy = { connectMs: 5_000 } as const

/**
 * Returns the number of rows and the source that provided them. The returned source differs from `source` if a
 * replacement responded.
 */
const attributeCount = (source: string, rows: number, names: Iterable<string>): AttributedCount => {
  const [first, ...others] = distinctSourceNames(names)
  return { count: rows, source: first === undefined || [first, ...others].includes(source) ? source : first }
}

const seriesProbes = (collector: SeriesCollector): ReadonlyArray<Probe> => {
  const { backfill, everyMs, name, snapshot, source } = collector
  const first = Effect.map(collector.subjects, ([subject]) => subject?.subject)
  const withFirstSubject = Effect.fnUntraced(
    function*(fetch: (subject: string, now: number) => Effect.Effect<AttributedCount, SourceUnavailable>) {
      const subject = yield* first
      return subject === undefined ? 0 : yield* fetch(subject, yield* Clock.currentTimeMillis)
    }
  )
  const probes: Array<Probe> = []
  if (snapshot !== undefined) {
    const fetchSnapshot = withFirstSubject((subject, now) =>
      Effect.map(
        snapshot.fetch([subject], now - snapshotAgeMs),
        (series) =>
          attributeCount(
            source,
            series.reduce((sum, { rows }) => sum + rows.length, 0),
            series.map((one) => one.source)
          )
      )
    )
    probes.push({ source, label: `${name} now`, fetch: fetchSnapshot })
  }
  if (backfill !== undefined) {
    const fetchPast = withFirstSubject((subject, now) => {
      const to = newestInstant(collector, now - (backfill.delayMs ?? 0))
      const length = Math.min(backfill.maxIntervalMs, Math.max(minIntervalMs, minSteps * everyMs))
      const from = to - Math.max(everyMs, Math.floor(length / everyMs) * everyMs)
      return Effect.map(
        backfill.fetch(subject, { from, to }),
        (response) => attributeCount(source, response.rows.length, [response.source])
      )
    })
    probes.push({ source, label: `past ${name}`, fetch: fetchPast })
  }
  return probes
}

const documentsProbe = ({ fetch, name, source }: DocumentsCollector): Probe => ({
  source,
  label: name,
  fetch: Effect.flatMap(
    fetch,
    ({ documents, faults: [fault] }) =>
      fault === undefined
        ? Effect.succeed(attributeCount(source, documents.length, documents.map((one) => one.source)))
        : Effect.fail(fault)
  )
})

/**
 * Waits until the socket reports a fault, and fails with the fault. The socket itself does not fail, because it
 * reconnects forever.
 */
const waitForFault = Effect.fnUntraced(function*(part: string, source: string) {
  const { states } = yield* SourceHealth
  while (true) {
    const state = (yield* states).find((one) => one.source === part && one.state !== "up")
    if (state?.lastFault != null) {
      const { failure, reason } = state.lastFault
      return yield* new SourceUnavailable({ source, failure, reason, retryable: false })
    }
    yield* Effect.sleep("50 millis")
  }
})

/** Returns a probe of a stream, which succeeds when the socket reports `up`. */
const streamProbe = (
  { subscribe, name, source, subjects }: StreamCollector,
  health: SourceHealth["Service"]
): Probe => {
  const connected = Effect.flatMap(
    subscribe,
    ({ take }) => Effect.as(Effect.repeat(take, { until: (events) => events.some(({ _tag }) => _tag === "up") }), null)
  )
  const failed = Effect.provideService(waitForFault(`${source}/${name}`, source), SourceHealth, health)
  return { source, label: name, fetch: Effect.andThen(subjects, Effect.scoped(Effect.raceFirst(connected, failed))) }
}

const collectorProbes = (health: SourceHealth["Service"]) => (collector: Collector): ReadonlyArray<Probe> => {
  switch (collector._tag) {
    // A collector with `isReplacement` sends the same requests as the series' main collector.
    case "series":
      return collector.preferredVenue?.isReplacement === true ? [] : seriesProbes(collector)
    case "documents":
      return [documentsProbe(collector)]
    // Each news feed has its own probe.
    case "events":
      return []
    case "stream":
      return [streamProbe(collector, health)]
  }
}

const timeoutError = (source: string) =>
  ({ source, failure: "unreachable", reason: `no response within ${maxDuration}` }) as const

const runProbe = Effect.fnUntraced(function*({ fetch, source, label }: Probe, isOver: Deferred.Deferred<void>) {
  const startedAt = yield* Clock.currentTimeMillis
  const timedOut = Effect.andThen(Deferred.await(isOver), Effect.fail(timeoutError(source)))
  const outcome = yield* Effect.raceFirst(fetch, timedOut).pipe(
    Effect.match({
      onSuccess: (result) => {
        const by = result !== null && typeof result === "object" ? result.source : source
        return { source: by, outcome: "answered", rowCount: countOf(result), reason: null } as const
      },
      onFailure: ({ failure, reason, source: by }) => ({ source: by, outcome: failure, rowCount: null, reason })
    })
  )
  const probeResult: ProbeResult = { label, ...outcome, tookMs: (yield* Clock.currentTimeMillis) - startedAt }
  return probeResult
})

/**
 * Sends one request of each kind to each configured source, and reports whether the source is available and its
 * responses match the schemas. Probes store nothing and end within 15 seconds.
 */
export const probeSources = (userSettings: LiveSettings = {}): Effect.Effect<ReadonlyArray<ProbeResult>> => {
  const { coins = trackedCoins, stocks = defaultStocks } = userSettings
  const settings: LiveSettings = {
    ...userSettings,
    coins: coins.slice(0, 1),
    stocks: { US: stocks.US.slice(0, 1), KR: stocks.KR.slice(0, 1) },
    retryPolicy: { ...probeRetryPolicy, ...userSettings.retryPolicy },
    reconnectPolicy: { ...probeReconnectPolicy, ...userSettings.reconnectPolicy }
  }
  return Effect.scoped(Effect.gen(function*() {
    const health = yield* SourceHealth
    const collectors = yield* Effect.provideService(liveCollectors(settings), MarketStore, emptyStore)
    const probes = [
      ...(yield* replacementProbes(settings)),
      ...collectors.flatMap(collectorProbes(health)),
      ...(yield* onDemandProbes)
    ]
    const isOver = yield* Deferred.make<void>()
    yield* Effect.forkScoped(Effect.andThen(Effect.sleep(maxDuration), Deferred.succeed(isOver, undefined)))
    const bySource = Map.groupBy(probes, ({ source }) => source)
    const all = yield* Effect.forEach(
      bySource.values(),
      (own) => Effect.forEach(own, (probe) => runProbe(probe, isOver), { concurrency: maxConcurrent }),
      { concurrency: "unbounded" }
    )
    return all.flat()
  })).pipe(
    Effect.provide(Layer.provideMerge(layerSources(settings), SourceHealth.layer))
  )
}
