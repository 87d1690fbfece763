import { Name } from "@tapeline/core/engine"
import { allScopes, Scope, scopeMeanings } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AdminAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

const maxId = 2 ** 31 - 1

const Scopes = Schema.Array(Scope).check(
  Schema.isMinLength(1, {
    expected: "a list of at least one item",
    expectedMessage: { key: "expected_items", params: { minimum: 1 } }
  }),
  Schema.isUnique()
).annotate({ description: allScopes.map((scope) => `\`${scope}\`: ${scopeMeanings[scope]}`).join("; ") })

const instantPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/u

/** Returns whether the calendar date of an ISO 8601 instant exists. `Date` would accept 31 June as 1 July. */
const isExistingDate = (text: string): boolean => {
  if (!instantPattern.test(text)) return true
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 19))
}

const instantExpectation = {
  expected: "an instant such as 2027-01-31T00:00:00Z",
  expectedMessage: { key: "expected_instant" }
}

/** The schema of an ISO 8601 instant in UTC. The schema does not check that the instant is in the future. */
const FutureInstant = Schema.String.annotate({ format: "date-time" }).check(
  Schema.isPattern(instantPattern, instantExpectation),
  Schema.makeFilter(isExistingDate, instantExpectation)
)

/** The error codes with which any request that has a body can fail. */
export const bodyProblems = [
  "invalid_body",
  "user_id_not_accepted",
  "payload_too_large",
  "unsupported_media_type"
] as const

/** The schema of an account in responses of the admin API. */
export const AccountBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "Account", description: "The account" })

export const CreateAccount = Schema.Struct({ name: Name, plan: Schema.String })
export const ChangeAccount = Schema.Struct({ plan: Schema.String })
export const IssueKey = Schema.Struct({
  name: Name,
  scopes: Scopes,
  expires_at: Schema.optionalKey(Schema.NullOr(FutureInstant))
})
export const ChangeKey = Schema.Struct({
  scopes: Schema.optionalKey(Scopes),
  expires_at: Schema.optionalKey(Schema.NullOr(FutureInstant))
})

export const IssuedKeyBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  scopes: Schema.Array(Scope),
  key: Schema.String.annotate({ description: "The secret of the key. It cannot be read again" }),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "IssuedKey", description: "The new key. Its secret is returned only here" })

export const KeyBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Key", description: "A key without its secret" })

/** The query parameters `cursor` and `limit` of a list request. */
export const PageQuery = {
  cursor: Schema.optionalKey(
    wholeNumber(0, Number.MAX_SAFE_INTEGER, "The `next_cursor` of the previous page; the first page by default")
  ),
  limit: Schema.optionalKey(
    wholeNumber(1, 1_000, "Maximum number of items; 100 by default")
  )
}
export const NextCursor = Schema.NullOr(Schema.Int).annotate({
  description: "The cursor of the next page; null on the last page"
})

export const AccountList = Schema.Struct({ accounts: Schema.Array(AccountBody), next_cursor: NextCursor })
  .annotate({ identifier: "AccountList", description: "A page of accounts" })
export const KeyList = Schema.Struct({ keys: Schema.Array(KeyBody), next_cursor: NextCursor }).annotate({
  identifier: "KeyList",
  description: "A page of keys"
})

/** The path parameters of endpoints for one account. */
export const accountParams = { id: wholeNumber(1, maxId, "The account's id") }
/** The path parameters of endpoints for one key. */
export const keyParams = { id: wholeNumber(1, maxId, "The key's id") }
/** The path parameters of endpoints for one session. */
export const sessionParams = { id: wholeNumber(1, maxId, "The session's id") }

export const adminGroup = HttpApiGroup.make("admin")
  .add(
    HttpApiEndpoint.post("createAccount", "/admin/v1/accounts", {
      payload: CreateAccount,
      success: AccountBody,
      error: problemSchemas(...bodyProblems)
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "createAccount",
        summary: "Create an account",
        description: "Creates an account with a plan."
      })
    ),
    HttpApiEndpoint.get("accounts", "/admin/v1/accounts", {
      query: PageQuery,
      success: AccountList
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "listAccounts",
        summary: "List accounts",
        description: "Returns all accounts in pages, oldest account first."
      })
    ),
    HttpApiEndpoint.patch("changeAccount", "/admin/v1/accounts/:id", {
      params: accountParams,
      payload: ChangeAccount,
      success: AccountBody,
      error: problemSchemas(...bodyProblems, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "changeAccount",
        summary: "Change an account's plan",
        description: "Changes the plan of an account, with immediate effect."
      })
    ),
    HttpApiEndpoint.post("issueKey", "/admin/v1/accounts/:id/keys", {
      params: accountParams,
      payload: IssueKey,
      success: IssuedKeyBody,
      error: problemSchemas(...bodyProblems, "not_found", "key_limit")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "issueKey",
        summary: "Issue a key",
        description: "Issues a key of an account. Only this response contains its secret."
      })
    ),
    HttpApiEndpoint.get("keys", "/admin/v1/accounts/:id/keys", {
      params: accountParams,
      query: PageQuery,
      success: KeyList,
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "listKeys",
        summary: "List keys",
        description: "Returns the keys of an account in pages, oldest key first, including revoked keys."
      })
    ),
    HttpApiEndpoint.patch("changeKey", "/admin/v1/keys/:id", {
      params: keyParams,
      payload: ChangeKey,
      success: KeyBody,
      error: problemSchemas(...bodyProblems, "not_found", "key_limit")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "changeKey",
        summary: "Change a key",
        description: "Changes the scopes or the expiry of a key."
      })
    ),
    HttpApiEndpoint.delete("revokeKey", "/admin/v1/keys/:id", {
      params: keyParams,
      success: HttpApiSchema.NoContent.annotate({ description: "The key is revoked" }),
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "revokeKey",
        summary: "Revoke a key",
        description: "Revokes a key permanently."
      })
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "metrics",
        summary: "Get metrics",
        description: "Returns the metrics of the process in the Prometheus text format."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Accounts, plans and keys. Requires the admin token.")
