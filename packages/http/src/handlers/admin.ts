import {
  AccountBody,
  AccountList,
  AdminTaskBody,
  AdminTaskList,
  ChangeAccount,
  ChangeKey,
  CreateAccount,
  EventList,
  IssuedKeyBody,
  IssueKey,
  KeyBody,
  KeyList,
  LinkBody,
  RevokedBody,
  RunningAnswerBody,
  RunningAnswerList,
  servedAdministrationApi,
  servedLinksApi,
  signInPath,
  StopWork
} from "@tapeline/api"
import { type Account, Administration, AdminStore, type PageAfter, type RecordedEvent, Sessions } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { makeAdminWork } from "./adminWork.ts"
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

const eventBody = ({ requestId, time, ...event }: RecordedEvent) => ({
  ...event,
  time: iso(time),
  request_id: requestId
})

const readCreateAccount = makeBodyReader(CreateAccount)
const readChangeAccount = makeBodyReader(ChangeAccount)
const readIssueKey = makeBodyReader(IssueKey)
const readChangeKey = makeBodyReader(ChangeKey)
const readStopWork = makeBodyReader(StopWork)

const respondAccount = makeJsonResponder(AccountBody)
const respondAccounts = makeJsonResponder(AccountList)
const respondEvents = makeJsonResponder(EventList)
const respondIssuedKey = makeJsonResponder(IssuedKeyBody)
const respondKey = makeJsonResponder(KeyBody)
const respondKeys = makeJsonResponder(KeyList)
const respondRevoked = makeJsonResponder(RevokedBody)
const respondAnswer = makeJsonResponder(RunningAnswerBody)
const respondAnswers = makeJsonResponder(RunningAnswerList)
const respondTask = makeJsonResponder(AdminTaskBody)
const respondTasks = makeJsonResponder(AdminTaskList)

export const layerAdmin = HttpApiBuilder.group(
  servedAdministrationApi,
  "admin",
  Effect.fnUntraced(function*(handlers) {
    const [administration, store, changes, work] = yield* Effect.all([
      Administration,
      AdminStore,
      makeAdminChanges,
      makeAdminWork
    ])
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
        "issueKey",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readIssueKey(request)
          const { expires_at, name, scopes } = body
          const issue = administration.issueKey({
            account: params.id,
            name,
            scopes,
            expiresAt: parseExpiry(expires_at)
          })
          return yield* respondIssuedKey(
            yield* changes.runSecret({
              operation: "issueKey",
              request: { ...params, body },
              headers,
              change: Effect.map(
                Effect.catchTag(issue, "InvalidSession", Effect.die),
                ({ key, record }) => issuedKeyBody(record, key)
              )
            })
          )
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
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readChangeKey(request)
          const { expires_at, scopes } = body
          const change = Effect.catchTag(
            administration.updateKey(params.id, { scopes, expiresAt: parseExpiry(expires_at) }),
            "InvalidSession",
            Effect.die
          )
          return yield* respondKey(
            yield* changes.run({
              operation: "changeKey",
              request: { ...params, body },
              headers,
              change: Effect.map(change, keyBody)
            })
          )
        }))
      )
      .handleRaw(
        "revokeKey",
        makeOperation(({ headers, params }) =>
          Effect.as(
            changes.run({
              operation: "revokeKey",
              request: params,
              headers,
              change: Effect.as(administration.revokeKey(params.id), null)
            }),
            HttpServerResponse.empty({ status: 204 })
          )
        )
      )
      .handleRaw(
        "answers",
        makeOperation(({ params }) => Effect.flatMap(work.listAnswers(params.id), (list) => respondAnswers(list)))
      )
      .handleRaw(
        "answer",
        makeOperation(({ params }) => Effect.flatMap(work.findAnswer(params.id), (answer) => respondAnswer(answer)))
      )
      .handleRaw(
        "stopAnswer",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readStopWork(request)
          const stopped = yield* changes.run({
            operation: "stopAnswer",
            request: { ...params, body },
            headers,
            change: work.stopAnswer(params.id, body.reason)
          })
          return yield* respondAnswer(stopped)
        }))
      )
      .handleRaw(
        "tasks",
        makeOperation(({ params }) => Effect.flatMap(work.listTasks(params.id), (list) => respondTasks(list)))
      )
      .handleRaw(
        "pauseTask",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readStopWork(request)
          const paused = yield* changes.run({
            operation: "pauseTask",
            request: { ...params, body },
            headers,
            change: work.pauseTask(params.id, params.task, body.reason)
          })
          return yield* respondTask(paused)
        }))
      )
      .handleRaw(
        "events",
        makeOperation(({ query: { account, since, type, until, ...page } }) =>
          Effect.flatMap(
            readPage(
              ({ after, limit }) =>
                store.events({
                  account,
                  types: type === undefined ? undefined : [type],
                  since: since === undefined ? undefined : Date.parse(since),
                  until: until === undefined ? undefined : Date.parse(until),
                  after,
                  limit
                }),
              page
            ),
            ({ next_cursor, part }) => respondEvents({ events: part.map(eventBody), next_cursor })
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
