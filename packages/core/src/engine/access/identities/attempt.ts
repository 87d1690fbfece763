import { Effect } from "effect"
import { sha256 } from "../hash.ts"
import { secretText } from "../secretText.ts"

const secrets = secretText("tl_openid_")

/** Somebody was sent to the provider so long ago at most. */
export const attemptLifeMs = 600_000

/** Longer than two clocks of nodes are apart, and than both ways of being late. */
export const answerKeepMs = 6 * attemptLifeMs

/**
 * A sign-in that was begun. Its text stays with the browser, and all else derives from it: nothing is remembered
 * here, whoever begins any number, and whichever process is asked next.
 */
export interface Attempt {
  readonly text: string
  /** What the answer has to carry. */
  readonly state: string
  /** What the provider's word has to carry. */
  readonly nonce: string
  /** What the provider is shown beside its code (RFC 7636). */
  readonly verifier: string
  /** By what its use is remembered. */
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

/** Begins one at `now`, epoch ms. */
export const newAttempt = (now: number): Effect.Effect<Attempt> => attemptOf(`${secrets.generate()}.${now}`)

/** The texts that are attempts and not late at `now`. A clock may go before or after the one that it was begun by. */
export const freshAttempts = (texts: ReadonlyArray<string>, now: number): ReadonlyArray<string> =>
  texts.filter((text) => {
    const [, secret, begun] = /^([^.]+)\.(\d{1,15})$/.exec(text) ?? []
    return secret !== undefined && secrets.isWellFormed(secret) && Math.abs(now - Number(begun)) <= attemptLifeMs
  })

/** The attempt of those texts that was begun with this state; undefined when it is none of them. */
export const attemptWith = (texts: ReadonlyArray<string>, state: string): Effect.Effect<Attempt | undefined> =>
  Effect.map(Effect.forEach(texts, attemptOf), (attempts) => attempts.find((attempt) => attempt.state === state))
