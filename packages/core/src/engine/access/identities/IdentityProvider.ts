import { Context, type Effect, Schema } from "effect"
import type { Claims } from "./admission.ts"
import type { Identity } from "./IdentityStore.ts"

/**
 * The provider cannot say who somebody is: it does not answer, answers nonsense, or does not know this service as its
 * client. Nobody who signs in can change that; `reason`, for the log, is of our own words.
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The provider of identities is of no use: ${this.reason}`
  }
}

/**
 * The provider, or what checks its word, lets this one not in: `denied` when somebody, or the provider, said no there;
 * `unsound` when an answer is not the provider's own for this sign-in; `reason`, for the log, is of our own words.
 */
export class NotVouched extends Schema.TaggedError<NotVouched>()("NotVouched", {
  how: Schema.Literals(["denied", "unsound"]),
  reason: Schema.String
}) {
  override get message(): string {
    return `The provider of identities vouches for nobody: ${this.reason}`
  }
}

/** What a sign-in is told apart by; none of it is used for another one. */
export interface Asked {
  /** Where the provider sends the browser back to: an address of this service. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Somebody whom the provider vouches for, with what it says of who that is. */
export interface Vouched extends Identity {
  readonly claims: Claims
}

/**
 * Who says elsewhere who somebody is. An adapter waits a bounded time for it and takes a bounded answer; it takes for
 * true only what the provider signed for this client, this sign-in and this time. No error and no log quotes what the
 * provider wrote.
 */
export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** What people know it as. */
  readonly label: string
  /** The address at which the provider asks who the browser's user is. */
  readonly authorize: (asked: Asked) => Effect.Effect<string, ProviderUnavailable>
  /** Whom the provider vouches for, by the query with which it sent the browser back. */
  readonly vouch: (asked: Asked, query: string) => Effect.Effect<Vouched, NotVouched | ProviderUnavailable>
}>()("@tapeline/core/access/IdentityProvider") {}
