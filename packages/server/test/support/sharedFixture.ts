import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"

const hookTimeoutMs = 90_000

/** A resource that the tests of a `describe` share. It is created before the first test and closed after the last. */
export const makeShared = <A, E>(make: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A> => {
  const scope = Scope.makeUnsafe()
  let made: A
  beforeAll(async () => {
    made = await Effect.runPromise(Scope.provide(make, scope))
  }, hookTimeoutMs)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), hookTimeoutMs)
  return Effect.sync(() => made)
}
