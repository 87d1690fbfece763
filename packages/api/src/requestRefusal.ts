import type { Message } from "@tapeline/core"
import { Schema } from "effect"

const Says = Schema.declare((u: unknown): u is Message => typeof u === "object" && u !== null && "key" in u)

/** The body is not JSON, not an object, or nested too deep to be read. */
export class InvalidBody extends Schema.TaggedError<InvalidBody>()("InvalidBody", { says: Says }) {}

/** The request breaks a rule of HTTP itself: its line, its headers, a header that came twice. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", { says: Says }) {}

/** The body has more than `limit` bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {}

/** The body is not declared as JSON, or it is compressed. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  says: Says
}) {}

/** Nothing answers at this address. */
export class UnknownAddress extends Schema.TaggedError<UnknownAddress>()("UnknownAddress", {}) {}

/** The address answers other methods. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allow: Schema.Array(Schema.String)
}) {}

/** A session opens this, and a page of another site may have sent it: nothing was done. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {}

/** The browser is signed in, and to another account than the one that the page shows: nothing was done. */
export class OtherAccount extends Schema.TaggedError<OtherAccount>()("OtherAccount", {}) {}

/** Too many attempts to sign in have failed, from this address or in all; until `retryAfterMs` from now. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  retryAfterMs: Schema.Finite
}) {}

/** The account has issued `most` keys within a day, revoked ones too; until `retryAfterMs` from now. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", {
  most: Schema.Int,
  retryAfterMs: Schema.Finite
}) {}

/** The administration's token is missing or wrong. */
export class InvalidAdminToken extends Schema.TaggedError<InvalidAdminToken>()("InvalidAdminToken", {}) {}

/** The head or the body of the request took too long to arrive. */
export class RequestTimeout extends Schema.TaggedError<RequestTimeout>()("RequestTimeout", {}) {}

/** The request's headers are larger than the server reads. */
export class HeadersTooLarge extends Schema.TaggedError<HeadersTooLarge>()("HeadersTooLarge", {}) {}

/** As many large bodies as may are read, or wait for it. Nothing of this one was read. */
export class TooManyLargeBodies extends Schema.TaggedError<TooManyLargeBodies>()("TooManyLargeBodies", {}) {}

/** The account reads as many streams of this kind as it may, `most`; and how its minute stands. */
export class TooManyStreams extends Schema.TaggedError<TooManyStreams>()("TooManyStreams", {
  most: Schema.Int,
  limit: Schema.Int,
  remaining: Schema.Int,
  resetMs: Schema.Finite
}) {}

/** The process is stopping: it finishes what runs and takes nothing new. */
export class Stopping extends Schema.TaggedError<Stopping>()("Stopping", {}) {}

/** A dependency of this process is not available. `dependency` is its name, for example `database`. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  dependency: Schema.String,
  cause: Schema.Defect()
}) {}

/** The process stopped before the request was finished; what became of it is unknown. */
export class CutOff extends Schema.TaggedError<CutOff>()("CutOff", {}) {}

/** A fault of the service. The log has its cause; the caller gets none of it. */
export class Fault extends Schema.TaggedError<Fault>()("Fault", {}) {}
