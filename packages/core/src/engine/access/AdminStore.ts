import { Context, type Effect, Schema } from "effect"
import type { IdempotencyKeyReused } from "../call/errors.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { AdminScope, AdminTokenNameTaken, AdminTokenRecord, UnknownAdminToken } from "./adminToken.ts"
import type { ExpiryPassed, PageAfter } from "./KeyStore.ts"

/** The types of recorded events, with their descriptions. */
export const eventTypes = {
  "account.created": "An account was created.",
  "account.updated": "The name, the external id, the metadata or the plan of an account was changed.",
  "account.suspended": "An account was suspended.",
  "account.reactivated": "A suspended account was reactivated.",
  "account.closed": "An account was closed.",
  "account.exported": "The data of an account was exported.",
  "account.erasure_requested": "The erasure of an account was requested.",
  "account.erased": "The personal data of an account was erased.",
  "access.revoked": "All keys and sessions of an account were revoked.",
  "key.issued": "A key was issued.",
  "key.updated": "The scopes, the limits or the expiry of a key were changed.",
  "key.revoked": "A key was revoked.",
  "key.rotated": "A key got a successor, and expires after the overlap.",
  "sign_in_link.created": "A sign-in link was created.",
  "session.started": "A user signed in.",
  "session.ended": "A session was ended early.",
  "sessions.ended": "A user ended all other sessions of the account.",
  "sign_in.failed": "Sign-ins failed. The event counts the failures of one process in ten minutes.",
  "admin_token.created": "An admin token was created.",
  "admin_token.revoked": "An admin token was revoked.",
  "answer.stopped": "An operator stopped a running answer.",
  "task.paused": "An operator paused a task.",
  "credits.adjusted": "An operator granted, refunded or corrected the credits of an account.",
  "credits.used_80": "An account used 80 % of its credits of the month.",
  "credits.used_100": "An account used all its credits of the month.",
  "answer.failed": "An answer of the analyst failed.",
  "task.fired": "A task of an account fired.",
  "database.backup_started": "A backup of the database was requested, with the data of all accounts.",
  "webhook.created": "A webhook was created.",
  "webhook.updated": "The URL, the description, the event types or the status of a webhook were changed.",
  "webhook.deleted": "A webhook was deleted.",
  "webhook.secret_rotated": "The secret of a webhook was replaced.",
  "webhook.test": "A test of a webhook was requested. Only this webhook receives the event.",
  "webhook.delivery_retried": "A retry of a delivery was requested.",
  "webhook.disabled": "The service disabled a webhook, because its receiver is gone or all deliveries failed."
} as const satisfies Readonly<Record<string, string>>

export type EventType = keyof typeof eventTypes

// The cast is needed, because TypeScript types the keys that `Object.keys` returns as plain strings.
export const EventType = Schema.Literals(Object.keys(eventTypes) as ReadonlyArray<EventType>)

/** The changed fields of an object, by their names in the API. */
export type EventFields = Readonly<Record<string, Schema.Json>>

/** An event to record. `before` and `after` contain the changed fields of the target, without secrets. */
export interface NewEvent {
  readonly type: EventType
  /** The id of the account that the event concerns; null for an event of the service. */
  readonly account: number | null
  /** The changed object, for example `key 12`; null if the account itself is the object. */
  readonly target: string | null
  readonly before: EventFields | null
  readonly after: EventFields | null
}

/** The types of events that other stores queue within their own transactions, for `publishQueued`. */
export type QueuedEventType = Extract<EventType, "answer.failed" | "task.fired">

/** The actor of an administrative change, and the request that made the change. */
export interface AdminActor {
  /**
   * The actor: `admin` for the admin token of the configuration, `admin:NAME` for a named admin token, `session ID` for
   * a signed-in user, or `service` for the service and for programs that embed the engine.
   */
  readonly actor: string
  /** The id of the HTTP request; null without a request. */
  readonly requestId: string | null
  /** The client's address; null without a request. */
  readonly address: string | null
}

/** The actor of the current fiber's administrative changes. */
export const CurrentAdminActor = Context.Reference<AdminActor>("@tapeline/core/access/CurrentAdminActor", {
  defaultValue: () => ({ actor: "service", requestId: null, address: null })
})

/** A recorded event. `time` is in epoch ms by the store's clock. */
export interface RecordedEvent extends NewEvent, AdminActor {
  readonly id: number
  readonly time: number
}

/** Selects recorded events; an omitted field selects all events. */
export interface EventQuery {
  readonly account?: number | undefined
  readonly types?: ReadonlyArray<EventType> | undefined
  /** The earliest time of the events, in epoch ms. */
  readonly since?: number | undefined
  /** The time before which the events were recorded, in epoch ms. */
  readonly until?: number | undefined
  /** Returns events whose ids are above `after`. */
  readonly after: number
  /**
   * Returns the newest events whose ids are below `before`, newest event first. If `before` is undefined, the oldest
   * event comes first.
   */
  readonly before?: number | undefined
  /** The maximum number of events, at least 1. */
  readonly limit: number
}

