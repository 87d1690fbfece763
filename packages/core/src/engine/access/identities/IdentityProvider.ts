import { Context, type Effect, Schema } from "effect"
import type { Identity } from "./IdentityStore.ts"
import type { Claims } from "./newAccounts.ts"

/**
 * The identity provider cannot identify the user: it does not respond, its response is malformed, or it does not know
 * this service as a client. The user cannot fix this. `reason`, for the log, never quotes the provider.
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The provider of identities is of no use: ${this.reason}`
  }
}

/**
 * The user is not authenticated. `denied`: the user or the provider declined. `unsound`: the response is not the
 * provider's own response for this sign-in. `reason`, for the log, never quotes the provider.
 */
export class NotVouched extends Schema.TaggedError<NotVouched>()("NotVouched", {
  how: Schema.Literals(["denied", "unsound"]),
  reason: Schema.String
}) {
  override get message(): string {
    return `The provider of identities vouches for nobody: ${this.reason}`
  }
}

/** The parameters that identify one sign-in. No other sign-in uses the same values. */
export interface SignInParameters {
  /** The address of this service to which the provider redirects the browser. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** A user whom the provider authenticated, with the provider's claims. */
export interface AuthenticatedUser extends Identity {
  readonly claims: Claims
}

/**
 * An external identity provider. An adapter limits the time and the size of a response. It accepts only data that the
 * provider signed for this client, this sign-in and the present time. No error and no log message quotes the provider.
 */
export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** The name of the provider that users see. */
  readonly label: string
  /** Returns the provider's URL at which the user signs in. */
  readonly authorize: (parameters: SignInParameters) => Effect.Effect<string, ProviderUnavailable>
  /** Returns the authenticated user for the query of the provider's redirect. */
  readonly authenticate: (
    parameters: SignInParameters,
    query: string
  ) => Effect.Effect<AuthenticatedUser, NotVouched | ProviderUnavailable>
}>()("@tapeline/core/access/IdentityProvider") {}
