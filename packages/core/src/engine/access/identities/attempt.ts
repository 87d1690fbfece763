import { Effect } from "effect"
import { sha256 } from "../hash.ts"
import { secretText } from "../secretText.ts"

const secrets = secretText("tl_openid_")

/** The maximum time from the redirect to the provider until the response, in ms. */
export const attemptLifeMs = 600_000

/**
 * The time for which a used response is remembered, in ms. Covers the clock difference of two nodes and a delay in both
 * directions.
 */
export const answerKeepMs = 6 * attemptLifeMs

/**
 * A sign-in that has begun. The browser keeps its text, and all other values derive from the text. The server stores
 * nothing, so the number of sign-ins is unlimited and any process can complete them.
 */
export interface Attempt {
  readonly text: string
  /** The state that the response must contain. */
  readonly state: string
  /** The nonce that the provider's ID token must contain. */
  readonly nonce: string
  /** The PKCE code verifier, which the provider receives with the code (RFC 7636). */
  readonly verifier: string
  /** The value by which the use of the response is remembered. */
  readonly answer: string
}

const attemptOf = Effect.fnUntraced(function*(text: string) {
  const derive = (what: string) => sha256(`${what} of ${text}`)
  const [state, nonce, verifier, answer] = yield* Effect.all([
    derive("state"),
    derive("nonce"),
    derive("verifier"),
    derive("answer")
  ])
  const attempt: Attempt = { text, state, nonce, verifier, answer }
  return attempt
})

/** Begins a sign-in at `now`, in epoch ms. */
export const newAttempt = (now: number): Effect.Effect<Attempt> => attemptOf(`${secrets.generate()}.${now}`)

/**
 * Returns those `texts` that are sign-ins which began at most `attemptLifeMs` before or after `now`. Clocks of nodes
 * differ, so a sign-in can appear to begin in the future.
 */
export const freshAttempts = (texts: ReadonlyArray<string>, now: number): ReadonlyArray<string> =>
  texts.filter((text) => {
    const [, secret, begun] = /^([^.]+)\.(\d{1,15})$/.exec(text) ?? []
    return secret !== undefined && secrets.isWellFormed(secret) && Math.abs(now - Number(begun)) <= attemptLifeMs
  })

/** Returns the sign-in with this state, or undefined. */
export const attemptWith = (texts: ReadonlyArray<string>, state: string): Effect.Effect<Attempt | undefined> =>
  Effect.map(Effect.forEach(texts, attemptOf), (attempts) => attempts.find((attempt) => attempt.state === state))
