import { SignedInCaller, SignInAgain } from "@tapeline/api"
import { SessionSettings } from "@tapeline/core"
import { Duration, Effect } from "effect"

/** Fails if the signed-in user of the request signed in too long ago for a sensitive action. */
export const requireRecentSignIn: Effect.Effect<void, SignInAgain, SignedInCaller> = Effect.gen(function*() {
  const [{ ageMs }, { recentSignIn }] = yield* Effect.all([SignedInCaller, SessionSettings])
  const maxAgeMs = Duration.toMillis(recentSignIn)
  if (ageMs > maxAgeMs) return yield* new SignInAgain({ maxAgeMs })
})
