import { Clock, Effect } from "effect"
import { formatMessage } from "../../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { NoTaskStore } from "../errors.ts"
import { evaluateMinutes, type MinuteValue, type WatchFiring } from "../evaluateMinutes.ts"
import type { Firing } from "../firing.ts"
import type { WatchState, WatchTask } from "../task.ts"
import type { Claim, TaskStore, WatchUpdate } from "../TaskStore.ts"
import { forEachIsolated } from "./forEachIsolated.ts"
import { countSweep } from "./metrics.ts"
import { type MinuteSeries, type SeriesByKey, seriesKey } from "./minuteSeries.ts"
import { formatObserved, makeObserved } from "./observedValues.ts"
import type { SeriesReader } from "./readSeries.ts"
import type { TaskTimes } from "./TaskTiming.ts"

const pageSize = 1_000
/**
 * Watches that are at most `maxRecentMinutes` behind share one read. A watch that is further behind has its own read,
 * because its interval is longer.
 */
const maxRecentMinutes = 3
const maxConcurrentClaims = 4

type Failure = StoreUnavailable | NoTaskStore

export interface WatchServices {
  readonly tasks: typeof TaskStore["Service"]
  readonly readSeries: SeriesReader
  readonly timing: TaskTimes
  readonly run: (firing: Firing) => Effect.Effect<void>
}

const listAllWatches = Effect.fnUntraced(function*(
  { tasks }: WatchServices
): Effect.fn.Return<ReadonlyArray<WatchTask>, Failure> {
  const watches: Array<WatchTask> = []
  for (let after = 0;;) {
    const nextPage = yield* tasks.listActiveWatches(after, pageSize)
    watches.push(...nextPage)
    const last = nextPage.at(-1)
    if (last === undefined || nextPage.length < pageSize) return watches
    after = last.id
  }
})

/**
 * A watch with the state from which its evaluation starts. A watch is not evaluated for minutes that are older than
 * `maxCatchUpMs`.
 */
interface WatchToEvaluate {
  readonly task: WatchTask
  readonly watch: WatchState
}

/** Returns the minutes for which a watch is evaluated, including the previous minute if the watch has no last value. */
const selectMinutes = (
  { watch }: WatchToEvaluate,
  { knownUntil, valueAt }: MinuteSeries,
  until: number
): ReadonlyArray<MinuteValue> => {
  const minutes: Array<MinuteValue> = []
  const last = Math.min(until, knownUntil)
  if (last <= watch.checkedTo) return minutes
  for (let end = watch.checkedTo + (watch.last === null ? 0 : minuteMs); end <= last; end += minuteMs) {
    minutes.push({ end, value: valueAt(end) })
  }
  return minutes
}

/** Returns the question for the analyst when a watch fires: the prompt and the observed values. */
const makeQuestion = ({ lang, prompt, title }: WatchTask, observed: Claim["observed"]): string | null =>
  prompt === null
    ? null
    : `${prompt}\n\n${
      formatMessage({ key: "task_asked_by_watch", params: { title, seen: formatObserved(observed, lang) } }, lang)
    }`

const makeWatchClaim = (
  task: WatchTask,
  firing: WatchFiring,
  watch: WatchState,
  series: MinuteSeries,
  cooldownMs: number
): Claim => {
  const observed = makeObserved(task.spec, firing, series)
  return {
    task: task.id,
    version: task.version,
    due: `arming:${firing.arming}`,
    dueAt: firing.dueAt,
    missed: firing.missed,
    observed,
    question: makeQuestion(task, observed),
    next: { kind: "watch", from: task.watch.checkedTo, watch, cooldownMs }
  }
}

interface WatchEvaluation {
  readonly updates: ReadonlyArray<WatchUpdate>
  readonly claims: ReadonlyArray<Claim>
}

const evaluateWatches = (
  watches: ReadonlyArray<WatchToEvaluate>,
  series: SeriesByKey,
  until: number,
  restMs: number
): WatchEvaluation => {
  const updates: Array<WatchUpdate> = []
  const claims: Array<Claim> = []
  for (const entry of watches) {
    const { task } = entry
    const watchSeries = series.get(seriesKey(task.spec))
    // If the source is unavailable or the minutes are not published yet, a later sweep evaluates the minutes.
    const minutes = watchSeries === undefined ? [] : selectMinutes(entry, watchSeries, until)
    if (watchSeries === undefined || minutes.length === 0) continue
    const { firing, watch } = evaluateMinutes(entry.watch, task.spec, minutes)
    if (firing !== null) claims.push(makeWatchClaim(task, firing, watch, watchSeries, restMs))
    else updates.push({ task: task.id, version: task.version, previousCheckedTo: task.watch.checkedTo, watch })
  }
  return { updates, claims }
}

const sweepGroup = Effect.fnUntraced(function*(
  { readSeries, run, tasks, timing }: WatchServices,
  watches: ReadonlyArray<WatchToEvaluate>,
  until: number
): Effect.fn.Return<void, Failure> {
  if (watches.length === 0) return
  const requests = watches.map(({ task: { spec }, watch: { checkedTo, last } }) => ({
    spec,
    after: checkedTo - (last === null ? minuteMs : 0)
  }))
  const series = yield* readSeries(requests, until)
  const { claims, updates } = evaluateWatches(watches, series, until, timing.cooldownMs)
  for (let i = 0; i < updates.length; i += pageSize) yield* tasks.storeWatchStates(updates.slice(i, i + pageSize))
  yield* forEachIsolated(
    claims,
    (claim) => Effect.flatMap(tasks.claim(claim), (firing) => firing === null ? Effect.void : run(firing)),
    maxConcurrentClaims
  )
})

/**
 * Returns the end of the last minute whose prices are available. The last minute is determined by the store's clock or
 * the local clock, whichever is earlier.
 */
export const findLastMinute = (
  { tasks, timing }: Pick<WatchServices, "tasks" | "timing">
): Effect.Effect<number, Failure> =>
  Effect.zipWith(
    tasks.currentTime,
    Clock.currentTimeMillis,
    // A port returns no data that is newer than the local clock.
    (storeTime, localTime) => Math.floor((Math.min(storeTime, localTime) - timing.priceDelayMs) / minuteMs) * minuteMs
  )

/** Evaluates each watch for its unevaluated minutes up to `until`. */
export const sweepWatches = Effect.fnUntraced(
  function*(services: WatchServices, until: number): Effect.fn.Return<void, Failure> {
    const startedAt = yield* Clock.currentTimeMillis
    const earliest = until - services.timing.maxCatchUpMs
    const watches = (yield* listAllWatches(services))
      .filter(({ watch }) => watch.checkedTo < until)
      .map((task): WatchToEvaluate => ({
        task,
        watch: task.watch.checkedTo >= earliest ? task.watch : { ...task.watch, checkedTo: earliest }
      }))
    const isBehind = ({ watch }: WatchToEvaluate) => watch.checkedTo < until - maxRecentMinutes * minuteMs
    const [recent, behind] = [watches.filter((entry) => !isBehind(entry)), watches.filter(isBehind)]
    yield* forEachIsolated([recent, behind], (group) => sweepGroup(services, group, until), 1)
    const now = yield* Clock.currentTimeMillis
    yield* countSweep(watches.length, now - until, now - startedAt)
  }
)
