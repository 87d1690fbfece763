import { Effect } from "effect"
import type { Reading } from "./reading.ts"

/** Returns only the value of a reading, without its sources and its time. */
export const readValue = <A, E, R>(read: Effect.Effect<Reading<A>, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(read, ({ value }) => value)
