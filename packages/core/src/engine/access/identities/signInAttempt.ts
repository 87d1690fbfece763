import { Effect } from "effect"
import { sha256 } from "../hash.ts"
import { tokenFormat } from "../tokenFormat.ts"

const signInTokens = tokenFormat("tl_openid_")

/** The maximum time from the redirect to the provider until the response, in ms. */
export const attemptLifetimeMs = 600_000

/**
 * The time for which a used response is remembered, in ms. Covers the clock difference of two nodes and a delay in both
 * directions.
 */
export const responseRetainMs = 6 * attemptLifetimeMs

/**
 * A sign-in that has begun. The browser keeps its text, and all other values derive from the text. The server stores
 * nothing, so the number of sign-ins is unlimited and any process can complete them.
 */
export interface SignInAttempt {
  readonly secret: string
  /** The state that the response must contain. */
  readonly state: string
  /** The nonce that the provider's ID token must contain. */
  readonly nonce: string
  /** The PKCE code verifier, which the provider receives with the code (RFC 7636). */
  readonly verifier: string
  /** The value by which the use of the response is remembered. */
  readonly responseHash: string
}

const deriveAttempt = Effect.fnUntraced(function*(secret: string) {
  const derive = (label: string) => sha256(`${label} of ${secret}`)
  const [state, nonce, verifier, responseHash] = yield* Effect.all([
    derive("state"),
    derive("nonce"),
    derive("verifier"),
    derive("answer")
  ])
  const attempt: SignInAttempt = { secret, state, nonce, verifier, responseHash }
  return attempt
})

/** Begins a sign-in at `now`, in epoch ms. */
export const startAttempt = (now: number): Effect.Effect<SignInAttempt> =>
  deriveAttempt(`${signInTokens.generate()}.${now}`)

/**
 * Returns those `secrets` that are sign-ins which began at most `attemptLifetimeMs` before or after `now`. Clocks of
 * nodes differ, so a sign-in can appear to begin in the future.
 */
export const pendingAttempts = (secrets: ReadonlyArray<string>, now: number): ReadonlyArray<string> =>
  secrets.filter((text) => {
    const [, secret, beganAt] = /^([^.]+)\.(\d{1,15})$/.exec(text) ?? []
    return secret !== undefined && signInTokens.isWellFormed(secret) &&
      Math.abs(now - Number(beganAt)) <= attemptLifetimeMs
  })

/** Returns the sign-in with this state, or undefined. */
export const findAttemptByState = (
  secrets: ReadonlyArray<string>,
  state: string
): Effect.Effect<SignInAttempt | undefined> =>
  Effect.map(Effect.forEach(secrets, deriveAttempt), (attempts) => attempts.find((attempt) => attempt.state === state))
