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

/** What a run works with. */
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
  /** How long it had run, and how long ago it was started, when it was taken. */
  readonly ranMs: number
  readonly agedMs: number
  /** Starts what follows the end of the answer. */
  readonly ended: (state: RunState) => Effect.Effect<void>
  /** Reported tokens for each estimated one, of this model; it learns. */
  readonly ratio: { value: number }
}

/**
 * What a run's one fiber waits for: what happens, that it is time to store what was gathered, and that nothing more may
 * be done in its name.
 */
export type Tick =
  | Input
  | { readonly _tag: "Flush" }
  | { readonly _tag: "Stopped"; readonly error: FenceLost | StoreUnavailable }

/** A run that goes on. What changes of it is changed by its one fiber. */
export interface Course {
  readonly work: Workplace
  readonly queue: Queue.Queue<Tick>
  readonly asking: FiberHandle.FiberHandle<void>
  /** What runs aside of the run ends with it. */
  readonly scope: EffectScope.Scope
  readonly takenAt: number
  state: RunState
  /** Shown to nobody yet. */
  events: Array<GenerationEvent>
  isFlushing: boolean
}

/** How long ago the generation was taken; 0 when the clock was set back. */
export const sinceTaken = ({ takenAt }: Course): Effect.Effect<number> =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(0, now - takenAt))

/** Tells a run what happened. Waits while the run is behind. */
export const give = (course: Course, make: (ranMs: number) => Tick): Effect.Effect<void> =>
  Effect.flatMap(
    sinceTaken(course),
    (ms) => Effect.asVoid(Queue.offer(course.queue, make(course.work.ranMs + ms)))
  )

/** Does what cannot be taken back, if the generation is still held; tells the run if it is not. */
export const ifHeld = (course: Course, work: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.matchEffect(course.work.pen.confirm, {
    onFailure: (error) => give(course, () => ({ _tag: "Stopped", error })),
    onSuccess: () => work
  })
