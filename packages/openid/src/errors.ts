import { NotVouched, ProviderUnavailable } from "@tapeline/core/engine"
import * as oidc from "openid-client"

/** The OpenID Connect error codes of sign-ins that failed because of the user. */
const userDenialCodes = [
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "login_required"
]

/** The OAuth error codes that an error message may contain. Error messages contain no other text from a provider. */
const knownErrorCodes = [
  "invalid_client",
  "invalid_request",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type"
]

const describeErrorCode = (error: string): string =>
  knownErrorCodes.includes(error)
    ? `the provider returned the error ${error}`
    : "the provider returned an unknown error"

/**
 * Messages for responses that fail verification, by the error code of the client library. An attacker may have sent a
 * response that fails the verification.
 */
const unverifiedReasons: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: "the response does not belong to this sign-in, or is not signed by the provider",
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: "the user info belongs to a different user than the ID token",
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: "the ID token is for another client or sign-in, or from another provider",
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "the ID token is expired or not yet valid; check this machine's clock",
  OAUTH_KEY_SELECTION_FAILED: "the ID token is signed by an unknown key",
  OAUTH_UNSUPPORTED_OPERATION: "the ID token is signed with an unsupported algorithm"
}

/** Messages for unavailable or invalid OpenID providers, by the error code of the client library. */
const unavailableReasons: Readonly<Record<string, string>> = {
  OAUTH_ABORT: "the provider did not respond in time",
  OAUTH_HTTP_REQUEST_FORBIDDEN: "an address of the provider does not use TLS",
  OAUTH_INVALID_SERVER_METADATA: "the provider's metadata is incomplete",
  OAUTH_MISSING_SERVER_METADATA: "the provider's metadata is incomplete",
  OAUTH_PARSE_ERROR: "the provider's response is not JSON",
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: "an address of the provider is not an http or https address",
  OAUTH_RESPONSE_IS_NOT_CONFORM: "the provider's response is an error",
  OAUTH_RESPONSE_IS_NOT_JSON: "the provider's response is not JSON",
  OAUTH_TIMEOUT: "the provider did not respond in time"
}

const readErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** Converts a failed request to `ProviderUnavailable`, and omits text from the provider. */
export const toProviderUnavailable = (error: unknown): ProviderUnavailable =>
  new ProviderUnavailable({
    reason: error instanceof oidc.ResponseBodyError
      ? describeErrorCode(error.error)
      : unavailableReasons[readErrorCode(error)] ?? unverifiedReasons[readErrorCode(error)] ??
        "the provider cannot be reached"
  })

export const toSignInFailure = (error: unknown): NotVouched | ProviderUnavailable => {
  if (error instanceof oidc.AuthorizationResponseError) {
    return userDenialCodes.includes(error.error)
      ? new NotVouched({ how: "denied", reason: `the provider returned the error ${error.error}` })
      : new ProviderUnavailable({ reason: describeErrorCode(error.error) })
  }
  if (error instanceof oidc.ResponseBodyError && error.error === "invalid_grant") {
    return new NotVouched({
      how: "unsound",
      reason:
        "the provider rejected the authorization code: it was already used, has expired, or belongs to another client"
    })
  }
  const reason = unverifiedReasons[readErrorCode(error)]
  return reason === undefined ? toProviderUnavailable(error) : new NotVouched({ how: "unsound", reason })
}
