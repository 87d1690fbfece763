import type { Language } from "@tapeline/core/specifications"
import { parseNumber } from "../../i18n/parseNumber.ts"
import type { Spec, Task } from "./queries.ts"

export const metrics = ["price", "score", "vwap_cross", "gap"] as const
export type Metric = typeof metrics[number]

export const ops = ["cross_above", "cross_below", "gt", "gte", "lt", "lte"] as const
export type Op = typeof ops[number]

export const markets = ["any", "coin", "us", "kr"] as const
export type Market = typeof markets[number]

export const units = ["minutes", "hours", "days"] as const
export type Unit = typeof units[number]
const minutesPerUnit = { minutes: 1, hours: 60, days: 1440 } as const

export interface TaskDraft {
  readonly kind: "watch" | "schedule"
  readonly title: string
  readonly metric: Metric
  readonly symbol: string
  /** If true, a `gap` condition watches every coin and ignores `symbol`. */
  readonly isEvery: boolean
  readonly market: Market
  readonly op: Op
  readonly value: string
  readonly dir: "above" | "below"
  readonly times: "daily" | "interval"
  readonly at: string
  /** The offset of the schedule's time zone from UTC, in hours. */
  readonly offset: string
  readonly every: string
  readonly unit: Unit
  readonly asksAnalyst: boolean
  readonly prompt: string
  readonly runs: "once" | "endless" | "count"
  readonly count: string
}

/** Returns the form of a new task that watches a price and runs once. `offset` is the UTC offset in hours. */
export const emptyTaskDraft = (offset: number): TaskDraft => ({
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
  asksAnalyst: false,
  prompt: "",
  runs: "once",
  count: "3"
})

/** Changes the kind of task in a form, and sets the usual number of runs of the new kind. */
export const withKind = (draft: TaskDraft, kind: TaskDraft["kind"]): TaskDraft => ({
  ...draft,
  kind,
  runs: kind === "watch" ? "once" : "endless"
})

/**
 * Returns the initial form for a new task from the page's query parameters. Returns undefined unless the query
 * parameter `new` is `watch` or `schedule`.
 */
export const draftFromQuery = (query: URLSearchParams, offset: number): TaskDraft | undefined => {
  const kind = query.get("new")
  if (kind !== "watch" && kind !== "schedule") return undefined
  const draft = withKind(emptyTaskDraft(offset), kind)
  return {
    ...draft,
    symbol: query.get("symbol") ?? "",
    op: ops.find((op) => op === query.get("op")) ?? draft.op,
    value: query.get("value") ?? ""
  }
}

const toInterval = (minutes: number): Pick<TaskDraft, "every" | "unit"> => {
  const unit = (["days", "hours"] as const).find((one) => minutes % minutesPerUnit[one] === 0) ?? "minutes"
  return { every: String(minutes / minutesPerUnit[unit]), unit }
}

const specToDraft = (spec: Spec): Partial<TaskDraft> => {
  if ("every_min" in spec) return { times: "interval", ...toInterval(spec.every_min) }
  if ("at" in spec) return { times: "daily", at: spec.at, offset: String(spec.tz_offset_hours) }
  const { market, metric } = spec
  const isEvery = spec.symbol === "*"
  const named = { metric, market, isEvery, symbol: isEvery ? "" : spec.symbol } as const
  if (spec.metric === "vwap_cross") return { ...named, dir: spec.dir }
  if (spec.metric === "gap") return { ...named, value: String(spec.value) }
  return { ...named, op: spec.op, value: String(spec.value) }
}

export const toTaskDraft = (task: Task, offset: number): TaskDraft => ({
  ...emptyTaskDraft(offset),
  ...specToDraft(task.spec),
  kind: task.kind,
  title: task.title,
  asksAnalyst: task.prompt !== null,
  prompt: task.prompt ?? "",
  runs: task.max_runs === null ? "endless" : task.max_runs === 1 ? "once" : "count",
  count: String(task.max_runs ?? 3)
})

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

export type Fault = "missing" | "no number" | "no whole number"
export type Faults = Readonly<Partial<Record<"title" | "symbol" | "value" | "at" | "every" | "count", Fault>>>

interface Parsed<A> {
  readonly value: A
  readonly faults: Faults
}

const numberFault = (text: string, value: number | undefined): Fault | undefined =>
  text.trim() === "" ? "missing" : value === undefined ? "no number" : undefined

const presentFaults = (faults: { readonly [Name in keyof Faults]: Fault | undefined }): Faults =>
  Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))

const parseTimes = (draft: TaskDraft, language: Language): Parsed<SpecArguments> => {
  if (draft.times === "daily") {
    return {
      value: { at: draft.at, tz_offset_hours: Number(draft.offset) },
      faults: presentFaults({ at: draft.at.trim() === "" ? "missing" : undefined })
    }
  }
  const every = parseNumber(draft.every, language)
  const minutes = (every ?? 0) * minutesPerUnit[draft.unit]
  const fault = numberFault(draft.every, every) ?? (Number.isInteger(minutes) ? undefined : "no whole number")
  return { value: { every_min: minutes }, faults: presentFaults({ every: fault }) }
}

