import { Cause, Clock, Effect, FiberHandle, Queue, type Scope } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { checkAnswer } from "../figures/checkAnswer.ts"
import type { CheckedFigures } from "../figures/figure.ts"
import type { StoredStep } from "../generation.ts"
import type { RequestedCall } from "../LanguageModel.ts"
import { buildEnd } from "../machine/generationEnd.ts"
import type { Command, RunOutcome, RunState } from "../machine/state.ts"
import type { CallResult } from "../machine/steps.ts"
import { transition } from "../machine/transition.ts"
import { callTool } from "./callTool.ts"
import type { FenceLost } from "./FencedWriter.ts"
import { mergeEvents } from "./mergeEvents.ts"
import { countAnswer } from "./metrics.ts"
import { proposeCall } from "./proposeCall.ts"
import { requestStep } from "./requestStep.ts"
import {
  type ActiveRun,
  elapsedSinceTaken,
  type RunContext,
  runIfHeld,
  type RunMessage,
  sendMessage
} from "./RunContext.ts"

/** The time for which output is collected before it is stored and shown, in ms. */
const flushDelayMs = 40
/** The maximum number of queued messages of a run. While the queue is full, the model's stream waits. */
const queueCapacity = 64

type WriteEffect = Effect.Effect<void, FenceLost | StoreUnavailable>

const forkInRun = ({ scope }: ActiveRun, work: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkIn(work, scope))

const flushEvents = (run: ActiveRun, steps: ReadonlyArray<StoredStep> = []): WriteEffect =>
  Effect.suspend(() => {
    const events = mergeEvents(run.events)
    run.events = []
    return run.context.writer.write(steps, events)
  })

/** Stores the collected events within `flushDelayMs` of the first event. */
const scheduleFlush = (run: ActiveRun): Effect.Effect<void> => {
  if (run.events.length === 0 || run.isFlushing) return Effect.void
  run.isFlushing = true
  return forkInRun(run, Effect.delay(Queue.offer(run.queue, { _tag: "Flush" }), flushDelayMs))
}

const makeCall = Effect.fnUntraced(function*(run: ActiveRun, call: RequestedCall): Effect.fn.Return<void> {
  const from = yield* Clock.currentTimeMillis
  const result = yield* callTool(run.context, call)
  const tookMs = (yield* Clock.currentTimeMillis) - from
  yield* sendMessage(run, (ranMs) => ({ _tag: "ToolResult", callId: call.callId, result, tookMs, ranMs }))
})

const checkProposals = Effect.fnUntraced(function*(
  run: ActiveRun,
  { calls, requestId }: Extract<Command, { readonly _tag: "CheckProposals" }>
): Effect.fn.Return<void> {
  const results = new Map<string, CallResult>()
  for (const call of calls) {
    const tool = run.context.toolbox.find(call.name)
    if (tool !== undefined) results.set(call.callId, yield* proposeCall(run.context, tool, call))
  }
  yield* sendMessage(run, (ranMs) => ({ _tag: "ProposalsChecked", requestId, results, ranMs }))
})

/** Checks the numbers of the answer. A bug of the check loses only the figures, and not the answer. */
const checkFigures = (run: ActiveRun): Effect.Effect<CheckedFigures | null> => {
  const { inputs: { accepted, history, question }, generation, setup: { replacedWrites } } = run.context
  const { finishedSteps, shownOutput } = run.state
  const earlierQuestions = history.toReversed().filter(({ role }) => role === "user")
  const userTexts = [question, ...earlierQuestions].map(({ content }) => content)
  return Effect.sync(() => checkAnswer({ accepted, generation, shownOutput, finishedSteps, replacedWrites, userTexts }))
    .pipe(
      Effect.catchDefect((defect) =>
        Effect.as(
          Effect.logError(`The figures of generation ${generation.id} were not checked`, Cause.die(defect)),
          null
        )
      )
    )
}

