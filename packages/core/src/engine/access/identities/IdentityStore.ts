import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { Account } from "../account.ts"

/** The provider's answer has let somebody in before: once is all that it is good for. Begin the sign-in anew. */
export class AnswerUsed extends Schema.TaggedError<AnswerUsed>()("AnswerUsed", {}) {
  override get message(): string {
    return "This answer of the provider was used before."
  }
}

/** Nobody has an account by this identity, and none may be made for it: nothing says on which plan. */
export class NotAdmitted extends Schema.TaggedError<NotAdmitted>()("NotAdmitted", {}) {
  override get message(): string {
    return "There is no account for this identity, and no plan on which to make one."
  }
}

/** Somebody whom a provider vouches for. */
export interface Identity {
  /** The provider's own name for itself, an address; as it is written. */
  readonly issuer: string
  /** Who it is there, for good: 1 to 255 characters, none of them NUL. Names and addresses of mail may change. */
  readonly subject: string
}

/** Somebody who comes in by a provider's answer. */
export interface Admitting extends Identity {
  /** The SHA-256 of what the answer is good for alone. */
  readonly answer: string
  /** So long, in ms, it is remembered that it was used; longer than an answer is good for. */
  readonly keepMs: number
  /** What an account is called, and the plan that it is on, if one is made; without a plan none is made. */
  readonly name: string
  readonly plan: string | null
  readonly now: number | null
}

/**
 * Which account somebody has whom a provider vouches for. Every method may fail with `StoreUnavailable`; then nothing
 * was changed, or the change is whole. **Time is the store's**, and **accounts are `KeyStore`'s**, of the same
 * database, as `SessionStore` says.
 */
export class IdentityStore extends Context.Service<IdentityStore, {
  /**
   * The account of an identity, made at the first time, in one step with the use of the answer: of many who show one
   * answer at once one is let in, and an identity has one account, however many come at once by answers of their own.
   * An account that is there stays as it is, whatever name and plan are given. Where it fails, nothing was used up.
   */
  readonly admit: (who: Admitting) => Effect.Effect<Account, AnswerUsed | NotAdmitted | StoreUnavailable>
}>()("@tapeline/core/access/IdentityStore") {}
