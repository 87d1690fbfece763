import type { Scope } from "./scope.ts"

/** An account of the service. `plan` is the name of the account's plan, and times are in epoch milliseconds. */
export interface Account {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly createdAt: number
}

/** The stored data of an API key. The text of the key is not stored, and times are in epoch milliseconds. */
export interface KeyRecord {
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
}
