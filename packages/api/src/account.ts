import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  bodyProblems,
  ChangeKey,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  keyParams,
  NextCursor,
  PageQuery,
  RotatedKeyBody,
  RotateKey,
  rotationDescription,
  rotationProblems,
  sessionParams
} from "./admin.ts"
import { SessionAuthorization } from "./authorization.ts"
import { monthBalanceFields, MonthQuery, usageTotalFields } from "./meta.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

export const SignIn = Schema.Struct({
  link: Schema.String.annotate({ description: "The secret of the sign-in link: the part of its URL after `#`" })
})

export const SessionBody = Schema.Struct({
  id: Schema.Int,
  signed_in_by: Schema.Literals(["link", "openid"]),
  device: Schema.String.annotate({ description: "The browser's description of itself (`user-agent`)" }),
  created_at: Schema.String,
  last_used_at: Schema.String,
  ends_at: Schema.String.annotate({
    description: "The time at which the session expires. Each use postpones it, up to 30 days after the sign-in"
  }),
  ended_at: Schema.NullOr(Schema.String).annotate({
    description: "The time at which the session was ended early; null if it was not"
  }),
  ended_because: Schema.NullOr(Schema.Literals(["signed_out", "revoked", "replaced", "stolen"])).annotate({
    description:
      "`signed_out`: the user signed out; `revoked`: another session of the account ended it; `replaced`: the same browser signed in again; `stolen`: a replaced session token was used"
  }),
  current: Schema.Boolean.annotate({ description: "Whether this is the session of the request" })
}).annotate({ identifier: "Session", description: "A session of the account" })

export const SignedInBody = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  created_at: Schema.String,
  plan: Schema.Struct({
    name: Schema.String,
    monthly_credits: Schema.Int,
    keys: Schema.Int,
    requests_per_minute: Schema.Int,
    answers_per_day: Schema.Int
  }),
  session: SessionBody
}).annotate({ identifier: "SignedIn", description: "The account, and the session of the request" })

export const SessionList = Schema.Struct({ sessions: Schema.Array(SessionBody), next_cursor: NextCursor }).annotate({
  identifier: "SessionList",
  description: "A page of sessions"
})

/** The query parameters of the request that ends all other sessions of an account. */
export const EndOthersQuery = {
  tasks: Schema.optionalKey(
    Schema.Literals(["keep", "pause"]).annotate({
      description:
        "`pause` also pauses the active tasks that were created or last changed in a session; `keep` by default"
    })
  )
}

export const EndedBody = Schema.Struct({
  ended: Schema.Int.annotate({ description: "Number of sessions that were ended" }),
  paused_tasks: Schema.Int.annotate({ description: "Number of tasks that were paused" })
}).annotate({ identifier: "EndedSessions", description: "All other sessions are ended" })

export const AccountUsageBody = Schema.Struct({
  ...monthBalanceFields,
  days: Schema.Array(Schema.Struct({ day: Schema.String, ...usageTotalFields })).annotate({
    description: "Days with calls, in order. `day` is YYYY-MM-DD in UTC. A call counts on the day on which it began"
  }),
  keys: Schema.Array(Schema.Struct({
    kind: Schema.Literals(["key", "session", "task"]).annotate({
      description:
        "`key`: calls of one key; `session`: all calls of signed-in users; `task`: all calls of the account's tasks"
    }),
    id: Schema.NullOr(Schema.Int).annotate({ description: "The id of the key; null for `session` and `task`" }),
    name: Schema.NullOr(Schema.String).annotate({ description: "The name of the key; null for `session` and `task`" }),
    ...usageTotalFields
  })).annotate({ description: "Usage by caller: keys by id, including revoked keys, then `session`, then `task`" })
}).annotate({
  identifier: "AccountUsage",
  description: "The usage of a month by tool, by day and by caller. Each of the three lists adds up to the month"
})

export const SignInMethodsBody = Schema.Struct({
  openid: Schema.NullOr(Schema.Struct({
    label: Schema.String.annotate({ description: "The name of the provider for users" }),
    url: Schema.String.annotate({ description: "The URL at which a browser starts the sign-in" })
  })).annotate({ description: "The OpenID Connect provider; null without a provider. Sign-in links always work" }),
  has_session: Schema.Boolean.annotate({
    description: "Whether the request contains a session cookie. The session may have ended"
  })
}).annotate({ identifier: "SignInWays", description: "The available ways to sign in" })

/**
 * The endpoints for sign-in, sign-out, account data and usage. Most endpoints of the group require a browser session
 * and reject API keys.
 */
