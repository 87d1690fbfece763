import { Clock, Effect, type FiberHandle, Queue, type Scope as EffectScope } from "effect"
import type { Scope } from "../../engine/access/scope.ts"
import type { ToolCaller } from "../../engine/call/ToolCaller.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import type { Input, RunState, Setup } from "../machine/state.ts"
import type { FencedWriter, FenceLost } from "./FencedWriter.ts"

export interface RunContext {
  readonly model: LanguageModel["Service"]
  readonly caller: ToolCaller["Service"]
  readonly toolbox: Toolbox["Service"]
  /**
   * Returns the scope of a tool that the actor has lost since the question, or null if the actor may call the tool. If
   * the actor may call the tool and the tool needs a personal scope, `useScope` adds the scope to the conversation.
   */
  readonly useScope: (generation: Generation, tool: string) => Effect.Effect<Scope | null, StoreUnavailable>
  readonly writer: FencedWriter
  readonly generation: Generation
  readonly setup: Setup
  readonly inputs: AnswerInputs
  /** The time for which the generation had run before the current runner took the generation, in ms. */
  readonly ranMs: number
  readonly ageMs: number
  readonly onEnded: (state: RunState) => Effect.Effect<void>
  /** The ratio of reported to estimated tokens of the model, updated by each usage report. */
  readonly calibration: { value: number }
}

/** A message to the single fibre of a run. `Flush` stores the collected events, and `Stopped` stops the run. */
export type RunMessage =
  | Input
  | { readonly _tag: "Flush" }
  | { readonly _tag: "Stopped"; readonly error: FenceLost | StoreUnavailable }

/** A running generation and the resources of its run. Only the single fibre of a run changes the run's state. */
export interface ActiveRun {
  readonly context: RunContext
  readonly queue: Queue.Queue<RunMessage>
  readonly modelFiber: FiberHandle.FiberHandle<void>
  readonly scope: EffectScope.Scope
  readonly takenAt: number
  state: RunState
  events: Array<GenerationEvent>
  isFlushing: boolean
}

/** Returns the time since the generation was taken, in ms, or 0 if the clock was set back. */
export const elapsedSinceTaken = ({ takenAt }: ActiveRun): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - takenAt))

/** Sends an input to a run, and waits while the run's queue is full. */
export const sendMessage = (run: ActiveRun, makeMessage: (ranMs: number) => RunMessage): Effect.Effect<void> =>
  Effect.flatMap(
    elapsedSinceTaken(run),
    (ms) => Effect.asVoid(Queue.offer(run.queue, makeMessage(run.context.ranMs + ms)))
  )

/** Runs work that cannot be undone if the runner still holds the generation, and otherwise stops the run. */
export const runIfHeld = (run: ActiveRun, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.matchEffect(run.context.writer.confirm, {
    onFailure: (error) => sendMessage(run, () => ({ _tag: "Stopped", error })),
    onSuccess: () => work
  })
