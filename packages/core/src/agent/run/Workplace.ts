import { Clock, Effect, type FiberHandle, Queue, type Scope as EffectScope } from "effect"
import type { Scope } from "../../engine/access/scope.ts"
import type { ToolCaller } from "../../engine/call/ToolCaller.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { Material } from "../context/material.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { LanguageModel } from "../LanguageModel.ts"
import type { Input, RunState, Setup } from "../machine/state.ts"
import type { FenceLost, Pen } from "./Pen.ts"

/** The inputs and services of a run. */
export interface Workplace {
  readonly model: LanguageModel["Service"]
  readonly caller: ToolCaller["Service"]
  /**
   * Checks before a call of a tool that the actor still has the scope of the tool, and adds a personal scope to the
   * conversation. Returns the scope that the actor has lost since the question; null if the actor may call the tool.
   */
  readonly useScope: (generation: Generation, tool: string) => Effect.Effect<Scope | null, StoreUnavailable>
  readonly pen: Pen
  readonly generation: Generation
  readonly setup: Setup
  readonly material: Material
  /** How long the generation had run when it was taken. `agedMs` is the time since its start. */
  readonly ranMs: number
  readonly agedMs: number
  /** Starts the work that follows the end of the answer. */
  readonly ended: (state: RunState) => Effect.Effect<void>
  /** Reported tokens per estimated token, for this model. Reports of the model update it. */
  readonly ratio: { value: number }
}

/** An input of a run's single fibre: an event, a request to store the gathered events, or an order to stop. */
export type Tick =
  | Input
  | { readonly _tag: "Flush" }
  | { readonly _tag: "Stopped"; readonly error: FenceLost | StoreUnavailable }

/** A run in progress. Only its single fibre changes it. */
export interface Course {
  readonly work: Workplace
  readonly queue: Queue.Queue<Tick>
  readonly asking: FiberHandle.FiberHandle<void>
  /** Background work of the run. It ends with the run. */
  readonly scope: EffectScope.Scope
  readonly takenAt: number
  state: RunState
  /** Events that are not stored and shown yet. */
  events: Array<GenerationEvent>
  isFlushing: boolean
}

/** The time since the generation was taken; 0 if the clock was set back. */
export const sinceTaken = ({ takenAt }: Course): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - takenAt))

/** Sends an input to a run. Waits while the run is behind. */
export const give = (course: Course, make: (ranMs: number) => Tick): Effect.Effect<void> =>
  Effect.flatMap(
    sinceTaken(course),
    (ms) => Effect.asVoid(Queue.offer(course.queue, make(course.work.ranMs + ms)))
  )

/** Does work that cannot be undone, if the generation is still held. Otherwise stops the run. */
export const ifHeld = (course: Course, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.matchEffect(course.work.pen.confirm, {
    onFailure: (error) => give(course, () => ({ _tag: "Stopped", error })),
    onSuccess: () => work
  })
