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
  servedAdministrationApi
} from "@tapeline/api"
import { type Account, Administration, type Page } from "@tapeline/core"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { answering } from "../answer.ts"
import { reading } from "../body.ts"
import { operation } from "../operation.ts"
import { expiryOf, iso, issuedKeyBody, keyBody, pageOf } from "./keyBodies.ts"

const accountBody = ({ createdAt, id, name, plan }: Account) => ({ id, name, plan, created_at: iso(createdAt) })

const readCreateAccount = reading(CreateAccount)
const readChangeAccount = reading(ChangeAccount)
const readIssueKey = reading(IssueKey)
const readChangeKey = reading(ChangeKey)

const answerAccount = answering(AccountBody)
const answerAccounts = answering(AccountList)
const answerIssuedKey = answering(IssuedKeyBody)
const answerKey = answering(KeyBody)
const answerKeys = answering(KeyList)

export const layerAdmin = HttpApiBuilder.group(
  servedAdministrationApi,
  "admin",
  Effect.fnUntraced(function*(handlers) {
    const administration = yield* Administration
    return handlers
      .handleRaw(
        "createAccount",
        operation(Effect.fnUntraced(function*({ request }) {
          const account = yield* administration.createAccount(yield* readCreateAccount(request))
          return yield* answerAccount(accountBody(account))
        }))
      )
      .handleRaw(
        "accounts",
        operation(({ query }) =>
          Effect.flatMap(
            pageOf(administration.accounts, query),
            ({ next_cursor, part }) => answerAccounts({ accounts: part.map(accountBody), next_cursor })
          )
        )
      )
      .handleRaw(
        "changeAccount",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { plan } = yield* readChangeAccount(request)
          return yield* answerAccount(accountBody(yield* administration.changePlan(params.id, plan)))
        }))
      )
      .handleRaw(
        "issueKey",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { expires_at, name, scopes } = yield* readIssueKey(request)
          const issue = administration.issueKey({ account: params.id, name, scopes, expiresAt: expiryOf(expires_at) })
          const { key, record } = yield* Effect.catchTag(issue, "InvalidSession", Effect.die)
          return yield* answerIssuedKey(issuedKeyBody(record, key))
        }))
      )
      .handleRaw(
        "keys",
        operation(({ params, query }) => {
          const read = (page: Page) => administration.keys(params.id, page)
          return Effect.flatMap(
            pageOf(read, query),
            ({ next_cursor, part }) => answerKeys({ keys: part.map(keyBody), next_cursor })
          )
        })
      )
      .handleRaw(
        "changeKey",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { expires_at, scopes } = yield* readChangeKey(request)
          const change = administration.updateKey(params.id, { scopes, expiresAt: expiryOf(expires_at) })
          const changed = yield* Effect.catchTag(change, "InvalidSession", Effect.die)
          return yield* answerKey(keyBody(changed))
        }))
      )
      .handleRaw(
        "revokeKey",
        operation(({ params }) =>
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
