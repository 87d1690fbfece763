import type { WatchOp, WatchSpec, WatchState } from "./task.ts"

const minuteMs = 60_000

/** The watched value at the close of a minute, or null if the value is unknown. */
export interface MinuteValue {
  /** The end of the minute, in epoch ms. */
  readonly end: number
  readonly value: number | null
}

/** The result of an evaluation in which a watch fires. */
export interface WatchFiring {
  readonly arming: number
  /** The end of the first minute in which the watch's condition was true. */
  readonly dueAt: number
  /** The watched value in the minute in which the watch fires. */
  readonly value: number
  readonly previousValue: number | null
  /** The number of further firings that the evaluated minutes would have caused. */
  readonly missed: number
}

/**
 * Returns the operator and level of a watch's condition. Values of `vwap_cross` are closes minus the VWAP, and values
 * of `gap` are absolute moves in percent.
 */
export const readCondition = (spec: WatchSpec): { readonly op: WatchOp; readonly level: number } => {
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

const isConditionMet = (op: WatchOp, level: number, previousValue: number | null, value: number): boolean => {
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
      return previousValue !== null && previousValue <= level && value > level
    case "cross_below":
      return previousValue !== null && previousValue >= level && value < level
  }
}

/**
 * Returns the initial state of an armed watch. The first minute that the watch evaluates is the minute that contains
 * `now`.
 */
export const makeWatchState = (now: number, arming: number): WatchState => ({
  arming,
  armed: true,
  checkedTo: Math.floor(now / minuteMs) * minuteMs,
  last: null
})

/**
 * Evaluates a watch for minutes in chronological order. A minute without a value only advances `checkedTo`. If
 * `state.last` is null, the minutes up to `checkedTo` supply the previous value. The minutes up to `checkedTo` cause no
 * firing. An armed watch fires at the first minute in which its condition is true, and is armed again after the
 * condition was false. One evaluation causes at most one firing, and counts further firings as missed.
 */
export const evaluateMinutes = (
  state: WatchState,
  spec: WatchSpec,
  minutes: ReadonlyArray<MinuteValue>
): { readonly watch: WatchState; readonly firing: WatchFiring | null } => {
  const { level, op } = readCondition(spec)
  let { armed, arming, checkedTo, last } = state
  const firings: Array<Omit<WatchFiring, "missed">> = []
  for (const { end, value } of minutes) {
    const isKnown = value !== null && Number.isFinite(value)
    if (end <= state.checkedTo) {
      if (state.last === null && isKnown) last = value
      continue
    }
    checkedTo = Math.max(checkedTo, end)
    if (!isKnown) continue
    const previousValue = last
    last = value
    if (!isConditionMet(op, level, previousValue, value)) {
      if (!armed) arming += 1
      armed = true
    } else if (armed) {
      armed = false
      firings.push({ arming, dueAt: end, value, previousValue })
    }
  }
  const [first] = firings
  const firing = first === undefined ? null : { ...first, missed: firings.length - 1 }
  return { watch: { arming, armed, checkedTo, last }, firing }
}
