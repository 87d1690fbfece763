import {
  AccountBody,
  AccountList,
  ChangeAccount,
  CreateAccount,
  EventList,
  type EventQueryParameters,
  LinkBody,
  RevokedBody,
  servedAdministrationApi,
  servedLinksApi,
  signInPath
} from "@tapeline/api"
import { type Account, Administration, AdminStore, Sessions } from "@tapeline/core"
import { toEventBody } from "@tapeline/core/engine"
import { Effect, Redacted, type Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { iso, readPage } from "./responseBodies.ts"

const respondLink = makeJsonResponder(LinkBody)

/**
 * The handler that creates sign-in links. The sign-in links begin with `consoleUrl`. If `consoleUrl` is undefined, the
 * links begin with the `Host` header of the admin request.
 */
export const layerLinks = (consoleUrl: string | undefined) =>
  HttpApiBuilder.group(
    servedLinksApi,
    "links",
    Effect.fnUntraced(function*(handlers) {
      const [sessions, store, changes] = yield* Effect.all([Sessions, AdminStore, makeAdminChanges])
      const createLink = Effect.fnUntraced(function*(account: number, host: string | undefined) {
        const { expiresAt, token } = yield* sessions.createLink(account)
        yield* store.record([{ type: "sign_in_link.created", account, target: null, before: null, after: null }])
        // Only the sender of the request sees the link, so the `Host` of the request is safe to use.
        const address = consoleUrl?.replace(/\/+$/, "") ?? `http://${host}`
        return { url: `${address}${signInPath}#${Redacted.value(token)}`, expires_at: iso(expiresAt) }
      })
      return handlers.handleRaw(
        "createLink",
        makeOperation(({ headers, params, request }) =>
          Effect.flatMap(
            changes.runSecret({
              operation: "createLink",
              request: params,
              headers,
              change: createLink(params.id, request.headers["host"])
            }),
            (link) => respondLink(link)
          )
        )
      )
    })
  )

const accountBody = (account: Account): typeof AccountBody.Type => ({
  id: account.id,
  name: account.name,
  plan: account.plan,
  external_id: account.externalId,
  metadata: account.metadata,
  status: account.status,
  status_reason: account.statusReason,
  created_at: iso(account.createdAt)
})

const readCreateAccount = makeBodyReader(CreateAccount)
const readChangeAccount = makeBodyReader(ChangeAccount)

const respondAccount = makeJsonResponder(AccountBody)
const respondAccounts = makeJsonResponder(AccountList)
const respondEvents = makeJsonResponder(EventList)
const respondRevoked = makeJsonResponder(RevokedBody)

type EventParameters = Schema.Struct.Type<typeof EventQueryParameters>

/** Reads a page of events. With the newest event first, a cursor is the id below which the page begins. */
const readEvents = (store: AdminStore["Service"], { account, order, since, type, until, ...page }: EventParameters) =>
  readPage(
    ({ after, limit }) =>
      store.events({
        account,
        types: type === undefined ? undefined : [type],
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        limit,
        ...(order === "newest" ? { after: 0, before: page.cursor ?? Number.MAX_SAFE_INTEGER } : { after })
      }),
    page
  )

export const layerAdmin = HttpApiBuilder.group(
  servedAdministrationApi,
  "admin",
  Effect.fnUntraced(function*(handlers) {
    const [administration, store, changes] = yield* Effect.all([Administration, AdminStore, makeAdminChanges])
    return handlers
      .handleRaw(
        "createAccount",
        makeOperation(Effect.fnUntraced(function*({ headers, request }) {
          const body = yield* readCreateAccount(request)
          const { external_id: externalId, metadata, name, plan } = body
          return yield* respondAccount(
            yield* changes.run({
              operation: "createAccount",
              request: body,
              headers,
              change: Effect.map(administration.createAccount({ externalId, metadata, name, plan }), accountBody)
            })
          )
        }))
      )
      .handleRaw(
        "accounts",
        makeOperation(({ query: { external_id: externalId, ...page } }) =>
          externalId === undefined
            ? Effect.flatMap(
              readPage(administration.accounts, page),
              ({ next_cursor, part }) => respondAccounts({ accounts: part.map(accountBody), next_cursor })
            )
            : Effect.flatMap(
              administration.accountByExternalId(externalId),
              (account) =>
                respondAccounts({ accounts: account === null ? [] : [accountBody(account)], next_cursor: null })
            )
        )
      )
      .handleRaw(
        "account",
        makeOperation(({ params }) =>
          Effect.flatMap(administration.account(params.id), (account) => respondAccount(accountBody(account)))
        )
      )
      .handleRaw(
        "changeAccount",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readChangeAccount(request)
          const { external_id: externalId, metadata, name, plan, reason = null, status } = body
          const change = administration.updateAccount(params.id, {
            externalId,
            metadata,
            name,
            plan,
            status: status === undefined ? undefined : { status, reason }
          })
          return yield* respondAccount(
            yield* changes.run({
              operation: "changeAccount",
              request: { ...params, body },
              headers,
              change: Effect.map(change, accountBody)
            })
          )
        }))
      )
      .handleRaw(
        "revokeAll",
        makeOperation(({ headers, params }) =>
          Effect.flatMap(
            changes.run({
              operation: "revokeAll",
              request: params,
              headers,
              change: administration.revokeAll(params.id)
            }),
            (revoked) => respondRevoked(revoked)
          )
        )
      )
      .handleRaw(
        "events",
        makeOperation(({ query }) =>
          Effect.flatMap(
            readEvents(store, query),
            ({ next_cursor, part }) => respondEvents({ events: part.map(toEventBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "metrics",
        () =>
          Effect.map(
            PrometheusMetrics.format(),
            (text) => HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
          )
      )
  })
)
