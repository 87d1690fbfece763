import { createTask, updateTask } from "@tapeline/core/specifications"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newWatchHref, taskHref } from "../browser/pages/tasks/links.ts"
import { type Spec, type Task, withoutTask, withTask } from "../browser/pages/tasks/queries.ts"
import {
  allOffsets,
  draftFromQuery,
  emptyTaskDraft,
  formatOffset,
  hasMarket,
  parseChangedTask,
  parseNewTask,
  type TaskDraft,
  toTaskDraft,
  withKind
} from "../browser/pages/tasks/taskDraft.ts"

const empty = emptyTaskDraft(9)

const accepts = (schema: Schema.Codec<unknown, unknown>, args: unknown): boolean =>
  Result.isSuccess(Schema.decodeUnknownResult(schema)(args))

const task = (spec: Spec, fields: Partial<Task> = {}): Task => ({
  id: 7,
  title: "A task",
  kind: "metric" in spec ? "watch" : "schedule",
  spec,
  prompt: null,
  status: "active",
  runs: 0,
  max_runs: "metric" in spec ? 1 : null,
  conversation_id: 3,
  key_id: null,
  next_at: null,
  held_until: null,
  watch: null,
  last: null,
  created_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
  ...fields
})

const specs: ReadonlyArray<Spec> = [
  { metric: "price", market: "us", symbol: "AAPL", op: "lte", value: 180.5 },
  { metric: "score", market: "coin", symbol: "BTC", op: "cross_below", value: -40 },
  { metric: "vwap_cross", market: "coin", symbol: "ETH", dir: "below" },
  { metric: "gap", market: "coin", symbol: "*", value: 5 },
  { metric: "gap", market: "kr", symbol: "005930", value: 2.5 },
  { at: "08:30", tz_offset_hours: 5.75 },
  { every_min: 5 },
  { every_min: 240 },
  { every_min: 2880 }
]

describe("A new task", () => {
  const watch: TaskDraft = { ...empty, symbol: " BTC ", value: "120,000", title: "High" }

  it("has the values of the form, in the format that the service accepts", () => {
    expect(parseNewTask(watch, "en", "").args).toEqual({
      title: "High",
      kind: "watch",
      spec: { metric: "price", symbol: "BTC", op: "cross_above", value: 120_000 },
      max_runs: 1
    })
    const forms: ReadonlyArray<TaskDraft> = [
      watch,
      { ...watch, market: "us" },
      { ...watch, metric: "score", value: "-40", market: "us" },
      { ...watch, metric: "vwap_cross", value: "" },
      { ...watch, metric: "gap", isEvery: true, symbol: "", value: "5", market: "kr" },
      { ...watch, asksAnalyst: true, prompt: " Why? ", runs: "count", count: "5" },
      withKind({ ...watch, prompt: "What moved?" }, "schedule"),
      withKind({ ...watch, times: "interval", every: "1.5", unit: "hours" }, "schedule")
    ]
    for (const form of forms) {
      const { args, faults } = parseNewTask(form, "en", "named")
      expect(faults).toEqual({})
      expect(accepts(createTask.parameters, args), JSON.stringify(args)).toBe(true)
    }
  })

  it("has a default title if none is entered, and reports missing and invalid fields", () => {
    expect(parseNewTask({ ...watch, title: " " }, "en", "BTC crosses").args.title).toBe("BTC crosses")
    expect(parseNewTask(empty, "en", "").faults).toEqual({ title: "missing", symbol: "missing", value: "missing" })
    expect(parseNewTask({ ...watch, value: "high", runs: "count", count: "1.5" }, "en", "").faults)
      .toEqual({ value: "no number", count: "no whole number" })
    const frequentSchedule = withKind({ ...watch, times: "interval", every: "0.01" }, "schedule")
    expect(parseNewTask({ ...frequentSchedule, unit: "minutes" }, "en", "").faults).toEqual({
      every: "no whole number"
    })
    expect(parseNewTask(withKind({ ...watch, at: "" }, "schedule"), "en", "").faults).toEqual({ at: "missing" })
  })

  it("has the default run limit of its kind, and a prompt only if the analyst is switched on", () => {
    expect(parseNewTask(withKind(watch, "schedule"), "en", "").args.max_runs).toBe(0)
    expect(parseNewTask({ ...watch, prompt: "Why?" }, "en", "").args.prompt).toBeUndefined()
    expect(parseNewTask({ ...watch, prompt: "Why?", asksAnalyst: true }, "en", "").args.prompt).toBe("Why?")
  })

  it("is filled in from the query of an address, such as the link to watch a position", () => {
    const query = (href: string) => new URL(href, "http://x").searchParams
    const positionDraft = { coin: "BTC", entry: 60_000, stop: 57_000 } as const
    expect(draftFromQuery(query(newWatchHref({ ...positionDraft, side: "long" })), 9))
      .toMatchObject({ kind: "watch", metric: "price", symbol: "BTC", op: "cross_below", value: "57000" })
    expect(draftFromQuery(query(newWatchHref({ ...positionDraft, side: "short", stop: null })), 9))
      .toMatchObject({ op: "cross_above", value: "60000" })
    expect(draftFromQuery(query("/tasks?new=watch&op=nonsense"), 9)).toEqual(empty)
    expect(draftFromQuery(query("/tasks?new=everything"), 9)).toBeUndefined()
    expect(taskHref(7)).toBe("/tasks/7")
  })
})