const endAnswer = Effect.fnUntraced(function*(
  run: ActiveRun,
  runOutcome: RunOutcome
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  const { ageMs, onEnded, generation, model, writer, setup: { replacedWrites } } = run.context
  const { finishedSteps, shownOutput, step, usage } = run.state
  const pending = mergeEvents(run.events)
  run.events = []
  const tookMs = ageMs + (yield* elapsedSinceTaken(run))
  const end = buildEnd({
    generation,
    runOutcome,
    shownOutput,
    finishedSteps,
    step,
    usage,
    replacedWrites,
    checkedFigures: runOutcome.outcome === "finished" ? yield* checkFigures(run) : null,
    disclaimer: runOutcome.outcome === "finished" ? model.disclaimer?.[generation.brief.lang] ?? null : null,
    tookMs,
    pending
  })
  yield* writer.end(end, onEnded(run.state))
  yield* countAnswer(model.name, end.outcome, end.consumed)
})

const executeCommand = (run: ActiveRun, command: Command): WriteEffect => {
  switch (command._tag) {
    case "CallModel": {
      const request = runIfHeld(run, requestStep(run, command))
      return Effect.andThen(flushEvents(run), Effect.asVoid(FiberHandle.run(run.modelFiber, request)))
    }
    case "StopModel":
      return FiberHandle.clear(run.modelFiber)
    case "Pause": {
      const retry = sendMessage(run, (ranMs) => ({ _tag: "Retry", requestId: command.requestId, ranMs }))
      return Effect.andThen(flushEvents(run), forkInRun(run, Effect.delay(retry, command.ms)))
    }
    case "CheckProposals":
      return Effect.andThen(flushEvents(run), forkInRun(run, runIfHeld(run, checkProposals(run, command))))
    case "CallTools": {
      const options = { concurrency: run.context.setup.bounds.maxConcurrentCalls, discard: true } as const
      const calls = Effect.forEach(command.calls, (call) => runIfHeld(run, makeCall(run, call)), options)
      return Effect.andThen(flushEvents(run), forkInRun(run, calls))
    }
    case "End":
      return endAnswer(run, command.runOutcome)
    // `closeGeneration` handles suggestions and closing after the answer has ended.
    case "Suggest":
    case "Close":
      return Effect.void
  }
}

const handleMessage = Effect.fnUntraced(function*(
  run: ActiveRun,
  message: RunMessage
): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
  if (message._tag === "Flush") {
    run.isFlushing = false
    return yield* flushEvents(run)
  }
  if (message._tag === "Stopped") return yield* Effect.fail(message.error)
  const { commands, events, state, steps } = transition(run.context.setup, run.state, message)
  run.state = state
  run.events.push(...events)
  if (steps.length > 0) yield* flushEvents(run, steps)
  for (const command of commands) yield* executeCommand(run, command)
  yield* scheduleFlush(run)
})

/**
 * Runs a generation from `initialState` until its end is stored. One fibre handles all inputs in turn, while the
 * model's stream, the tools and the timers run concurrently.
 */
export const runAnswer = Effect.fnUntraced(function*(
  context: RunContext,
  initialState: RunState
): Effect.fn.Return<void, FenceLost | StoreUnavailable, Scope.Scope> {
  const { ranMs, setup: { bounds } } = context
  const run: ActiveRun = {
    context,
    queue: yield* Queue.bounded<RunMessage>(queueCapacity),
    modelFiber: yield* FiberHandle.make<void>(),
    scope: yield* Effect.scope,
    takenAt: yield* Clock.currentTimeMillis,
    state: initialState,
    events: [],
    isFlushing: false
  }
  for (const atMs of [bounds.runMs, bounds.runMs + bounds.graceMs]) {
    const clock = sendMessage(run, (ranMs) => ({ _tag: "Clock", ranMs }))
    yield* forkInRun(run, Effect.delay(clock, Math.max(0, atMs - ranMs)))
  }
  yield* sendMessage(run, (ranMs) => ({ _tag: "Begin", ranMs }))
  while (run.state.phase !== "Ended" && run.state.phase !== "Closed") {
    yield* handleMessage(run, yield* Queue.take(run.queue))
  }
})
