import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** Prefix of a problem's `type`; its code follows. */
export const problemType = "urn:tapeline:problem:"

/** What a wrong field is, and where: the path from the top of the body. */
const IssueList = Schema.Array(
  Schema.Struct({ path: Schema.Array(Schema.Union([Schema.String, Schema.Int])), message: Schema.String })
)

const problem = <
  const Status extends number,
  const Codes extends readonly [string, ...ReadonlyArray<string>],
  const Fields extends Schema.Struct.Fields
>(
  status: Status,
  description: string,
  codes: Codes,
  fields: Fields
) =>
  Schema.Struct({
    type: Schema.String.annotate({ description: `\`${problemType}<code>\`` }),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String.annotate({ description: "What to change, in the language of `x-lang`" }),
    code: Schema.Literals(codes),
    request_id: Schema.String,
    ...fields
  }).annotate({ identifier: `Problem${status}`, description }).pipe(
    HttpApiSchema.asJson({ contentType: "application/problem+json" }),
    HttpApiSchema.status(status)
  )

const WayForward = Schema.Union([
  Schema.Struct({
    action: Schema.Literal("upgrade"),
    plans: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int }))
  }),
  Schema.Struct({ action: Schema.Literal("wait"), renews_at: Schema.String })
])

export const BadRequest = problem(400, "The request is wrong; change it before sending it again.", [
  "user_id_not_accepted",
  "invalid_body",
  "invalid_arguments",
  "idempotency_key_reused"
], { issues: Schema.optionalKey(IssueList) })

export const Unauthorized = problem(401, "The key is missing, malformed, expired or revoked.", ["invalid_key"], {})

export const OverLimitProblem = problem(402, "The month's credits do not cover the price.", ["over_limit"], {
  price: Schema.Int,
  credits_left: Schema.Int,
  ways_forward: Schema.Array(WayForward)
})

export const Forbidden = problem(403, "The key lacks a scope.", ["scope_required"], { required_scope: Schema.String })

export const NotFound = problem(404, "There is no such tool, record or address.", ["unknown_tool", "not_found"], {})

export const MethodNotAllowed = problem(405, "The address exists for other methods; `allow` lists them.", [
  "method_not_allowed"
], {})

export const Conflict = problem(
  409,
  "The request contradicts the present state.",
  ["key_limit", "request_in_progress"],
  {
    limit: Schema.optionalKey(Schema.Int)
  }
)

export const PayloadTooLarge = problem(413, "The body is too large.", ["payload_too_large"], {
  limit_bytes: Schema.Int
})

export const UnsupportedMediaType = problem(
  415,
  "The body is not JSON by its media type.",
  ["unsupported_media_type"],
  {}
)

export const TooManyRequests = problem(429, "The plan's requests of this minute are used up.", ["rate_limited"], {
  retry_after_seconds: Schema.Int
})

export const Internal = problem(500, "A fault of the service; nothing was charged.", ["internal"], {})

export const Unavailable = problem(503, "The service is stopping, or its database is away.", ["unavailable"], {})

/** What any operation that needs a key may be refused with. */
export const problems = [
  BadRequest,
  Unauthorized,
  OverLimitProblem,
  Forbidden,
  NotFound,
  Conflict,
  PayloadTooLarge,
  UnsupportedMediaType,
  TooManyRequests,
  Internal,
  Unavailable
] as const

/** What an operation of administration may be refused with. */
export const adminProblems = [
  BadRequest,
  Unauthorized,
  NotFound,
  Conflict,
  PayloadTooLarge,
  UnsupportedMediaType,
  Internal,
  Unavailable
] as const

/** A problem as it travels. */
export type Problem = (typeof problems)[number]["Type"] | (typeof MethodNotAllowed)["Type"]
export type ProblemCode = Problem["code"]
