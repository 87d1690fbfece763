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

/** On whose behalf a call is made: the account that pays, the key that was shown, and what that key may do. */
export interface Principal {
  readonly account: number
  readonly key: number
  readonly plan: string
  readonly scopes: ReadonlyArray<Scope>
}
