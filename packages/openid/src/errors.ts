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

/** The other error codes of OAuth. Unknown error texts of a provider are not repeated. */
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
  knownErrorCodes.includes(error) ? `it says ${error}` : "it says an error of its own"

/** Reasons of responses that fail verification and may come from an attacker, by the client's error code. */
const unverifiedReasons: Readonly<Record<string, string>> = {
  OAUTH_INVALID_RESPONSE: "the answer is not one to this sign-in, or not signed by the provider",
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: "what it says of somebody is of somebody else",
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: "its word is for another client or another sign-in, or of another provider",
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: "its word is not of this time",
  OAUTH_KEY_SELECTION_FAILED: "its word is signed by no key that it has",
  OAUTH_UNSUPPORTED_OPERATION: "its word is signed by a method that is not taken"
}

/** Reasons of providers that are unavailable, or are not OpenID providers, by the client's error code. */
const unavailableReasons: Readonly<Record<string, string>> = {
  OAUTH_ABORT: "it did not answer in time",
  OAUTH_HTTP_REQUEST_FORBIDDEN: "an address of it is one without TLS",
  OAUTH_INVALID_SERVER_METADATA: "its description of itself is not whole",
  OAUTH_MISSING_SERVER_METADATA: "its description of itself is not whole",
  OAUTH_PARSE_ERROR: "its answer is no JSON",
  OAUTH_REQUEST_PROTOCOL_FORBIDDEN: "an address of it is none of the web",
  OAUTH_RESPONSE_IS_NOT_CONFORM: "its answer is one of failure",
  OAUTH_RESPONSE_IS_NOT_JSON: "its answer is no JSON",
  OAUTH_TIMEOUT: "it did not answer in time"
}

const readErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""

/** Converts the error of a failed request to the provider, without text from the provider. */
export const toProviderUnavailable = (error: unknown): ProviderUnavailable =>
  new ProviderUnavailable({
    reason: error instanceof oidc.ResponseBodyError
      ? describeErrorCode(error.error)
      : unavailableReasons[readErrorCode(error)] ?? unverifiedReasons[readErrorCode(error)] ?? "it cannot be reached"
  })

export const toSignInFailure = (error: unknown): NotVouched | ProviderUnavailable => {
  if (error instanceof oidc.AuthorizationResponseError) {
    return userDenialCodes.includes(error.error)
      ? new NotVouched({ how: "denied", reason: `it says ${error.error}` })
      : new ProviderUnavailable({ reason: describeErrorCode(error.error) })
  }
  if (error instanceof oidc.ResponseBodyError && error.error === "invalid_grant") {
    return new NotVouched({ how: "unsound", reason: "it does not take its code: used before, late, or another's" })
  }
  const reason = unverifiedReasons[readErrorCode(error)]
  return reason === undefined ? toProviderUnavailable(error) : new NotVouched({ how: "unsound", reason })
}
