import type { Actor } from "../access/account.ts"
import type { CallReference } from "./callId.ts"
import type { Month } from "./month.ts"

/** An idempotency key, and a digest of the request that was made under the key. */
export interface Idempotency {
  readonly key: string
  /** A digest of the request. Equal requests have equal digests. */
  readonly fingerprint: string
  /** The time in ms after the reservation until the stored response is deleted and the key can be used again. */
  readonly retentionMs: number
}

export interface ReserveRequest {
  readonly account: number
  readonly actor: Actor
  /** The charged operation: a tool's name, or `agent.answer`. */
  readonly tool: string
  /** The number of credits to reserve, at least 1. */
  readonly credits: number
  /** The time in ms, at least 1, after which the reservation lapses unless the reservation is ended or renewed. */
  readonly ttlMs: number
  readonly idempotency: Idempotency | null
  /** The maximum number of running and settled reservations of an operation per UTC day; unlimited if omitted. */
  readonly quota?: { readonly max: number } | undefined
}

/**
 * A reservation of credits, with the data that is needed to end the reservation. All times come from the store's clock.
 */
export interface Reservation {
  readonly entry: number
  readonly account: number
  readonly month: Month
  readonly tool: string
  readonly credits: number
  /**
   * The `entry` of the first reservation for the same request and idempotency key. If there is no earlier reservation,
   * `origin` equals `entry`.
   */
  readonly origin: number
  readonly reservedAt: number
  readonly expiresAt: number
}

/** The store's decision on a reservation request. Only `Admitted` changes the account balance. */
export type Admission =
  | {
    readonly _tag: "Admitted"
    readonly reservation: Reservation
    /** The monthly credits left right after this admission: the smaller of the account's and the key's credits. */
    readonly creditsLeft: number
  }
  /** The account does not have enough credits for the request until `renewsAt`. */
  | {
    readonly _tag: "Refused"
    readonly creditsLeft: number
    /** The monthly credits of the account's plan, without adjustments. */
    readonly monthlyCredits: number
    readonly renewsAt: number
  }
  /**
   * The monthly credits of the key do not cover the request until `renewsAt`, but the account's credits would cover it.
   * `creditsLeft` are the credits that the key has left.
   */
  | {
    readonly _tag: "KeyLimitReached"
    readonly creditsLeft: number
    /** The monthly credits of the key. */
    readonly monthlyCredits: number
    readonly renewsAt: number
  }
  /** The operation's daily quota is used up until `renewsAt`. */
  | { readonly _tag: "QuotaReached"; readonly renewsAt: number }
  /**
   * A call with the same idempotency key was already settled: `call` identifies this call, and `response` is its stored
   * response. `response` is empty if the settlement had no response, or a response larger than `maxResponseBytes`.
   */
  | { readonly _tag: "Replayed"; readonly response: string; readonly call: CallReference }
  /**
   * A call with the same idempotency key is still running. The running call's reservation lapses after `lapsesInMs` ms.
   */
  | { readonly _tag: "InProgress"; readonly lapsesInMs: number }
  /** The idempotency key belongs to another request. */
  | { readonly _tag: "Reused" }
  | { readonly _tag: "NoAccount" }
