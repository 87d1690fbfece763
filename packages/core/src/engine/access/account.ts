import type { Scope } from "./scope.ts"

/** Who pays. Its plan is a name in `Plans`. Times are epoch milliseconds. */
export interface Account {
  readonly id: number
  readonly name: string
  readonly plan: string
  readonly createdAt: number
}

/** What is kept of a key: never the key itself. Times are epoch milliseconds. */
export interface KeyRecord {
  readonly id: number
  readonly account: number
  readonly name: string
  /** The first characters of the key, enough to recognise it by and too few to guess it from. */
  readonly prefix: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** Who acts: a key that was shown, somebody who signed in, or a task that runs in the background. */
export type Actor =
  | { readonly _tag: "Key"; readonly key: number }
  | { readonly _tag: "Session"; readonly session: number }
  | { readonly _tag: "Task"; readonly task: number }

/** On whose behalf a call is made: the account that pays, who acts for it, and what that actor may do. */
export interface Principal {
  readonly account: number
  readonly actor: Actor
  readonly plan: string
  readonly scopes: ReadonlyArray<Scope>
}