/**
 * Returns whether the user can choose the market of a task. Some metrics, such as scores and VWAPs, exist only for
 * coins.
 */
export const hasMarket = ({ isEvery, metric }: Pick<TaskDraft, "metric" | "isEvery">): boolean =>
  metric === "price" || (metric === "gap" && !isEvery)

const parseCondition = (draft: TaskDraft, language: Language): Parsed<SpecArguments> => {
  const { dir, market, metric, op } = draft
  const isEvery = metric === "gap" && draft.isEvery
  const symbol = isEvery ? "*" : draft.symbol.trim()
  const value = parseNumber(draft.value, language)
  const named = { metric, symbol, ...(market === "any" || !hasMarket(draft) ? {} : { market }) }
  const missing = symbol === "" ? "missing" : undefined
  if (metric === "vwap_cross") return { value: { ...named, dir }, faults: presentFaults({ symbol: missing }) }
  const level = value === undefined ? {} : { value }
  return {
    value: metric === "gap" ? { ...named, ...level } : { ...named, op, ...level },
    faults: presentFaults({ symbol: missing, value: numberFault(draft.value, value) })
  }
}

const parseSpec = (draft: TaskDraft, language: Language): Parsed<SpecArguments> =>
  draft.kind === "schedule" ? parseTimes(draft, language) : parseCondition(draft, language)

const parseRuns = (draft: TaskDraft, language: Language): Parsed<number> => {
  if (draft.runs !== "count") return { value: draft.runs === "once" ? 1 : 0, faults: {} }
  const count = parseNumber(draft.count, language)
  const fault = numberFault(draft.count, count) ?? (Number.isInteger(count) ? undefined : "no whole number")
  return { value: count ?? 0, faults: presentFaults({ count: fault }) }
}

const parsePrompt = ({ asksAnalyst, kind, prompt }: TaskDraft): string =>
  kind === "watch" && !asksAnalyst ? "" : prompt.trim()

export interface NewTaskArguments {
  readonly title: string
  readonly kind: "watch" | "schedule"
  readonly spec: SpecArguments
  readonly prompt?: string
  readonly max_runs: number
}

/** Returns the arguments of a new task, with `title` as the title if the user typed none, and the errors by field. */
export const parseNewTask = (
  draft: TaskDraft,
  language: Language,
  title: string
): { readonly args: NewTaskArguments; readonly faults: Faults } => {
  const spec = parseSpec(draft, language)
  const runs = parseRuns(draft, language)
  const prompt = parsePrompt(draft)
  const named = draft.title.trim() === "" ? title : draft.title.trim()
  return {
    args: {
      title: named,
      kind: draft.kind,
      spec: spec.value,
      ...(prompt === "" ? {} : { prompt }),
      max_runs: runs.value
    },
    faults: { ...spec.faults, ...runs.faults, ...presentFaults({ title: named === "" ? "missing" : undefined }) }
  }
}

export interface ChangedTaskArguments {
  readonly id: number
  readonly title?: string
  readonly spec?: SpecArguments
  readonly prompt?: string
  readonly max_runs?: number
  readonly status?: "active" | "paused"
}

/**
 * Returns only the changed values of a task, because changing the condition restarts the task. Returns undefined if no
 * value has changed.
 */
export const parseChangedTask = (
  draft: TaskDraft,
  existing: Task,
  language: Language
): { readonly args: ChangedTaskArguments | undefined; readonly faults: Faults } => {
  const previous = parseNewTask(toTaskDraft(existing, Number(draft.offset)), language, existing.title).args
  const { args: after, faults } = parseNewTask(draft, language, existing.title)
  const changes: Omit<ChangedTaskArguments, "id"> = {
    ...(after.title === previous.title ? {} : { title: after.title }),
    ...(JSON.stringify(after.spec) === JSON.stringify(previous.spec) ? {} : { spec: after.spec }),
    ...(after.prompt === previous.prompt ? {} : { prompt: after.prompt ?? "" }),
    ...(after.max_runs === previous.max_runs ? {} : { max_runs: after.max_runs })
  }
  return { args: Object.keys(changes).length === 0 ? undefined : { id: existing.id, ...changes }, faults }
}

/** Formats an offset from UTC in hours, such as 5.75 as `UTC+5:45`. */
export const formatOffset = (hours: number): string => {
  const minutes = Math.round(Math.abs(hours) * 60)
  const rest = minutes % 60
  return `UTC${hours < 0 ? "−" : "+"}${Math.trunc(minutes / 60)}${
    rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`
  }`
}

const nonIntegerOffsets = [-9.5, -3.5, -2.5, 3.5, 4.5, 5.5, 5.75, 6.5, 8.75, 9.5, 10.5, 12.75]

/** Returns all offsets from UTC in hours that time zones use, together with the offsets in `additional`. */
export const allOffsets = (...additional: ReadonlyArray<number>): ReadonlyArray<number> => {
  const integerOffsets = Array.from({ length: 27 }, (_, i) => i - 12)
  return [...new Set([...integerOffsets, ...nonIntegerOffsets, ...additional.filter(Number.isFinite)])].sort((a, b) =>
    a - b
  )
}
