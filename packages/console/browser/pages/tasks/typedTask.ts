import type { Language } from "@tapeline/core/specifications"
import { numberIn } from "../../words/typed.ts"
import type { Spec, Task } from "./asks.ts"

export const metrics = ["price", "score", "vwap_cross", "gap"] as const
export type Metric = typeof metrics[number]

export const ops = ["cross_above", "cross_below", "gt", "gte", "lt", "lte"] as const
export type Op = typeof ops[number]

export const markets = ["any", "coin", "us", "kr"] as const
export type Market = typeof markets[number]

export const units = ["minutes", "hours", "days"] as const
export type Unit = typeof units[number]
const minutesOf = { minutes: 1, hours: 60, days: 1440 } as const

/** The text and choices in the fields of a task. */
export interface TypedTask {
  readonly kind: "watch" | "schedule"
  readonly title: string
  readonly metric: Metric
  readonly symbol: string
  /** For `gap`: watches each coin, whatever `symbol` contains. */
  readonly isEvery: boolean
  readonly market: Market
  readonly op: Op
  readonly value: string
  readonly dir: "above" | "below"
  readonly times: "daily" | "interval"
  readonly at: string
  /** The offset from UTC, in hours. */
  readonly offset: string
  readonly every: string
  readonly unit: Unit
  /** True for a watch that requests an answer of the analyst. */
  readonly isAsked: boolean
  readonly prompt: string
  readonly runs: "once" | "endless" | "count"
  readonly count: string
}

/** A watch of a coin's price that fires once. `offset` is the user's offset from UTC, in hours. */
export const emptyTask = (offset: number): TypedTask => ({
  kind: "watch",
  title: "",
  metric: "price",
  symbol: "",
  isEvery: false,
  market: "any",
  op: "cross_above",
  value: "",
  dir: "above",
  times: "daily",
  at: "09:00",
  offset: String(offset),
  every: "4",
  unit: "hours",
  isAsked: false,
  prompt: "",
  runs: "once",
  count: "3"
})

/** Changes the kind of a task, and sets the usual number of firings for the kind. */
export const ofKind = (typed: TypedTask, kind: TypedTask["kind"]): TypedTask => ({
  ...typed,
  kind,
  runs: kind === "watch" ? "once" : "endless"
})

/** The initial values of a new task from the query of an address; undefined if the query requests none. */
export const begunBy = (query: URLSearchParams, offset: number): TypedTask | undefined => {
  const kind = query.get("new")
  if (kind !== "watch" && kind !== "schedule") return undefined
  const typed = ofKind(emptyTask(offset), kind)
  return {
    ...typed,
    symbol: query.get("symbol") ?? "",
    op: ops.find((op) => op === query.get("op")) ?? typed.op,
    value: query.get("value") ?? ""
  }
}

const timesOf = (minutes: number): Pick<TypedTask, "every" | "unit"> => {
  const unit = (["days", "hours"] as const).find((one) => minutes % minutesOf[one] === 0) ?? "minutes"
  return { every: String(minutes / minutesOf[unit]), unit }
}

const typedSpec = (spec: Spec): Partial<TypedTask> => {
  if ("every_min" in spec) return { times: "interval", ...timesOf(spec.every_min) }
  if ("at" in spec) return { times: "daily", at: spec.at, offset: String(spec.tz_offset_hours) }
  const { market, metric } = spec
  const isEvery = spec.symbol === "*"
  const named = { metric, market, isEvery, symbol: isEvery ? "" : spec.symbol } as const
  if (spec.metric === "vwap_cross") return { ...named, dir: spec.dir }
  if (spec.metric === "gap") return { ...named, value: String(spec.value) }
  return { ...named, op: spec.op, value: String(spec.value) }
}

/** The fields of an existing task. */
export const typedTask = (task: Task, offset: number): TypedTask => ({
  ...emptyTask(offset),
  ...typedSpec(task.spec),
  kind: task.kind,
  title: task.title,
  isAsked: task.prompt !== null,
  prompt: task.prompt ?? "",
  runs: task.max_runs === null ? "endless" : task.max_runs === 1 ? "once" : "count",
  count: String(task.max_runs ?? 3)
})

/** The condition or the times as arguments. */
export interface SpecArguments {
  readonly metric?: Metric
  readonly symbol?: string
  readonly op?: Op
  readonly value?: number
  readonly dir?: "above" | "below"
  readonly market?: Exclude<Market, "any">
  readonly at?: string
  readonly tz_offset_hours?: number
  readonly every_min?: number
}

/** A fault of a field: it is empty, or it contains no number. */
export type Fault = "missing" | "no number" | "no whole number"
export type Faults = Readonly<Partial<Record<"title" | "symbol" | "value" | "at" | "every" | "count", Fault>>>

interface Read<A> {
  readonly value: A
  readonly faults: Faults
}

const faultOf = (text: string, value: number | undefined): Fault | undefined =>
  text.trim() === "" ? "missing" : value === undefined ? "no number" : undefined

const faultsOf = (faults: { readonly [Name in keyof Faults]: Fault | undefined }): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))