export const accountGroup = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("signedIn", "/v1/account", { success: SignedInBody }).annotateMerge(
      OpenApi.annotations({
        identifier: "signedIn",
        summary: "Get the signed-in account",
        description: "Returns the account, its plan with the plan's limits, and the session."
      })
    ),
    HttpApiEndpoint.get("accountUsage", "/v1/account/usage", { query: MonthQuery, success: AccountUsageBody })
      .annotateMerge(
        OpenApi.annotations({
          identifier: "accountUsage",
          summary: "Get usage by day, tool and key",
          description: "Returns the usage of a month by day, by tool and by key, as one consistent snapshot. Without " +
            "`month`, the current month."
        })
      ),
    HttpApiEndpoint.post("signOut", "/v1/account/sign-out", {
      success: HttpApiSchema.NoContent.annotate({ description: "The session is ended, and the cookie is deleted" })
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "signOut",
        summary: "Sign out",
        description: "Ends the session of the request."
      })
    )
  )
  .middleware(SessionAuthorization)
  .add(
    HttpApiEndpoint.post("signIn", "/v1/account/sign-in", {
      payload: SignIn,
      success: SignedInBody,
      error: problemSchemas(...bodyProblems, "cross_site", "link_refused", "too_many_attempts")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "signIn",
        summary: "Sign in with a link",
        description:
          "Signs in with a sign-in link, which works once. The response sets the cookie of the new session. " +
          "The browser's previous session ends."
      })
    ),
    HttpApiEndpoint.get("signInWays", "/v1/account/ways", { success: SignInMethodsBody }).annotateMerge(
      OpenApi.annotations({
        identifier: "signInWays",
        summary: "Get the ways to sign in",
        description: "Returns the available ways to sign in, for the sign-in page. Needs no authentication."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(CommonErrors)
  .annotate(
    OpenApi.Description,
    "The signed-in account, its keys and its sessions. These operations require a session and reject keys."
  )

/** The endpoints with which a signed-in user manages an account's API keys. */
export const accountKeysGroup = HttpApiGroup.make("accountKeys")
  .add(
    HttpApiEndpoint.get("accountKeys", "/v1/account/keys", { query: PageQuery, success: KeyList }).annotateMerge(
      OpenApi.annotations({
        identifier: "listAccountKeys",
        summary: "List the account's keys",
        description: "Returns the account's keys in pages, oldest key first, including revoked keys."
      })
    ),
    HttpApiEndpoint.post("issueAccountKey", "/v1/account/keys", {
      payload: IssueKey,
      success: IssuedKeyBody,
      error: problemSchemas(...bodyProblems, "sign_in_again", "key_limit")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "issueAccountKey",
        summary: "Issue a key of the account",
        description:
          "Issues a key of the account. Only this response contains its secret. A key with a `write` scope requires a " +
          "sign-in within the last ten minutes."
      })
    ),
    HttpApiEndpoint.patch("changeAccountKey", "/v1/account/keys/:id", {
      params: keyParams,
      payload: ChangeKey,
      success: KeyBody,
      error: problemSchemas(...bodyProblems, "sign_in_again", "not_found", "key_limit", "rotation_running")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "changeAccountKey",
        summary: "Change a key of the account",
        description:
          "Changes the scopes, the limits or the expiry of a key. Requires a sign-in within the last ten minutes. A key of another " +
          "account is not found."
      })
    ),
    HttpApiEndpoint.post("rotateAccountKey", "/v1/account/keys/:id/rotate", {
      params: keyParams,
      payload: RotateKey,
      success: RotatedKeyBody,
      error: problemSchemas(...bodyProblems, ...rotationProblems, "sign_in_again")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "rotateAccountKey",
        summary: "Rotate a key of the account",
        description: `${rotationDescription} Requires a sign-in within the last ten minutes.`
      })
    ),
    HttpApiEndpoint.delete("revokeAccountKey", "/v1/account/keys/:id", {
      params: keyParams,
      success: HttpApiSchema.NoContent.annotate({ description: "The key is revoked" }),
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "revokeAccountKey",
        summary: "Revoke a key of the account",
        description: "Revokes a key permanently. A key of another account is not found."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(SessionAuthorization)
  .middleware(CommonErrors)

/** The endpoints with which a signed-in user lists and ends the sessions of an account. */
export const sessionsGroup = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("sessions", "/v1/account/sessions", { query: PageQuery, success: SessionList }).annotateMerge(
      OpenApi.annotations({
        identifier: "listSessions",
        summary: "List sessions",
        description:
          "Returns the account's sessions in pages, oldest session first. Ended sessions are listed for 30 days."
      })
    ),
    HttpApiEndpoint.delete("endSession", "/v1/account/sessions/:id", {
      params: sessionParams,
      success: HttpApiSchema.NoContent.annotate({ description: "The session is ended" }),
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "endSession",
        summary: "End a session",
        description: "Ends a session of the account. Ending the session of the request signs the user out."
      })
    ),
    HttpApiEndpoint.delete("endOtherSessions", "/v1/account/sessions", {
      query: EndOthersQuery,
      success: EndedBody
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "endOtherSessions",
        summary: "End all other sessions",
        description:
          "Ends all sessions of the account except the session of the request. Unused sign-in links stop working. Tasks " +
          "that were created in a session continue with the account's read scopes, unless `tasks` is `pause`."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(SessionAuthorization)
  .middleware(CommonErrors)
