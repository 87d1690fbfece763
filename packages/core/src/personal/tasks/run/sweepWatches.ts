import { Clock, Effect } from "effect"
import { say } from "../../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../../engine/store/StoreUnavailable.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing } from "../firing.ts"
import { judgeMinutes, type MinuteValue, type WatchFiring } from "../judgeMinutes.ts"
import type { WatchState, WatchTask } from "../task.ts"
import type { Claim, Observed, TaskStore } from "../TaskStore.ts"
import { eachAlone } from "./eachAlone.ts"
import { countSweep } from "./measures.ts"
import { observedOf, observedText } from "./observed.ts"
import type { ReadSeries } from "./readSeries.ts"
import { type MinuteSeries, type SeriesByKey, seriesKey } from "./series.ts"
import type { TaskTimes } from "./TaskTiming.ts"

/** Watches per read and per write. */
const page = 1_000
/** Watches that are further behind than this are read separately, so that the others need not read as far back. */
const fewMinutes = 3
const claimsAtOnce = 4

type Failure = StoreUnavailable | NoTaskStore

/** The services of a sweep of watches. */
export interface WatchDesk {
  readonly tasks: typeof TaskStore["Service"]
  readonly read: ReadSeries
  readonly timing: TaskTimes
  /** Runs a firing that was claimed here. */
  readonly run: (firing: Firing) => Effect.Effect<void>
}

const allWatches = Effect.fnUntraced(function*(
  { tasks }: WatchDesk
): Effect.fn.Return<ReadonlyArray<WatchTask>, Failure> {
  const all: Array<WatchTask> = []
  for (let after = 0;;) {
    const found = yield* tasks.watches(after, page)
    all.push(...found)
    const last = found.at(-1)
    if (last === undefined || found.length < page) return all
    after = last.id
  }
})

/** A watch with the state that it is judged by. Minutes before the catch-up period count as already judged. */
interface Looking {
  readonly task: WatchTask
  readonly watch: WatchState
}

/** The minutes that judge a watch. If the watch has no last value yet, the minute before them is included. */
const minutesOf = (
  { watch }: Looking,
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

/** The question for the analyst when a watch fires: its prompt and the observed values. */
const questionOf = ({ lang, prompt, title }: WatchTask, observed: Claim["observed"]): string | null =>
  prompt === null
    ? null
    : `${prompt}\n\n${say({ key: "task_asked_by_watch", params: { title, seen: observedText(observed, lang) } }, lang)}`

const claimOf = (
  task: WatchTask,
  firing: WatchFiring,
  watch: WatchState,
  series: MinuteSeries,
  restMs: number
): Claim => {
  const observed = observedOf(task.spec, firing, series)
  return {
    task: task.id,
    version: task.version,
    due: `arming:${firing.arming}`,
    dueAt: firing.dueAt,
    missed: firing.missed,
    observed,
    question: questionOf(task, observed),
    next: { kind: "watch", from: task.watch.checkedTo, watch, restMs }
  }
}

/** The result of judging watches. */
interface Judged {
  readonly observed: ReadonlyArray<Observed>
  readonly claims: ReadonlyArray<Claim>
}

const judge = (watches: ReadonlyArray<Looking>, series: SeriesByKey, until: number, restMs: number): Judged => {
  const observed: Array<Observed> = []
  const claims: Array<Claim> = []
  for (const looking of watches) {
    const { task } = looking
    const found = series.get(seriesKey(task.spec))
    // The source is unavailable or the minutes are not published yet. A later sweep judges them.
    const minutes = found === undefined ? [] : minutesOf(looking, found, until)
    if (found === undefined || minutes.length === 0) continue
    const { firing, watch } = judgeMinutes(looking.watch, task.spec, minutes)
    if (firing !== null) claims.push(claimOf(task, firing, watch, found, restMs))
    else observed.push({ task: task.id, version: task.version, from: task.watch.checkedTo, watch })
  }
  return { observed, claims }
}

const sweepSome = Effect.fnUntraced(function*(
  { read, run, tasks, timing }: WatchDesk,
  watches: ReadonlyArray<Looking>,
  until: number
): Effect.fn.Return<void, Failure> {
  if (watches.length === 0) return
  const wanted = watches.map(({ task: { spec }, watch: { checkedTo, last } }) => ({
    spec,
    // Includes the minute before if the watch has no last value yet.
    after: checkedTo - (last === null ? minuteMs : 0)
  }))
  const series = yield* read(wanted, until)
  const { claims, observed } = judge(watches, series, until, timing.restMs)
  for (let i = 0; i < observed.length; i += page) yield* tasks.observe(observed.slice(i, i + page))
  yield* eachAlone(
    claims,
    (claim) => Effect.flatMap(tasks.claim(claim), (firing) => firing === null ? Effect.void : run(firing)),
    claimsAtOnce
  )
})

/**
 * The end of the last minute whose prices are available, by the earlier of the store's clock and this process's clock.
 */
export const lastMinute = ({ tasks, timing }: Pick<WatchDesk, "tasks" | "timing">): Effect.Effect<number, Failure> =>
  Effect.zipWith(
    tasks.time,
    Clock.currentTimeMillis,
    // A port returns no data that is newer than the local clock.
    (store, here) => Math.floor((Math.min(store, here) - timing.settleMs) / minuteMs) * minuteMs
  )

/** Judges each watch by the minutes up to `until` that it was not judged by yet. */
export const sweepWatches = Effect.fnUntraced(
  function*(desk: WatchDesk, until: number): Effect.fn.Return<void, Failure> {
    const begun = yield* Clock.currentTimeMillis
    const earliest = until - desk.timing.catchUpMs
    const watches = (yield* allWatches(desk))
      .filter(({ watch }) => watch.checkedTo < until)
      .map((task): Looking => ({
        task,
        watch: task.watch.checkedTo >= earliest ? task.watch : { ...task.watch, checkedTo: earliest }
      }))
    const isBehind = ({ watch }: Looking) => watch.checkedTo < until - fewMinutes * minuteMs
    const [few, many] = [watches.filter((one) => !isBehind(one)), watches.filter(isBehind)]
    yield* eachAlone([few, many], (some) => sweepSome(desk, some, until), 1)
    const now = yield* Clock.currentTimeMillis
    yield* countSweep(watches.length, now - until, now - begun)
  }
)
