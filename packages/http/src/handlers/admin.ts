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
import { type Account, Administration, type KeyRecord, type Page } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { answering } from "../answer.ts"
import { reading } from "../body.ts"
import { operation } from "../operation.ts"

const iso = (time: number): string => new Date(time).toISOString()
const isoOrNull = (time: number | null): string | null => time === null ? null : iso(time)

const accountBody = ({ createdAt, id, name, plan }: Account) => ({ id, name, plan, created_at: iso(createdAt) })

const keyBody = (key: KeyRecord) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: iso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt)
})

const issuedKeyBody = (record: KeyRecord, key: Redacted.Redacted<string>) => ({
  id: record.id,
  name: record.name,
  scopes: record.scopes,
  key: Redacted.value(key),
  created_at: iso(record.createdAt),
  expires_at: isoOrNull(record.expiresAt)
})

const readCreateAccount = reading(CreateAccount)
const readChangeAccount = reading(ChangeAccount)
const readIssueKey = reading(IssueKey)
const readChangeKey = reading(ChangeKey)

const answerAccount = answering(AccountBody)
const answerAccounts = answering(AccountList)
const answerIssuedKey = answering(IssuedKeyBody)
const answerKey = answering(KeyBody)
const answerKeys = answering(KeyList)

const usualPage = 100

/** A page, and where the next one begins: one more than asked for is read, to know whether there is one. */
const pageOf = <A extends { readonly id: number }, E>(
  read: (page: Page) => Effect.Effect<ReadonlyArray<A>, E>,
  { cursor = 0, limit = usualPage }: { readonly cursor?: number; readonly limit?: number }
) =>
  Effect.map(read({ after: cursor, limit: limit + 1 }), (found) => {
    const part = found.slice(0, limit)
    return { part, next_cursor: found.length > limit ? part.at(-1)!.id : null }
  })

/** The instant of an expiry as the store has it, which judges whether it lies ahead. */
const expiryOf = (expires_at: string | null | undefined) =>
  typeof expires_at === "string" ? Date.parse(expires_at) : expires_at

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
          const expiresAt = expiryOf(expires_at)
          const { key, record } = yield* administration.issueKey({ account: params.id, name, scopes, expiresAt })
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
          const expiresAt = expiryOf(expires_at)
          return yield* answerKey(keyBody(yield* administration.updateKey(params.id, { scopes, expiresAt })))
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
