import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { Account } from "../account.ts"

/** The provider's response was already used for a sign-in, and is valid only once. Start a new sign-in. */
export class AnswerUsed extends Schema.TaggedError<AnswerUsed>()("AnswerUsed", {}) {
  override get message(): string {
    return "This answer of the provider was used before."
  }
}

/** No account has this identity, and no account may be created, because no plan is configured for the identity. */
export class NotAdmitted extends Schema.TaggedError<NotAdmitted>()("NotAdmitted", {}) {
  override get message(): string {
    return "There is no account for this identity, and no plan on which to make one."
  }
}

/** A user whom a provider authenticated. */
export interface Identity {
  /** The provider's issuer URL, exactly as the provider writes it. */
  readonly issuer: string
  /** The provider's permanent id of the user: 1 to 255 characters, no NUL. Names and e-mail addresses may change. */
  readonly subject: string
}

/** A sign-in of a user with a provider's response. */
export interface IdentitySignIn extends Identity {
  /** The SHA-256 of the value that only this sign-in's response carries. */
  readonly responseHash: string
  /** The time for which the use of the response is remembered, in ms. Longer than a response is valid. */
  readonly retainMs: number
  /** The name and plan of the account if one is created. With a null plan, no account is created. */
  readonly name: string
  readonly plan: string | null
  readonly now: number | null
}

/**
 * Maps identities of providers to accounts. Every method may fail with `StoreUnavailable`. Then the change was applied
 * either completely or not at all. **The store's clock is used**, and **accounts are those of `KeyStore`** in the same
 * database, as in `SessionStore`.
 */
export class IdentityStore extends Context.Service<IdentityStore, {
  /**
   * Returns the account of an identity, and creates it at the first sign-in. Marks the response as used in the same
   * transaction. If one response is used concurrently, only one request succeeds. Concurrent sign-ins of an identity
   * with different responses get the same account. An existing account keeps its name and plan. A failed `admit` does
   * not use the response up.
   */
  readonly admit: (signIn: IdentitySignIn) => Effect.Effect<Account, AnswerUsed | NotAdmitted | StoreUnavailable>
}>()("@tapeline/core/access/IdentityStore") {}