const timesIn = (typed: TypedTask, language: Language): Read<SpecArguments> => {
  if (typed.times === "daily") {
    return {
      value: { at: typed.at, tz_offset_hours: Number(typed.offset) },
      faults: faultsOf({ at: typed.at.trim() === "" ? "missing" : undefined })
    }
  }
  const every = numberIn(typed.every, language)
  const minutes = (every ?? 0) * minutesOf[typed.unit]
  const fault = faultOf(typed.every, every) ?? (Number.isInteger(minutes) ? undefined : "no whole number")
  return { value: { every_min: minutes }, faults: faultsOf({ every: fault }) }
}

/** True if a market can be chosen. Scores and VWAPs exist only for coins. */
export const hasMarket = ({ isEvery, metric }: Pick<TypedTask, "metric" | "isEvery">): boolean =>
  metric === "price" || (metric === "gap" && !isEvery)

const conditionIn = (typed: TypedTask, language: Language): Read<SpecArguments> => {
  const { dir, market, metric, op } = typed
  const isEvery = metric === "gap" && typed.isEvery
  const symbol = isEvery ? "*" : typed.symbol.trim()
  const value = numberIn(typed.value, language)
  const named = { metric, symbol, ...(market === "any" || !hasMarket(typed) ? {} : { market }) }
  const missing = symbol === "" ? "missing" : undefined
  if (metric === "vwap_cross") return { value: { ...named, dir }, faults: faultsOf({ symbol: missing }) }
  const level = value === undefined ? {} : { value }
  return {
    value: metric === "gap" ? { ...named, ...level } : { ...named, op, ...level },
    faults: faultsOf({ symbol: missing, value: faultOf(typed.value, value) })
  }
}

const specIn = (typed: TypedTask, language: Language): Read<SpecArguments> =>
  typed.kind === "schedule" ? timesIn(typed, language) : conditionIn(typed, language)

const runsIn = (typed: TypedTask, language: Language): Read<number> => {
  if (typed.runs !== "count") return { value: typed.runs === "once" ? 1 : 0, faults: {} }
  const count = numberIn(typed.count, language)
  const fault = faultOf(typed.count, count) ?? (Number.isInteger(count) ? undefined : "no whole number")
  return { value: count ?? 0, faults: faultsOf({ count: fault }) }
}

const promptIn = ({ isAsked, kind, prompt }: TypedTask): string => kind === "watch" && !isAsked ? "" : prompt.trim()

export interface NewTask {
  readonly title: string
  readonly kind: "watch" | "schedule"
  readonly spec: SpecArguments
  readonly prompt?: string
  readonly max_runs: number
}

/** The arguments of a new task, and the faults. `title` is the name if none was typed. */
export const newTask = (
  typed: TypedTask,
  language: Language,
  title: string
): { readonly args: NewTask; readonly faults: Faults } => {
  const spec = specIn(typed, language)
  const runs = runsIn(typed, language)
  const prompt = promptIn(typed)
  const named = typed.title.trim() === "" ? title : typed.title.trim()
  return {
    args: {
      title: named,
      kind: typed.kind,
      spec: spec.value,
      ...(prompt === "" ? {} : { prompt }),
      max_runs: runs.value
    },
    faults: { ...spec.faults, ...runs.faults, ...faultsOf({ title: named === "" ? "missing" : undefined }) }
  }
}

export interface ChangedTask {
  readonly id: number
  readonly title?: string
  readonly spec?: SpecArguments
  readonly prompt?: string
  readonly max_runs?: number
  readonly status?: "active" | "paused"
}

/** The changed values only, because a new condition starts again; undefined if nothing changed. */
export const changedTask = (
  typed: TypedTask,
  before: Task,
  language: Language
): { readonly args: ChangedTask | undefined; readonly faults: Faults } => {
  const was = newTask(typedTask(before, Number(typed.offset)), language, before.title).args
  const { args: is, faults } = newTask(typed, language, before.title)
  const changes: Omit<ChangedTask, "id"> = {
    ...(is.title === was.title ? {} : { title: is.title }),
    ...(JSON.stringify(is.spec) === JSON.stringify(was.spec) ? {} : { spec: is.spec }),
    ...(is.prompt === was.prompt ? {} : { prompt: is.prompt ?? "" }),
    ...(is.max_runs === was.max_runs ? {} : { max_runs: is.max_runs })
  }
  return { args: Object.keys(changes).length === 0 ? undefined : { id: before.id, ...changes }, faults }
}

/** Formats an offset: 5.75 is UTC+5:45. */
export const offsetName = (hours: number): string => {
  const minutes = Math.round(Math.abs(hours) * 60)
  const rest = minutes % 60
  return `UTC${hours < 0 ? "−" : "+"}${Math.trunc(minutes / 60)}${
    rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`
  }`
}

const rareOffsets = [-9.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75]

/** All offsets from UTC that clocks use, and the given ones. */
export const offsets = (...more: ReadonlyArray<number>): ReadonlyArray<number> => {
  const whole = Array.from({ length: 27 }, (_, i) => i - 12)
  return [...new Set([...whole, ...rareOffsets, ...more.filter(Number.isFinite)])].sort((a, b) => a - b)
}
