import { Effect } from "effect"
import { sha256 } from "../hash.ts"
import { tokenFormat } from "../tokenFormat.ts"

const signInTokens = tokenFormat("tl_openid_")

/** The maximum time between the redirect to the identity provider and the provider's response, in ms. */
export const attemptLifetimeMs = 600_000

/**
 * The time in ms for which a used response is remembered. A provider's response is valid for a shorter time, even if
 * the clocks of nodes differ.
 */
export const responseRetainMs = 6 * attemptLifetimeMs

/**
 * A sign-in that has begun. The browser keeps the secret of its sign-in. All other values of the sign-in are derived
 * from the secret. The server stores no pending sign-ins, so any process can complete a sign-in.
 */
export interface SignInAttempt {
  readonly secret: string
  /** The OAuth state parameter that the provider's response must contain. */
  readonly state: string
  /** The nonce that the provider's ID token must contain. */
  readonly nonce: string
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string
  /** The hash under which the store remembers a used response. */
  readonly responseHash: string
  /** The time (epoch ms) after which the user must authenticate; null if an earlier authentication suffices. */
  readonly authenticatedSince: number | null
}

/**
 * Matches the secret of a sign-in: a token, the start time, and `again` if the provider must authenticate the user
 * again.
 */
const secretPattern = /^([^.]+)\.(\d{1,15})(\.again)?$/

const deriveAttempt = Effect.fnUntraced(function*(secret: string) {
  const derive = (label: string) => sha256(`${label} of ${secret}`)
  const [state, nonce, verifier, responseHash] = yield* Effect.all([
    derive("state"),
    derive("nonce"),
    derive("verifier"),
    derive("answer")
  ])
  const [, , beganAt, again] = secretPattern.exec(secret) ?? []
  const authenticatedSince = again === undefined ? null : Number(beganAt)
  const attempt: SignInAttempt = { secret, state, nonce, verifier, responseHash, authenticatedSince }
  return attempt
})

/** Starts a sign-in. If `isAgain` is true, the user must authenticate after `now`. */
export const startAttempt = (now: number, isAgain: boolean): Effect.Effect<SignInAttempt> =>
  deriveAttempt(`${signInTokens.generate()}.${now}${isAgain ? ".again" : ""}`)

/**
 * Returns the secrets of sign-ins that began at most `attemptLifetimeMs` before or after `now`. The start of a sign-in
 * may be after `now`, because the clocks of nodes differ.
 */
export const pendingAttempts = (secrets: ReadonlyArray<string>, now: number): ReadonlyArray<string> =>
  secrets.filter((text) => {
    const [, token, beganAt] = secretPattern.exec(text) ?? []
    return token !== undefined && signInTokens.isWellFormed(token) &&
      Math.abs(now - Number(beganAt)) <= attemptLifetimeMs
  })

export const findAttemptByState = (
  secrets: ReadonlyArray<string>,
  state: string
): Effect.Effect<SignInAttempt | undefined> =>
  Effect.map(Effect.forEach(secrets, deriveAttempt), (attempts) => attempts.find((attempt) => attempt.state === state))
