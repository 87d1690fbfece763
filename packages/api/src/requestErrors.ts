import type { Message } from "@tapeline/core"
import { Schema } from "effect"

const MessageSchema = Schema.declare((u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u)

/** The body is not JSON, is not an object, or is nested too deeply. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", { says: MessageSchema }) {}

/** The request violates HTTP: its request line, its headers, or a repeated header. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", { says: MessageSchema }) {}

/** The body has more than `limit` bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {}

/** The body is not declared as JSON, or it is compressed. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  says: MessageSchema
}) {}

/** The address does not exist. */
export class UnknownAddress extends Schema.TaggedError<UnknownAddress>()("UnknownAddress", {}) {}

/** The address exists for other methods. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allow: Schema.Array(Schema.String)
}) {}

/** The request uses a session and may come from a page of another site. Nothing was done. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {}

/** The browser is signed in to another account than the one that the page shows. Nothing was done. */
export class OtherAccount extends Schema.TaggedError<OtherAccount>()("OtherAccount", {}) {}

/**
 * Too many attempts to sign in have failed, from this address or in total. Attempts are accepted again after
 * `retryAfterMs`.
 */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMs: Schema.Finite
}) {}

/**
 * The account has issued `most` keys within a day, including revoked ones. It can issue keys again after
 * `retryAfterMs`.
 */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  most: Schema.Int,
  retryAfterMs: Schema.Finite
}) {}

/** The admin token is missing or wrong. */
export class InvalidAdminToken extends Schema.TaggedError<InvalidAdminToken>()("InvalidAdminToken", {}) {}

/** The head or the body of the request took too long to arrive. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {}) {}

/** The request's headers exceed the server's limit. */
export class HeadersTooLarge extends Schema.TaggedError<HeadersTooLarge>()("HeadersTooLarge", {}) {}

/** The maximum number of large bodies is being read or waits for it. Nothing of this body was read. */
export class TooManyLargeBodies extends Schema.TaggedError<TooManyLargeBodies>()("TooManyLargeBodies", {}) {}

/**
 * The account has `most` open streams of this kind, which is the limit. The other fields are the state of its rate
 * limit.
 */
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {
  most: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int,
  resetMs: Schema.Finite
}) {}

/** The process is stopping. It finishes its requests and accepts no new ones. */
export class Stopping extends Schema.TaggedError<Stopping>()("Stopping", {}) {}

/** A dependency of this process is not available. `dependency` is its name, for example `database`. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  dependency: Schema.String,
  cause: Schema.Defect()
}) {}

/** The process stopped before the request was finished. The outcome is unknown. */
export class CutOff extends Schema.TaggedError<CutOff>()("CutOff", {}) {}

/** A bug of the service. The log has its cause; the caller gets no details. */
export class Fault extends Schema.TaggedError<Fault>()("Fault", {}) {}
