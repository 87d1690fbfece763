import { Schema } from "effect"
import { Language } from "../../engine/messages/languageCode.ts"
import { FiringOutcome } from "./task.ts"

/**
 * Why a task fires, and which firing of it this is: `at:<epoch ms>` of a schedule's due time, or `arming:<n>` of a
 * watch. A task has one firing of each, ever.
 */
export type Due = `at:${number}` | `arming:${number}`

/**
 * One firing of a task, from its claim to its end. It keeps the question, title and language of the task at the claim.
 * The firing stops if the task is paused or deleted, or if the task's key loses the right.
 *
 * `claimed`: nobody has asked the analyst, and nothing was reported. `asked`: `generation` answers. `ended`: its
 * outcome, its report and its notification stand.
 */
export const Firing = Schema.Struct({
  id: Schema.Int,
  task: Schema.Int,
  account: Schema.Int,
  due: Schema.String,
  /** When it was due: a schedule's time, or the end of the first minute in which the condition was true. */
  dueAt: Schema.Int,
  /** How much later than that it was claimed. */
  lateByMs: Schema.Int,
  /** Due times or armings that this firing stands for beside its own: what came due while nobody looked. */
  missed: Schema.Int,
  /** What was observed, for a watch: the values of the condition. Null of a schedule. */
  observed: Schema.NullOr(Schema.Json),
  title: Schema.String,
  /** What the analyst is asked; null when it only reports. */
  question: Schema.NullOr(Schema.String),
  lang: Language,
  key: Schema.NullOr(Schema.Int),
  conversation: Schema.Int,
  claimedAt: Schema.Int,
  /** How often it was taken, 1 from its claim: what is written under an earlier epoch changes nothing. */
  epoch: Schema.Int,
  renewedAt: Schema.Int,
  state: Schema.Literals(["claimed", "asked", "ended"]),
  generation: Schema.NullOr(Schema.Int),
  outcome: Schema.NullOr(FiringOutcome)
})
export type Firing = typeof Firing.Type

/** In whose name a firing is written. */
export interface FiringFence {
  readonly firing: number
  readonly epoch: number
}
