import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { Account } from "../account.ts"

/** The error of an identity provider's response that was already used for a sign-in. */
export class AnswerUsed extends Schema.TaggedError<AnswerUsed>()("AnswerUsed", {}) {
  override get message(): string {
    return "This response of the identity provider was already used."
  }
}

/** The error of an identity without an account, for which no rule creates an account. */
export class NotAdmitted extends Schema.TaggedError<NotAdmitted>()("NotAdmitted", {}) {
  override get message(): string {
    return "This identity has no account, and no rule creates one."
  }
}

/** The identity of a user whom an identity provider authenticated. */
export interface Identity {
  /** The identity provider's issuer URL, exactly as the provider writes the URL. */
  readonly issuer: string
  /**
   * The provider's permanent id of the user: 1 to 255 characters, without NUL. A name or an e-mail address can change,
   * so it must not be used as the id.
   */
  readonly subject: string
}

export interface IdentitySignIn extends Identity {
  /** The SHA-256 of a value that only the provider's response to this sign-in contains. */
  readonly responseHash: string
  /**
   * The time in ms for which the store remembers a used response. The store must remember a response for longer than
   * the response is valid.
   */
  readonly retainMs: number
  readonly name: string
  readonly plan: string | null
  readonly now: number | null
}

/** The account of an identity. `isNew` is true if the sign-in created the account. */
export interface AdmittedIdentity {
  readonly account: Account
  readonly isNew: boolean
}

/**
 * Maps the identities of an identity provider to the accounts of `KeyStore`. If a method fails with `StoreUnavailable`,
 * its change was applied either completely or not at all. If `now` is null, the store uses its own clock.
 */
export class IdentityStore extends Context.Service<IdentityStore, {
  /**
   * Returns the account of an identity, and creates the account at the first sign-in. In the same transaction, marks
   * the provider's response as used, so that a response works only once. Concurrent sign-ins of one identity return the
   * same account. A later sign-in does not change the name or the plan of an existing account. If `admit` fails, the
   * provider's response is not marked as used.
   */
  readonly admit: (
    signIn: IdentitySignIn
  ) => Effect.Effect<AdmittedIdentity, AnswerUsed | NotAdmitted | StoreUnavailable>
}>()("@tapeline/core/access/IdentityStore") {}
