import { type SourceFailure } from "@tapeline/core/engine"
import { SourceUnavailable } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { Clock, Deferred, Effect, Layer } from "effect"
import {
  type Collector,
  type DocumentsCollector,
  type SeriesCollector,
  type StreamCollector,
  trackedCoins
} from "../collect/index.ts"
import { instantOf } from "../collect/plan.ts"
import { SourceHealth } from "../source/index.ts"
import { defaultStocks } from "../sources/yahoo/knownStocks.ts"
import { namesIn } from "../stored/asking.ts"
import { askedNow } from "./askedNow.ts"
import { askedOfEach } from "./askedOfEach.ts"
import { liveCollectors } from "./collectors.ts"
import { emptyStore } from "./emptyStore.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { countOf, type Probe, type ToldBy } from "./question.ts"
import { layerSources } from "./sources.ts"

/** The result of one probe. */
export interface Probed {
  /** The source that responded or failed. If another source replaced the requested one, this is the replacement. */
  readonly source: string
  /** The requested data. */
  readonly what: string
  /** `answered`: the response matched its schema. `malformed`: the response's format has changed. */
  readonly outcome: "answered" | SourceFailure
  /** The number of rows or documents; null if there is no such number. */
  readonly told: number | null
  readonly reason: string | null
  readonly tookMs: number
}

/** The minimum length of a past interval, and the minimum number of its steps. */
const leastMs = 6 * 3_600_000
const steps = 3

/** The age of the instant for which the present is requested. It is chosen by the probe, not by a grid. */
const justMs = 2_000

/** The time after which the probe ends all its requests. */
const longest = "14 seconds"

/** Concurrent requests to one source, in addition to the source's own rate limits. */
const together = 16

/**
 * One try per request, and a breaker that never opens, so that each probe has its own result. A silent request times
 * out early enough for the requests that wait behind it.
 */
const probePatience = {
  timeoutMs: 4_000,
  tries: 1,
  patienceMs: 12_000,
  failuresToOpen: Number.MAX_SAFE_INTEGER,
  concurrency: together
} as const

/** The time within which a socket must be connected. */
const probeSocketPatience = { connectMs: 5_000 } as const

/** The count of an answer's rows, and the source that provided them: the requested one or its replacement. */
const toldBy = (source: string, rows: number, names: Iterable<string>): ToldBy => {
  const [first, ...others] = namesIn(names)
  return { told: rows, by: first === undefined || [first, ...others].includes(source) ? source : first }
}

const ofSeries = (collector: SeriesCollector): ReadonlyArray<Probe> => {
  const { backfill, everyMs, name, snapshot, source } = collector
  const first = Effect.map(collector.subjects, ([subject]) => subject?.subject)
  const asking = (ask: (subject: string, now: number) => Effect.Effect<ToldBy, SourceUnavailable>) =>
    Effect.gen(function*() {
      const subject = yield* first
      return subject === undefined ? 0 : yield* ask(subject, yield* Clock.currentTimeMillis)
    })
  const probes: Array<Probe> = []
  if (snapshot !== undefined) {
    const ask = asking((subject, now) =>
      Effect.map(
        snapshot.ask([subject], now - justMs),
        (told) => toldBy(source, told.reduce((sum, { rows }) => sum + rows.length, 0), told.map((one) => one.source))
      )
    )
    probes.push({ source, what: `${name} now`, ask })
  }
  if (backfill !== undefined) {
    const ask = asking((subject, now) => {
      const to = instantOf(collector, now - (backfill.delayMs ?? 0))
      const length = Math.min(backfill.longestMs, Math.max(leastMs, steps * everyMs))
      const from = to - Math.max(everyMs, Math.floor(length / everyMs) * everyMs)
      return Effect.map(backfill.ask(subject, { from, to }), (told) => toldBy(source, told.rows.length, [told.source]))
    })
    probes.push({ source, what: `${name} of the past`, ask })
  }
  return probes
}

const ofDocuments = ({ ask, name, source }: DocumentsCollector): Probe => ({
  source,
  what: name,
  ask: Effect.flatMap(
    ask,
    ({ documents, faults: [fault] }) =>
      fault === undefined
        ? Effect.succeed(toldBy(source, documents.length, documents.map((one) => one.source)))
        : Effect.fail(fault)
  )
})

