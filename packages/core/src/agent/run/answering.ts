import { Clock, Effect, FiberHandle, Queue, type Scope } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { StoredStep } from "../generation.ts"
import type { AskedCall } from "../LanguageModel.ts"
import { endOf } from "../machine/ending.ts"
import type { Command, RunState, Verdict } from "../machine/state.ts"
import { transition } from "../machine/transition.ts"
import { askModel } from "./askModel.ts"
import { callTool } from "./callTool.ts"
import { countAnswer } from "./measures.ts"
import { merged } from "./merge.ts"
import type { FenceLost } from "./Pen.ts"
import { type Course, give, ifHeld, sinceTaken, type Tick, type Workplace } from "./Workplace.ts"

/** How long output is gathered before it is stored and shown, in ms. */
const gatherMs = 40
/** How many parts of a stream may wait for the store. Beyond that, the model waits. */
const waiting = 64

type Written = Effect.Effect<void, FenceLost | StoreUnavailable>

const aside = ({ scope }: Course, work: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkIn(work, scope))

/** Stores the gathered events, together with steps. */
const flush = (course: Course, steps: ReadonlyArray<StoredStep> = []): Written =>
  Effect.suspend(() => {
    const events = merged(course.events)
    course.events = []
    return course.work.pen.write(steps, events)
  })

/** Stores the gathered events within `gatherMs` of the first one. */
const flushSoon = (course: Course): Effect.Effect<void> => {
  if (course.events.length === 0 || course.isFlushing) return Effect.void
  course.isFlushing = true
  return aside(course, Effect.delay(Queue.offer(course.queue, { _tag: "Flush" }), gatherMs))
}

const makeCall = Effect.fnUntraced(function*(course: Course, call: AskedCall): Effect.fn.Return<void> {
  const from = yield* Clock.currentTimeMillis
  const result = yield* callTool(course.work, call)
  const tookMs = (yield* Clock.currentTimeMillis) - from
  yield* give(course, (ranMs) => ({ _tag: "ToolResult", callId: call.callId, result, tookMs, ranMs }))
})

const end = Effect.fnUntraced(function*(
  course: Course,
  verdict: Verdict
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  const { agedMs, ended, generation, model, pen, setup: { carried } } = course.work
  const { done, shown, step, usage } = course.state
  const pending = merged(course.events)
  course.events = []
  const tookMs = agedMs + (yield* sinceTaken(course))
  const end = endOf({ generation, verdict, shown, done, step, usage, carried, tookMs, pending })
  yield* pen.end(end, ended(course.state))
  yield* countAnswer(model.name, end.outcome, end.consumed)
})

const carryOut = (course: Course, command: Command): Written => {
  switch (command._tag) {
    case "CallModel": {
      const asking = ifHeld(course, askModel(course, command))
      return Effect.andThen(flush(course), Effect.asVoid(FiberHandle.run(course.asking, asking)))
    }
    case "StopModel":
      return FiberHandle.clear(course.asking)
    case "Pause": {
      const retry = give(course, (ranMs) => ({ _tag: "Retry", ask: command.ask, ranMs }))
      return Effect.andThen(flush(course), aside(course, Effect.delay(retry, command.ms)))
    }
    case "CallTools": {
      const options = { concurrency: course.work.setup.bounds.sideBySide, discard: true } as const
      const calls = Effect.forEach(command.calls, (call) => ifHeld(course, makeCall(course, call)), options)
      return Effect.andThen(flush(course), aside(course, calls))
    }
    case "End":
      return end(course, command.verdict)
    // `advance` handles suggestions and closing after the answer has ended.
    case "Suggest":
    case "Close":
      return Effect.void
  }
}

const advanceBy = Effect.fnUntraced(function*(
  course: Course,
  tick: Tick
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  if (tick._tag === "Flush") {
    course.isFlushing = false
    return yield* flush(course)
  }
  if (tick._tag === "Stopped") return yield* Effect.fail(tick.error)
  const { commands, events, state, steps } = transition(course.work.setup, course.state, tick)
  course.state = state
  course.events.push(...events)
  if (steps.length > 0) yield* flush(course, steps)
  for (const command of commands) yield* carryOut(course, command)
  yield* flushSoon(course)
})

/**
 * Runs a generation from `begun` on, until its end is stored. One fibre handles all inputs in turn. The model's stream,
 * tools and clocks run concurrently, and end with it.
 */
export const answering = Effect.fnUntraced(function*(
  work: Workplace,
  begun: RunState
): Effect.fn.Return<void, FenceLost | StoreUnavailable, Scope.Scope> {
  const { ranMs, setup: { bounds } } = work
  const course: Course = {
    work,
    queue: yield* Queue.bounded<Tick>(waiting),
    asking: yield* FiberHandle.make<void>(),
    scope: yield* Effect.scope,
    takenAt: yield* Clock.currentTimeMillis,
    state: begun,
    events: [],
    isFlushing: false
  }
  for (const atMs of [bounds.runMs, bounds.runMs + bounds.graceMs]) {
    const clock = give(course, (ranMs) => ({ _tag: "Clock", ranMs }))
    yield* aside(course, Effect.delay(clock, Math.max(0, atMs - ranMs)))
  }
  yield* give(course, (ranMs) => ({ _tag: "Begin", ranMs }))
  while (course.state.phase !== "Ended" && course.state.phase !== "Closed") {
    yield* advanceBy(course, yield* Queue.take(course.queue))
  }
})
