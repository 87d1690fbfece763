import { Schema } from "effect"
import { Language } from "../../engine/messages/languageCode.ts"
import { FiringOutcome } from "./task.ts"

/** Identifies a firing within its task. The form is `at:<epoch ms>` for a schedule and `arming:<n>` for a watch. */
export type Due = `at:${number}` | `arming:${number}`

/**
 * A firing of a task, from its claim to its end. `question`, `title` and `lang` keep the task's values at the claim. A
 * running firing stops if its task is paused or deleted, or if the task's key loses the required scope. In the state
 * `claimed`, no answer has started yet. In the state `asked`, the generation with the id `generation` answers the
 * question.
 */
export const Firing = Schema.Struct({
  id: Schema.Int,
  task: Schema.Int,
  account: Schema.Int,
  due: Schema.String,
  /** The due time of a schedule, or the end of the first minute in which a watch's condition was true. */
  dueAt: Schema.Int,
  /** The delay from `dueAt` to the claim of the firing. */
  lateByMs: Schema.Int,
  /** The number of missed due times (schedule) or armings (watch) that this firing also covers. */
  missed: Schema.Int,
  /** The observed values with which a watch fired, or null for a schedule. */
  observed: Schema.NullOr(Schema.Json),
  title: Schema.String,
  /** The question for the analyst, or null if the firing only reports. */
  question: Schema.NullOr(Schema.String),
  lang: Language,
  key: Schema.NullOr(Schema.Int),
  conversation: Schema.Int,
  claimedAt: Schema.Int,
  /** The number of runners that have taken the firing. Writes with a lower epoch change nothing. */
  epoch: Schema.Int,
  renewedAt: Schema.Int,
  state: Schema.Literals(["claimed", "asked", "ended"]),
  generation: Schema.NullOr(Schema.Int),
  outcome: Schema.NullOr(FiringOutcome)
})
export type Firing = typeof Firing.Type

/**
 * The id of a firing and the epoch of its runner. Each write of a runner contains the firing's id and the runner's
 * epoch.
 */
export interface FiringFence {
  readonly firing: number
  readonly epoch: number
}
