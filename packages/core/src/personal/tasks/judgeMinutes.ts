import type { WatchOp, WatchSpec } from "./spec.ts"
import type { WatchState } from "./task.ts"

const minuteMs = 60_000

/** What a closed minute showed of what a watch looks at; null where nothing is known of that minute. */
export interface MinuteValue {
  /** The end of the minute, epoch ms. */
  readonly end: number
  readonly value: number | null
}

/** That a watch fires. */
export interface WatchFiring {
  /** In which arming. */
  readonly arming: number
  /** The end of the first minute in which its condition was true. */
  readonly dueAt: number
  /** The value of that minute, and of the last one before it that had any. */
  readonly value: number
  readonly before: number | null
  /** How often it would have fired again, had somebody looked at each minute as it closed. */
  readonly missed: number
}

/** What values are held against: of `vwap_cross` they are closes less the VWAP, of `gap` absolute moves in percent. */
export const conditionOf = (spec: WatchSpec): { readonly op: WatchOp; readonly level: number } => {
  switch (spec.metric) {
    case "price":
    case "score":
      return { op: spec.op, level: spec.value }
    case "vwap_cross":
      return { op: spec.dir === "above" ? "cross_above" : "cross_below", level: 0 }
    case "gap":
      return { op: "gte", level: spec.value }
  }
}

const isTrue = (op: WatchOp, level: number, before: number | null, value: number): boolean => {
  switch (op) {
    case "gt":
      return value > level
    case "gte":
      return value >= level
    case "lt":
      return value < level
    case "lte":
      return value <= level
    case "cross_above":
      return before !== null && before <= level && value > level
    case "cross_below":
      return before !== null && before >= level && value < level
  }
}

/** A watch that is armed and looks from `now` on: at the minute that is under way, once it has closed. */
export const beginWatch = (now: number, arming: number): WatchState => ({
  arming,
  armed: true,
  checkedTo: Math.floor(now / minuteMs) * minuteMs,
  last: null
})

/**
 * Judges minutes in the order in which they closed. Those up to `checkedTo` are not judged; they tell what came before,
 * of a watch that knows of nothing yet. A minute without a value changes nothing but how far it has looked.
 *
 * An armed watch fires at the first minute in which its condition is true, and is armed again once it was false. What
 * else would have fired of these minutes counts as missed: they come to one firing.
 */
export const judgeMinutes = (
  state: WatchState,
  spec: WatchSpec,
  minutes: ReadonlyArray<MinuteValue>
): { readonly watch: WatchState; readonly firing: WatchFiring | null } => {
  const { level, op } = conditionOf(spec)
  let { armed, arming, checkedTo, last } = state
  const fired: Array<Omit<WatchFiring, "missed">> = []
  for (const { end, value } of minutes) {
    const known = value !== null && Number.isFinite(value)
    if (end <= state.checkedTo) {
      if (state.last === null && known) last = value
      continue
    }
    checkedTo = Math.max(checkedTo, end)
    if (!known) continue
    const before = last
    last = value
    if (!isTrue(op, level, before, value)) {
      if (!armed) arming += 1
      armed = true
    } else if (armed) {
      armed = false
      fired.push({ arming, dueAt: end, value, before })
    }
  }
  const [first] = fired
  const firing = first === undefined ? null : { ...first, missed: fired.length - 1 }
  return { watch: { arming, armed, checkedTo, last }, firing }
}
