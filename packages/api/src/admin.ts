import { AccountStatus, EventType, eventTypes, keyOverlap, Name } from "@tapeline/core/engine"
import { allScopes, Scope, scopeMeanings } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { ChangeHeaders } from "./headers.ts"
import { keyLimitFields, keyLimitResponseFields } from "./keyLimits.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

/** The highest id that a path may contain. */
export const maxId = 2 ** 31 - 1

/** Returns the schema of a list of scopes: at least one scope, and no scope twice. */
export const scopeList = <S extends Schema.Constraint>(scope: S) =>
  Schema.Array(scope).check(
    Schema.isMinLength(1, {
      expected: "a list of at least one item",
      expectedMessage: { key: "expected_items", params: { minimum: 1 } }
    }),
    Schema.isUnique()
  )

const Scopes = scopeList(Scope).annotate({
  description: allScopes.map((scope) => `\`${scope}\`: ${scopeMeanings[scope]}`).join("; ")
})

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

/** Returns the schema of an ISO 8601 instant in UTC. */
export const instant = (annotations: { readonly description?: string } = {}) =>
  Schema.String.annotate({ format: "date-time", ...annotations }).check(
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

/** The error codes with which any administrative change that has a body can fail. */
export const changeProblems = [...bodyProblems, "idempotency_key_reused"] as const

/** An external id: 1 to 200 characters on one line. */
const ExternalId = Schema.String.annotate({
  description: "The account's id in your own systems. No two accounts have the same"
}).check(
  Schema.isBetweenLength(1, 200),
  Schema.isPattern(/^[^\p{Cc}]+$/u, {
    expected: "a text without control characters",
    expectedMessage: { key: "expected_name" }
  })
)

const Metadata = Schema.Record(
  Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_.:-]{1,40}$/u)),
  Schema.String.check(Schema.isMaxLength(500))
).annotate({
  description:
    "Your own data about the account: at most 50 texts of at most 500 characters, under names of at most 40 letters, " +
    "digits, `_`, `.`, `:` and `-`"
}).check(Schema.isMaxProperties(50))

const StatusReason = Schema.String.annotate({
  description: "The reason for the status, for operators. The account's user does not see it"
}).check(Schema.isMaxLength(500))

const accountStatusDescription =
  "`active`; `suspended`: keys and sessions are rejected with `account_suspended` until the account is active again; " +
  "`closed`: keys are revoked and sessions ended, and the account stays closed"

/** The schema of an account in responses of the admin API. */
export const AccountBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Schema.String,
  external_id: Schema.NullOr(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String),
  status: AccountStatus.annotate({ description: accountStatusDescription }),
  status_reason: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "Account", description: "The account" })

export const CreateAccount = Schema.Struct({
  name: Name,
  plan: Schema.String,
  external_id: Schema.optionalKey(ExternalId),
  metadata: Schema.optionalKey(Metadata)
})
export const ChangeAccount = Schema.Struct({
  name: Schema.optionalKey(Name),
  plan: Schema.optionalKey(Schema.String),
  external_id: Schema.optionalKey(Schema.NullOr(ExternalId)),
  metadata: Schema.optionalKey(Metadata),
  status: Schema.optionalKey(AccountStatus.annotate({ description: accountStatusDescription })),
  reason: Schema.optionalKey(StatusReason)
})

export const RevokedBody = Schema.Struct({
  keys: Schema.Int.annotate({ description: "Number of keys that were revoked" }),
  sessions: Schema.Int.annotate({ description: "Number of sessions that were ended" })
}).annotate({ identifier: "RevokedAccess", description: "All keys are revoked, and all sessions are ended" })

/** A change of one field, or of several fields, in an event. */
const ChangedFields = Schema.NullOr(Schema.Record(Schema.String, Schema.Json))

