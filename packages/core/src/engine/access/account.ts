import { Schema } from "effect"
import type { KeyLimits } from "./keyLimits.ts"
import type { Scope } from "./scope.ts"

/**
 * The status of an account. The keys and sessions of a `suspended` account are rejected until the account is
 * reactivated. A `closed` account has no valid keys or sessions, and cannot be reactivated.
 */
export const AccountStatus = Schema.Literals(["active", "suspended", "closed"])
export type AccountStatus = typeof AccountStatus.Type

/** An account of the service. `plan` is the name of the account's plan, and times are in epoch milliseconds. */
export interface Account {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly createdAt: number
  /** The account's id in the operator's own systems. Unique among all accounts; null if the operator set none. */
  readonly externalId: string | null
  /** The operator's own data about the account. */
  readonly metadata: Readonly<Record<string, string>>
  readonly status: AccountStatus
  /** The operator's reason for the last change of `status`; null if the operator gave none. */
  readonly statusReason: string | null
}

/** The status and the operator's data of a new account. */
export const newAccountFields: Pick<Account, "externalId" | "metadata" | "status" | "statusReason"> = {
  externalId: null,
  metadata: {},
  status: "active",
  statusReason: null
}

/** The stored data of an API key. The text of the key is not stored, and times are in epoch milliseconds. */
export interface KeyRecord extends KeyLimits {
  readonly id: number
  readonly account: number
  readonly name: string
  /** The first characters of the key: enough to recognise the key, too few to guess the key. */
  readonly prefix: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  /** The first key of the chain of rotations that the key belongs to; the key's own id if it was not rotated. */
  readonly firstKey: number
}

/** The actor of a call: an API key, the session of a signed-in user, or a background task. */
export type Actor =
  | { readonly _tag: "Key"; readonly key: number }
  | { readonly _tag: "Session"; readonly session: number }
  | { readonly _tag: "Task"; readonly task: number }

/** The authenticated caller of a tool: the account that pays, the actor, and the actor's scopes. */
export interface Principal {
  readonly account: number
  readonly actor: Actor
  readonly plan: string
  readonly scopes: ReadonlyArray<Scope>
  /** The rate limit of the key, shared by its chain of rotations; undefined if the key has no limit of its own. */
  readonly keyRateLimit?: { readonly firstKey: number; readonly perMinute: number } | undefined
}