describe("A changed task", () => {
  it("sends nothing if no field was changed, for every kind of condition", () => {
    for (const spec of specs) {
      const before = task(spec, { prompt: "Why?", max_runs: 5 })
      expect(parseChangedTask(toTaskDraft(before, -3.5), before, "ru"), JSON.stringify(spec)).toEqual({
        args: undefined,
        faults: {}
      })
    }
  })

  it("sends only the changed fields, in the format that the service accepts", () => {
    for (const spec of specs) {
      const before = task(spec, { prompt: "Why?" })
      const typed = toTaskDraft(before, 9)
      expect(
        parseChangedTask({ ...typed, title: "B", prompt: "", asksAnalyst: false, runs: "endless" }, before, "en").args
      )
        .toMatchObject({ id: 7, title: "B", prompt: "" })
      const other = { ...typed, symbol: "SOL", isEvery: false, at: "10:00", every: "7", market: "coin" } as const
      const { args } = parseChangedTask(other, before, "en")
      expect(Object.keys(args ?? {})).toEqual(["id", "spec"])
      expect(accepts(updateTask.parameters, args), JSON.stringify(args)).toBe(true)
    }
  })

  it("keeps its place in the list, where a new task comes first and a deleted one is removed", () => {
    const [first, second] = [task(specs[0]!), task(specs[1]!, { id: 8 })]
    const before = { tasks: [first], total: 1, notes: [] }
    const after = withTask(before, second)
    expect(after).toMatchObject({ tasks: [{ id: 8 }, { id: 7 }], total: 2 })
    expect(withTask(after, { ...first, status: "paused" }).tasks.map(({ status }) => status)).toEqual([
      "active",
      "paused"
    ])
    expect(withoutTask(after, 7)).toMatchObject({ tasks: [{ id: 8 }], total: 1 })
    expect(withoutTask(after, 9).total).toBe(2)
  })
})

it("requires a market only for a metric that shares have too, unless the watch covers all coins", () => {
  expect([hasMarket({ ...empty, metric: "gap" }), hasMarket({ ...empty, metric: "gap", isEvery: true })]).toEqual([
    true,
    false
  ])
  expect(hasMarket({ ...empty, metric: "score" })).toBe(false)
})

it("formats UTC offsets, and lists the reader's own offset once", () => {
  expect([9, -3.5, 5.75, 0].map(formatOffset)).toEqual(["UTC+9", "UTC−3:30", "UTC+5:45", "UTC+0"])
  fc.assert(fc.property(fc.integer({ min: -48, max: 56 }), (quarters) => {
    const all = allOffsets(quarters / 4)
    expect(all).toContain(quarters / 4)
    expect(new Set(all).size).toBe(all.length)
  }))
  expect(allOffsets(NaN)).not.toContain(NaN)
})