export const EventBody = Schema.Struct({
  id: Schema.Int,
  time: Schema.String,
  type: EventType.annotate({
    description: Object.entries(eventTypes).map(([type, meaning]) => `\`${type}\`: ${meaning}`).join(" ")
  }),
  actor: Schema.String.annotate({
    description:
      "`admin`: the admin token of the configuration; `admin:NAME`: a named admin token; `session ID`: a signed-in user; `service`: the service itself"
  }),
  account: Schema.NullOr(Schema.Int),
  target: Schema.NullOr(Schema.String).annotate({ description: "The changed object, such as `key 12`" }),
  before: ChangedFields.annotate({ description: "The changed fields before the change, without secrets" }),
  after: ChangedFields.annotate({ description: "The changed fields after the change, without secrets" }),
  request_id: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String).annotate({ description: "The address of the client" })
}).annotate({ identifier: "Event", description: "A recorded event" })
export const IssueKey = Schema.Struct({
  name: Name,
  scopes: Scopes,
  expires_at: Schema.optionalKey(Schema.NullOr(instant())),
  ...keyLimitFields
})
export const ChangeKey = Schema.Struct({
  scopes: Schema.optionalKey(Scopes),
  expires_at: Schema.optionalKey(Schema.NullOr(instant())),
  ...keyLimitFields
})
export const RotateKey = Schema.Struct({
  overlap_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: keyOverlap.maxMs / 1000 })).annotate({
      description: "The time for which the old key stays valid; one day by default. An earlier expiry of the key stays"
    })
  ),
  expires_at: Schema.optionalKey(Schema.NullOr(instant({
    description: "The expiry of the new key; by default, the new key has the same lifetime as the old key"
  })))
})

const issuedKeyFields = {
  id: Schema.Int,
  name: Schema.String,
  scopes: Schema.Array(Scope),
  key: Schema.String.annotate({ description: "The secret of the key. It cannot be read again" }),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  ...keyLimitResponseFields
}

export const IssuedKeyBody = Schema.Struct(issuedKeyFields).annotate({
  identifier: "IssuedKey",
  description: "The new key. Its secret is returned only here"
})

export const RotatedKeyBody = Schema.Struct({
  ...issuedKeyFields,
  previous: Schema.Struct({ id: Schema.Int, expires_at: Schema.String }).annotate({
    description: "The old key, and the time at which it stops working"
  })
}).annotate({ identifier: "RotatedKey", description: "The new key. Its secret is returned only here" })

export const KeyBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Scope),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String),
  ...keyLimitResponseFields,
  credits_used: Schema.NullOr(Schema.Int).annotate({
    description: "The used and reserved credits of the month; null without `monthly_credits`"
  }),
  first_key: Schema.Int.annotate({
    description: "The first key of the chain of rotations; the key's own id if it was not rotated"
  })
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
/** The query parameters of the list of accounts. */
export const AccountQuery = {
  ...PageQuery,
  external_id: Schema.optionalKey(Schema.String.annotate({ description: "Only the account with this external id" }))
}

/** The query parameters of the list of events. */
export const EventQueryParameters = {
  ...PageQuery,
  account: Schema.optionalKey(wholeNumber(1, maxId, "Only the events of this account")),
  type: Schema.optionalKey(EventType.annotate({ description: "Only events of this type" })),
  since: Schema.optionalKey(instant({ description: "Only events at or after this time" })),
  until: Schema.optionalKey(instant({ description: "Only events before this time" })),
  order: Schema.optionalKey(
    Schema.Literals(["oldest", "newest"]).annotate({
      description: "`oldest` returns the oldest event first, `newest` the newest; `oldest` by default"
    })
  )
}

