import type { Actor } from "../access/account.ts"
import type { CallReference } from "./callId.ts"
import type { Admission, Idempotency } from "./reservation.ts"

/** A call that ran without a reservation. */
export interface UnreservedCall {
  /** The id of the call, which `LedgerStore.callIds` returned. No two calls have the same id. */
  readonly id: number
  readonly account: number
  readonly actor: Actor
  /** The name of the tool. */
  readonly tool: string
  /** The price of the call in credits, at least 1. */
  readonly credits: number
}

/** A request to charge a call that ran without a reservation. */
export interface ChargeRequest extends UnreservedCall {
  readonly idempotency: Idempotency | null
  /**
   * The response for a repeated call under the idempotency key: a JSON object with at least one field and without
   * `credits_left`. The store adds `credits_left`.
   */
  readonly response: string | null
  /** Whether an earlier request with this id may have charged the call. */
  readonly isRepeated: boolean
}

/** The store's decision on a charge. Only the first `Charged` of an id changes the account balance. */
export type ChargeResult =
  | {
    readonly _tag: "Charged"
    readonly call: CallReference
    /**
     * The monthly credits left after this charge: the smaller of the account's and the key's credits. For a repeated
     * request, these are the credits in the stored response of the earlier charge, if there is one.
     */
    readonly creditsLeft: number
  }
  | Extract<
    Admission,
    { readonly _tag: "Refused" | "KeyLimitReached" | "Replayed" | "InProgress" | "Reused" | "NoAccount" }
  >

/**
 * Returns a response with the field `credits_left`. Processes of earlier versions require this field in a stored
 * response.
 */
export const addCreditsLeft = (response: string, creditsLeft: number): string =>
  `{"credits_left":${creditsLeft},${response.slice(1)}`

/** Returns the `credits_left` that `addCreditsLeft` added to a response. */
export const readCreditsLeft = (response: string): number =>
  Number.parseInt(response.slice("{\"credits_left\":".length))
