import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"

const hookTimeoutMs = 90_000

/** Creates a resource before the first test of a `describe` block, and releases it after the last test. */
export const makeShared = <A, E>(
  make: Effect.Effect<A, E, Scope.Scope>,
  timeoutMs: number = hookTimeoutMs
): Effect.Effect<A> => {
  const scope = Scope.makeUnsafe()
  let fixture: A
  beforeAll(async () => {
    fixture = await Effect.runPromise(Scope.provide(make, scope))
  }, timeoutMs)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), hookTimeoutMs)
  return Effect.sync(() => fixture)
}