export const EventList = Schema.Struct({ events: Schema.Array(EventBody), next_cursor: NextCursor }).annotate({
  identifier: "EventList",
  description: "A page of events"
})

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
      headers: ChangeHeaders,
      success: AccountBody,
      error: problemSchemas(...changeProblems, "external_id_taken")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "createAccount",
        summary: "Create an account",
        description: "Creates an active account with a plan."
      })
    ),
    HttpApiEndpoint.get("accounts", "/admin/v1/accounts", {
      query: AccountQuery,
      success: AccountList
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listAccounts",
        summary: "List accounts",
        description: "Returns all accounts in pages, oldest account first, or the account with an external id."
      })
    ),
    HttpApiEndpoint.get("account", "/admin/v1/accounts/:id", {
      params: accountParams,
      success: AccountBody,
      error: problemSchemas("not_found")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "getAccount",
        summary: "Get an account",
        description: "Returns an account."
      })
    ),
    HttpApiEndpoint.patch("changeAccount", "/admin/v1/accounts/:id", {
      params: accountParams,
      payload: ChangeAccount,
      headers: ChangeHeaders,
      success: AccountBody,
      error: problemSchemas(...changeProblems, "not_found", "external_id_taken", "account_closed")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "changeAccount",
        summary: "Change an account",
        description:
          "Changes the given fields of an account. All processes obey a new plan or status within two seconds. If the " +
          "account is no longer active, its running answers end and its tasks pause. `metadata` replaces all earlier " +
          "metadata."
      })
    ),
    HttpApiEndpoint.post("revokeAll", "/admin/v1/accounts/:id/revoke-all", {
      params: accountParams,
      headers: ChangeHeaders,
      success: RevokedBody,
      error: problemSchemas("idempotency_key_reused", "not_found")
    }).annotateMerge(
      adminOperation("write", {
        identifier: "revokeAll",
        summary: "Revoke all access of an account",
        description:
          "Revokes all keys of an account permanently, and ends all its sessions. Unused sign-in links stop working."
      })
    ),
    HttpApiEndpoint.get("events", "/admin/v1/events", {
      query: EventQueryParameters,
      success: EventList
    }).annotateMerge(
      adminOperation("read", {
        identifier: "listEvents",
        summary: "List events",
        description:
          "Returns the recorded administrative and security-relevant events in pages, by default oldest event first. " +
          "In this order, a client that continues with the last `id` as `cursor` misses no event."
      })
    ),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
    }).annotateMerge(
      adminOperation("metrics", {
        identifier: "metrics",
        summary: "Get metrics",
        description: "Returns the metrics of the process in the Prometheus text format."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "Accounts, plans and keys. Requires an admin token with the scope `x-admin-scope` of the operation."
  )

/** The error codes with which a rotation of a key can fail. */
export const rotationProblems = ["not_found", "rotation_running", "key_ended"] as const

export const rotationDescription =
  "Issues a successor of a key, with the same name, scopes and limits. The old key stays valid for the overlap. Both " +
  "keys share the monthly credits of the key. Only this response contains the secret of the successor."

/** The admin endpoints for API keys. */
export const adminKeysGroup = HttpApiGroup.make("adminKeys")
  .add(
    HttpApiEndpoint.post("issueKey", "/admin/v1/accounts/:id/keys", {
      params: accountParams,
      payload: IssueKey,
      headers: ChangeHeaders,
      success: IssuedKeyBody,
      error: problemSchemas(...changeProblems, "not_found", "account_closed", "key_limit", "secret_returned")
    }).annotateMerge(
      adminOperation("keys", {
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
      adminOperation("read", {
        identifier: "listKeys",
        summary: "List keys",
        description: "Returns the keys of an account in pages, oldest key first, including revoked keys."
      })
    ),
    HttpApiEndpoint.patch("changeKey", "/admin/v1/keys/:id", {
      params: keyParams,
      payload: ChangeKey,
      headers: ChangeHeaders,
      success: KeyBody,
      error: problemSchemas(...changeProblems, "not_found", "key_limit", "rotation_running")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "changeKey",
        summary: "Change a key",
        description: "Changes the scopes, the limits or the expiry of a key."
      })
    ),
    HttpApiEndpoint.post("rotateKey", "/admin/v1/keys/:id/rotate", {
      params: keyParams,
      payload: RotateKey,
      headers: ChangeHeaders,
      success: RotatedKeyBody,
      error: problemSchemas(...changeProblems, ...rotationProblems, "secret_returned")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "rotateKey",
        summary: "Rotate a key",
        description: rotationDescription
      })
    ),
    HttpApiEndpoint.delete("revokeKey", "/admin/v1/keys/:id", {
      params: keyParams,
      headers: ChangeHeaders,
      success: HttpApiSchema.NoContent.annotate({ description: "The key is revoked" }),
      error: problemSchemas("idempotency_key_reused", "not_found")
    }).annotateMerge(
      adminOperation("keys", {
        identifier: "revokeKey",
        summary: "Revoke a key",
        description: "Revokes a key permanently."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "API keys of accounts. Requires an admin token with the scope `x-admin-scope` of the operation."
  )