/** Waits until the socket's state has a fault, and fails with it. The socket would retry for ever. */
const faultOf = (part: string, source: string) =>
  Effect.gen(function*() {
    const { states } = yield* SourceHealth
    while (true) {
      const own = (yield* states).find((one) => one.source === part && one.state !== "up")
      if (own?.lastFault != null) {
        const { failure, reason } = own.lastFault
        return yield* new SourceUnavailable({ source, failure, reason, retryable: false })
      }
      yield* Effect.sleep("50 millis")
    }
  })

/**
 * A stream is working once its socket reports `up`. The subjects are requested first, because the subscription depends
 * on them.
 */
const ofStream = (
  { listen, name, source, subjects }: StreamCollector,
  health: SourceHealth["Service"]
): Probe => {
  const heard = Effect.flatMap(
    listen,
    ({ take }) => Effect.as(Effect.repeat(take, { until: (events) => events.some(({ _tag }) => _tag === "up") }), null)
  )
  const failing = Effect.provideService(faultOf(`${source}/${name}`, source), SourceHealth, health)
  return { source, what: name, ask: Effect.andThen(subjects, Effect.scoped(Effect.raceFirst(heard, failing))) }
}

const ofCollector = (health: SourceHealth["Service"]) => (collector: Collector): ReadonlyArray<Probe> => {
  switch (collector._tag) {
    // A collector that asks again sends the same requests as the series' own collector.
    case "series":
      return collector.first?.isAskedAgain === true ? [] : ofSeries(collector)
    case "documents":
      return [ofDocuments(collector)]
    // Each feed has its own probe.
    case "events":
      return []
    case "stream":
      return [ofStream(collector, health)]
  }
}

const nobody = (source: string) =>
  ({ source, failure: "unreachable", reason: `it said nothing within ${longest}` }) as const

const probed = Effect.fnUntraced(function*({ ask, source, what }: Probe, isOver: Deferred.Deferred<void>) {
  const began = yield* Clock.currentTimeMillis
  const late = Effect.andThen(Deferred.await(isOver), Effect.fail(nobody(source)))
  const came = yield* Effect.raceFirst(ask, late).pipe(
    Effect.match({
      onSuccess: (told) => {
        const by = told !== null && typeof told === "object" ? told.by : source
        return { source: by, outcome: "answered", told: countOf(told), reason: null } as const
      },
      onFailure: ({ failure, reason, source: by }) => ({ source: by, outcome: failure, told: null, reason })
    })
  )
  const one: Probed = { what, ...came, tookMs: (yield* Clock.currentTimeMillis) - began }
  return one
})

/**
 * Sends each configured source one request of each kind that the live market uses, for the first coin and stock. Shows
 * whether the source serves here, and whether its responses match the schemas. Sources that can replace others are
 * probed too. Nothing is stored. All probes end within 15 seconds, even if sources are silent.
 */
export const probeSources = (given: LiveSettings = {}): Effect.Effect<ReadonlyArray<Probed>> => {
  const { coins = trackedCoins, stocks = defaultStocks } = given
  const settings: LiveSettings = {
    ...given,
    coins: coins.slice(0, 1),
    stocks: { US: stocks.US.slice(0, 1), KR: stocks.KR.slice(0, 1) },
    patience: { ...probePatience, ...given.patience },
    socketPatience: { ...probeSocketPatience, ...given.socketPatience }
  }
  return Effect.scoped(Effect.gen(function*() {
    const health = yield* SourceHealth
    const collectors = yield* Effect.provideService(liveCollectors(settings), MarketStore, emptyStore)
    const probes = [
      ...(yield* askedOfEach(settings)),
      ...collectors.flatMap(ofCollector(health)),
      ...(yield* askedNow)
    ]
    const isOver = yield* Deferred.make<void>()
    yield* Effect.forkScoped(Effect.andThen(Effect.sleep(longest), Deferred.succeed(isOver, undefined)))
    const bySource = Map.groupBy(probes, ({ source }) => source)
    const all = yield* Effect.forEach(
      bySource.values(),
      (own) => Effect.forEach(own, (probe) => probed(probe, isOver), { concurrency: together }),
      { concurrency: "unbounded" }
    )
    return all.flat()
  })).pipe(
    Effect.provide(Layer.provideMerge(layerSources(settings), SourceHealth.layer))
  )
}
