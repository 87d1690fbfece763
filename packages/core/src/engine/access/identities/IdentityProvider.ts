import { Context, type Effect, Schema } from "effect"
import type { Identity } from "./IdentityStore.ts"
import type { Claims } from "./newAccounts.ts"

/**
 * The error of an identity provider that is unavailable, sends a malformed response, or does not know this service as a
 * client. `reason` is a log message and contains no text of the provider.
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The identity provider is unavailable: ${this.reason}`
  }
}

/**
 * The error of a user who is not authenticated. `denied` means that the user or the provider declined the sign-in.
 * `unsound` means that the provider did not issue the response for the present sign-in. `reason` is a log message and
 * contains no text of the provider.
 */
export class NotVouched extends Schema.TaggedError<NotVouched>()("NotVouched", {
  how: Schema.Literals(["denied", "unsound"]),
  reason: Schema.String
}) {
  override get message(): string {
    return `The identity provider did not authenticate the user: ${this.reason}`
  }
}

/** The parameters that identify one sign-in, different for every sign-in. */
export interface SignInParameters {
  /** The URL of this service to which the identity provider redirects the browser. */
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  /**
   * The time (epoch ms) after which the user must authenticate, even if the identity provider remembers the user; null
   * if an earlier authentication suffices.
   */
  readonly authenticatedSince: number | null
}

/** A user whom the identity provider authenticated, and the provider's claims about the user. */
export interface AuthenticatedUser extends Identity {
  readonly claims: Claims
}

/**
 * An external identity provider. The adapter limits the time and the size of a response. The adapter accepts only data
 * that the provider signed for this client, the present sign-in and the present time. Errors and log messages never
 * quote the provider.
 */
export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** The provider's name, as users see it. */
  readonly label: string
  /** Returns the URL of the identity provider at which the user signs in. */
  readonly authorize: (parameters: SignInParameters) => Effect.Effect<string, ProviderUnavailable>
  /** Returns the user whom the query string of the provider's redirect authenticates. */
  readonly authenticate: (
    parameters: SignInParameters,
    query: string
  ) => Effect.Effect<AuthenticatedUser, NotVouched | ProviderUnavailable>
}>()("@tapeline/core/access/IdentityProvider") {}