/** Identifies a repeated administrative request. Actors have separate idempotency keys. */
export interface AdminRequest {
  readonly actor: string
  readonly key: string
  /** A digest of the request. Equal requests have equal digests. */
  readonly fingerprint: string
}

/** The time in ms for which the responses to administrative requests are kept. */
export const adminResponseRetentionMs = 86_400_000

/** The minimum time in ms between two records of the use of an admin token. */
export const tokenUseIntervalMs = 60_000

/** An admin token to store. */
export interface NewAdminToken {
  readonly name: string
  /** The SHA-256 of the token's text, in lower-case hexadecimal. */
  readonly hash: string
  readonly scopes: ReadonlyArray<AdminScope>
  readonly createdBy: string
  readonly expiresAt: number | null
  readonly now: number | null
}

export interface FoundAdminToken {
  readonly token: AdminTokenRecord
  readonly isUseDue: boolean
}

/**
 * Stores events and named admin tokens, and makes administrative changes atomic and repeatable. An adapter shares its
 * database with the other stores: their changes within `transact` and `once` are part of the transaction.
 *
 * If `now` is null, the store uses its own clock. Only tests pass a `now` other than null.
 */
export class AdminStore extends Context.Service<AdminStore, {
  /** Runs a change in one transaction. A change within another transaction is part of the outer transaction. */
  readonly transact: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>
  /**
   * Runs a change in one transaction and stores its response, or returns the stored response of an equal earlier
   * request. A concurrent request with an equal idempotency key waits for the first request. A failed change stores
   * nothing. Fails with `IdempotencyKeyReused` if the earlier request had another fingerprint.
   */
  readonly once: <E, R>(
    request: AdminRequest,
    change: Effect.Effect<string, E, R>
  ) => Effect.Effect<string, E | IdempotencyKeyReused | StoreUnavailable, R>
  /**
   * Records events of the current actor, as part of the current transaction. The ids of events ascend in the order of
   * their commits, so a reader that continues after the last id misses no event.
   */
  readonly record: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void, StoreUnavailable>
  /**
   * Records at most `limit` events that other stores have queued: a failed answer, which `GenerationStore` queues in
   * the transaction that ends the answer, and a firing, which `TaskStore` queues in the transaction that claims the
   * firing. Records each queued event once, in any number of processes, and returns the number of recorded events.
   */
  readonly publishQueued: (limit: number) => Effect.Effect<number, StoreUnavailable>
  /** Returns recorded events in the order of their ids. */
  readonly events: (query: EventQuery) => Effect.Effect<ReadonlyArray<RecordedEvent>, StoreUnavailable>
  /**
   * Deletes at most `limit` events that are older than `retentionMs`, and at most `limit` responses that are older than
   * `adminResponseRetentionMs`. Returns the number of deleted events and responses.
   */
  readonly prune: (retentionMs: number, limit: number) => Effect.Effect<number, StoreUnavailable>
  /**
   * Adds an admin token. Checking the name and adding the token is atomic. Fails with `AdminTokenNameTaken` if a token
   * that is neither revoked nor expired has the name. Fails with `ExpiryPassed` if the expiry is at or before `now`.
   */
  readonly createToken: (
    token: NewAdminToken
  ) => Effect.Effect<AdminTokenRecord, AdminTokenNameTaken | ExpiryPassed | StoreUnavailable>
  /** Returns a page of admin tokens, oldest token first, including revoked and expired tokens. */
  readonly tokens: (page: PageAfter) => Effect.Effect<ReadonlyArray<AdminTokenRecord>, StoreUnavailable>
  /**
   * Revokes an admin token permanently. `isChanged` is false if the token was already revoked; such a token stays
   * unchanged.
   */
  readonly revokeToken: (
    id: number,
    now: number | null
  ) => Effect.Effect<
    { readonly token: AdminTokenRecord; readonly isChanged: boolean },
    UnknownAdminToken | StoreUnavailable
  >
  /**
   * Returns the admin token of each hash, in the order of `hashes`, or null for an unknown hash and for a revoked or
   * expired token. `isUseDue` is true if no use was recorded within `tokenUseIntervalMs`.
   */
  readonly findTokens: (
    hashes: ReadonlyArray<string>,
    now: number | null
  ) => Effect.Effect<
    ReadonlyArray<FoundAdminToken | null>,
    StoreUnavailable
  >
  /**
   * Records a use of an admin token, unless a use was recorded within `tokenUseIntervalMs`. Does nothing if the id is
   * unknown, or if another transaction locks the token's row.
   */
  readonly recordTokenUse: (id: number, now: number | null) => Effect.Effect<void, StoreUnavailable>
}>()("@tapeline/core/access/AdminStore") {}
