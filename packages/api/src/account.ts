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
  sessionParams
} from "./admin.ts"
import { SessionAuthorization } from "./authorization.ts"
import { monthBalanceFields, MonthQuery, usageTotalFields } from "./meta.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

export const SignIn = Schema.Struct({
  link: Schema.String.annotate({ description: "The link's text: what stands behind `#` in its address" })
})

export const SessionBody = Schema.Struct({
  id: Schema.Int,
  signed_in_by: Schema.Literals(["link", "openid"]),
  device: Schema.String.annotate({ description: "What the browser calls itself" }),
  created_at: Schema.String,
  last_used_at: Schema.String,
  ends_at: Schema.String.annotate({
    description: "When it ends by itself if it is not used again; each use moves that, up to a month after it began"
  }),
  ended_at: Schema.NullOr(Schema.String).annotate({ description: "When it was ended before its time" }),
  ended_because: Schema.NullOr(Schema.Literals(["signed_out", "revoked", "replaced", "stolen"])).annotate({
    description: "Why: `replaced` is by a sign-in of the same browser; `stolen` is that a second one held it"
  }),
  current: Schema.Boolean.annotate({ description: "Whether this is the session that asks" })
}).annotate({ identifier: "Session", description: "A session, as its account sees it" })

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
}).annotate({ identifier: "SignedIn", description: "The account, and the session that speaks for it" })

export const SessionList = Schema.Struct({ sessions: Schema.Array(SessionBody), next_cursor: NextCursor }).annotate({
  identifier: "SessionList",
  description: "A page of sessions"
})

/** The query parameters of the endpoint `endOtherSessions`. */
export const EndOthersQuery = {
  tasks: Schema.optionalKey(
    Schema.Literals(["keep", "pause"]).annotate({
      description: "`pause` also pauses the active tasks that were created or last changed in a session; else `keep`"
    })
  )
}

export const EndedBody = Schema.Struct({
  ended: Schema.Int.annotate({ description: "How many sessions were ended" }),
  paused_tasks: Schema.Int.annotate({ description: "How many tasks were paused" })
}).annotate({ identifier: "EndedSessions", description: "All others are ended" })

export const AccountUsageBody = Schema.Struct({
  ...monthBalanceFields,
  days: Schema.Array(Schema.Struct({ day: Schema.String, ...usageTotalFields })).annotate({
    description: "Days with calls, in order; `day` is YYYY-MM-DD, UTC, and a call counts on the day on which it began"
  }),
  keys: Schema.Array(Schema.Struct({
    kind: Schema.Literals(["key", "session", "task"]).annotate({
      description: "`session` is all that was called by who signed in, `task` all that the account's tasks did"
    }),
    id: Schema.NullOr(Schema.Int).annotate({ description: "The key; null for what is no key" }),
    name: Schema.NullOr(Schema.String).annotate({ description: "Its name; null for what is no key" }),
    ...usageTotalFields
  })).annotate({ description: "By who called: keys by id, revoked ones too, then `session`, then `task`" })
}).annotate({
  identifier: "AccountUsage",
  description: "A month's usage by tool, by day and by key. Each of the three adds up to the month"
})

export const SignInMethodsBody = Schema.Struct({
  openid: Schema.NullOr(Schema.Struct({
    label: Schema.String.annotate({ description: "What people know the provider as" }),
    url: Schema.String.annotate({ description: "Where a browser goes to sign in" })
  })).annotate({ description: "An OpenID Connect provider; null without one. By a link people sign in always" }),
  has_session: Schema.Boolean.annotate({ description: "Whether the request carries a session, which may be over" })
}).annotate({ identifier: "SignInWays", description: "The ways in" })

/**
 * The endpoints for sign-in, sign-out, account data and usage. Sign-in endpoints need no session. The other account
 * endpoints require a browser session and reject keys.
 */
export const accountGroup = HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("signedIn", "/v1/account", { success: SignedInBody }).annotateMerge(
      OpenApi.annotations({
        identifier: "signedIn",
        summary: "Who is signed in",
        description: "The account, its plan with what that allots, and the session."
      })
    ),
    HttpApiEndpoint.get("accountUsage", "/v1/account/usage", { query: MonthQuery, success: AccountUsageBody })
      .annotateMerge(
        OpenApi.annotations({
          identifier: "accountUsage",
          summary: "Usage by day, tool and key",
          description: "What a month has cost, by day, by tool and by key, all of one instant. `month` asks for an " +
            "earlier one."
        })
      ),
    HttpApiEndpoint.post("signOut", "/v1/account/sign-out", {
      success: HttpApiSchema.NoContent.annotate({ description: "The session is over, and the cookie is taken back" })
    }).annotateMerge(
      OpenApi.annotations({ identifier: "signOut", summary: "Sign out", description: "Ends the session that asks." })
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
        summary: "Sign in",
        description: "Uses a link up, and opens a session, whose cookie comes with the answer. A session that the " +
          "browser had is over."
      })
    ),
    HttpApiEndpoint.get("signInWays", "/v1/account/ways", { success: SignInMethodsBody }).annotateMerge(
      OpenApi.annotations({
        identifier: "signInWays",
        summary: "Ways to sign in",
        description: "How people sign in here, for the page on which they do. Anybody may ask."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "The account of who is signed in: its keys and its sessions. No key opens these.")

/** The endpoints with which a signed-in user manages the keys of an account. */
export const accountKeysGroup = HttpApiGroup.make("accountKeys")
  .add(
    HttpApiEndpoint.get("accountKeys", "/v1/account/keys", { query: PageQuery, success: KeyList }).annotateMerge(
      OpenApi.annotations({
        identifier: "listAccountKeys",
        summary: "List the account's keys",
        description: "The account's keys, revoked ones too, oldest first, page by page."
      })
    ),
    HttpApiEndpoint.post("issueAccountKey", "/v1/account/keys", {
      payload: IssueKey,
      success: IssuedKeyBody,
      error: problemSchemas(...bodyProblems, "key_limit")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "issueAccountKey",
        summary: "Issue a key of the account",
        description: "Issues a key; the answer is the only place that shows it."
      })
    ),
    HttpApiEndpoint.patch("changeAccountKey", "/v1/account/keys/:id", {
      params: keyParams,
      payload: ChangeKey,
      success: KeyBody,
      error: problemSchemas(...bodyProblems, "not_found", "key_limit")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "changeAccountKey",
        summary: "Change a key of the account",
        description: "Changes a key's scopes or expiry. Another account's key is as unknown as none."
      })
    ),
    HttpApiEndpoint.delete("revokeAccountKey", "/v1/account/keys/:id", {
      params: keyParams,
      success: HttpApiSchema.NoContent.annotate({ description: "It is revoked" }),
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "revokeAccountKey",
        summary: "Revoke a key of the account",
        description: "Revokes a key for good. Another account's key is as unknown as none."
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
        description: "The account's sessions, oldest first, page by page; those that are over for a month more."
      })
    ),
    HttpApiEndpoint.delete("endSession", "/v1/account/sessions/:id", {
      params: sessionParams,
      success: HttpApiSchema.NoContent.annotate({ description: "It is over" }),
      error: problemSchemas("not_found")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "endSession",
        summary: "End a session",
        description: "Ends a session of the account. To end the one that asks is to sign out."
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
          "Ends all sessions of the account but the one that asks. Unused sign-in links stop working. A task that was " +
          "created in a session goes on with the account's read scopes, unless `tasks` is `pause`."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(SessionAuthorization)
  .middleware(CommonErrors)
