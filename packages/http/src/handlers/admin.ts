import {
  AccountBody,
  AccountList,
  ChangeAccount,
  ChangeKey,
  CreateAccount,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  LinkBody,
  servedAdministrationApi,
  servedLinksApi,
  signInPath
} from "@tapeline/api"
import { type Account, Administration, type PageAfter, Sessions } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { iso, issuedKeyBody, keyBody, parseExpiry, readPage } from "./responseBodies.ts"

const respondLink = makeJsonResponder(LinkBody)

/**
 * The handler that creates sign-in links. The links begin with `consoleUrl`. If `consoleUrl` is undefined, the links
 * begin with the `Host` header of the admin request.
 */
export const layerLinks = (consoleUrl: string | undefined) =>
  HttpApiBuilder.group(
    servedLinksApi,
    "links",
    Effect.fnUntraced(function*(handlers) {
      const sessions = yield* Sessions
      return handlers.handleRaw(
        "createLink",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { expiresAt, token } = yield* sessions.createLink(params.id)
          // Only the sender of the request sees the link, so the `Host` of the request is safe to use.
          const address = consoleUrl?.replace(/\/+$/, "") ?? `http://${request.headers["host"]}`
          return yield* respondLink({
            url: `${address}${signInPath}#${Redacted.value(token)}`,
            expires_at: new Date(expiresAt).toISOString()
          })
        }))
      )
    })
  )

const accountBody = ({ createdAt, id, name, plan }: Account) => ({ id, name, plan, created_at: iso(createdAt) })

const readCreateAccount = makeBodyReader(CreateAccount)
const readChangeAccount = makeBodyReader(ChangeAccount)
const readIssueKey = makeBodyReader(IssueKey)
const readChangeKey = makeBodyReader(ChangeKey)

const respondAccount = makeJsonResponder(AccountBody)
const respondAccounts = makeJsonResponder(AccountList)
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)
const respondKey = makeJsonResponder(KeyBody)
const respondKeys = makeJsonResponder(KeyList)

export const layerAdmin = HttpApiBuilder.group(
  servedAdministrationApi,
  "admin",
  Effect.fnUntraced(function*(handlers) {
    const administration = yield* Administration
    return handlers
      .handleRaw(
        "createAccount",
        makeOperation(Effect.fnUntraced(function*({ request }) {
          const account = yield* administration.createAccount(yield* readCreateAccount(request))
          return yield* respondAccount(accountBody(account))
        }))
      )
      .handleRaw(
        "accounts",
        makeOperation(({ query }) =>
          Effect.flatMap(
            readPage(administration.accounts, query),
            ({ next_cursor, part }) => respondAccounts({ accounts: part.map(accountBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "changeAccount",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { plan } = yield* readChangeAccount(request)
          return yield* respondAccount(accountBody(yield* administration.changePlan(params.id, plan)))
        }))
      )
      .handleRaw(
        "issueKey",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { expires_at, name, scopes } = yield* readIssueKey(request)
          const issue = administration.issueKey({
            account: params.id,
            name,
            scopes,
            expiresAt: parseExpiry(expires_at)
          })
          const { key, record } = yield* Effect.catchTag(issue, "InvalidSession", Effect.die)
          return yield* respondIssuedKey(issuedKeyBody(record, key))
        }))
      )
      .handleRaw(
        "keys",
        makeOperation(({ params, query }) => {
          const read = (page: PageAfter) => administration.keys(params.id, page)
          return Effect.flatMap(
            readPage(read, query),
            ({ next_cursor, part }) => respondKeys({ keys: part.map(keyBody), next_cursor })
          )
        })
      )
      .handleRaw(
        "changeKey",
        makeOperation(Effect.fnUntraced(function*({ params, request }) {
          const { expires_at, scopes } = yield* readChangeKey(request)
          const change = administration.updateKey(params.id, { scopes, expiresAt: parseExpiry(expires_at) })
          const changed = yield* Effect.catchTag(change, "InvalidSession", Effect.die)
          return yield* respondKey(keyBody(changed))
        }))
      )
      .handleRaw(
        "revokeKey",
        makeOperation(({ params }) =>
          Effect.as(administration.revokeKey(params.id), HttpServerResponse.empty({ status: 204 }))
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
