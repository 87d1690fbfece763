import { MessageField } from "@tapeline/core/engine"
import { Schema } from "effect"

/** The request body is not JSON, is not an object, or is nested too deeply. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", { callerMessage: MessageField }) {}

/** The request violates HTTP in the request line or the headers, or repeats a header. */
export class InvalidRequest
  extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", { callerMessage: MessageField })
{}

/** A repeated administrative request whose first response contained a secret. Secrets are not stored. */
export class SecretReturned extends Schema.TaggedError<SecretReturned>()("SecretReturned", {}) {}

/** The request body has more than `limit` bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {}

/** The request body is compressed, or is not declared as JSON. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  callerMessage: MessageField
}) {}

/** The requested path does not exist. */
export class UnknownAddress extends Schema.TaggedError<UnknownAddress>()("UnknownAddress", {}) {}

/** The requested path exists, but accepts only the methods in `allow`. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allow: Schema.Array(Schema.String)
}) {}

/** The service did not execute a request that uses a session and may come from a page of another site. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {}

/**
 * The service did not execute a request because the account of the page differs from the account to which the browser
 * is signed in.
 */
export class OtherAccount extends Schema.TaggedError<OtherAccount>()("OtherAccount", {}) {}

/** Too many attempts to authenticate have failed, so further failed attempts are rejected for `retryAfterMs`. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMs: Schema.Finite
}) {}

/** A sensitive action of a user who signed in longer ago than `maxAgeMs`. The user must sign in again. */
export class SignInAgain extends Schema.TaggedError<SignInAgain>()("SignInAgain", { maxAgeMs: Schema.Finite }) {}

/**
 * The account has issued its daily maximum of `max` API keys. The account can issue the next key after `retryAfterMs`.
 */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  max: Schema.Int,
  retryAfterMs: Schema.Finite
}) {}

/** The admin token is missing, unknown, expired or revoked. */
export class InvalidAdminToken extends Schema.TaggedError<InvalidAdminToken>()("InvalidAdminToken", {}) {}

/** The head or the body of the request took too long to arrive. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {}) {}

/** The request's headers exceed the server's limit. */
export class HeadersTooLarge extends Schema.TaggedError<HeadersTooLarge>()("HeadersTooLarge", {}) {}

/** The service did not read a large request body, because too many other large bodies are being read or are queued. */
export class TooManyLargeBodies extends Schema.TaggedError<TooManyLargeBodies>()("TooManyLargeBodies", {}) {}

/** The account already has the maximum of `max` open streams of one kind. */
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {
  max: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int,
  resetMs: Schema.Finite
}) {}

/** The process is stopping: running requests finish, and new requests are rejected. */
export class Stopping extends Schema.TaggedError<Stopping>()("Stopping", {}) {}

/** The process has just started, and the dependency with the name `dependency` is not available yet. */
export class Starting extends Schema.TaggedError<Starting>()("Starting", { dependency: Schema.String }) {}

/** The dependency with the name `dependency`, for example `database`, is unavailable. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  dependency: Schema.String,
  cause: Schema.Defect()
}) {}

/** The process stops soon. It is not ready, but it still answers requests other than readiness checks. */
export class ShuttingDown extends Schema.TaggedError<ShuttingDown>()("ShuttingDown", {}) {}

/** The process stopped before the request was finished, so the outcome of the request is unknown. */
export class CutOff extends Schema.TaggedError<CutOff>()("CutOff", {}) {}

/** A bug of the service, whose cause is logged but not returned to the caller. */
export class Fault extends Schema.TaggedError<Fault>()("Fault", {}) {}
