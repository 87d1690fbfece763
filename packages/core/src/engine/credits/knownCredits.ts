import type { Actor, Principal } from "../access/account.ts"
import { type Month, monthOf } from "./month.ts"

/** The time for which the knowledge of an account's credits is used, in ns. */
const trustNs = 60_000_000_000n

/**
 * The number of credits per allowed request a minute that must be left. A minute of knowledge can span two rate-limit
 * windows, and the highest price of a tool is 20 credits. A call therefore rarely runs and is then refused.
 */
const creditsPerRequest = 40

interface KnownCredits {
  readonly account: number
  readonly left: number
  readonly month: Month
  /** The monotonic time at which the store returned the credits, in ns. */
  readonly readAt: bigint
}

/** A caller with its plan's rate limit. */
export interface Spender extends Pick<Principal, "account" | "actor"> {
  readonly requestsPerMinute: number
}

/** The clock functions that are needed to judge the age of knowledge. */
interface Times {
  readonly currentTimeMillisUnsafe: () => number
  readonly monotonicTimeNanosUnsafe: () => bigint
}

/** Sessions and tasks have no credits of their own, so they share the credits of the account. */
const idOf = (account: number, actor: Actor): string => actor._tag === "Key" ? `${account}/${actor.key}` : `${account}`

/**
 * Remembers the credits that the store returned for callers: the smaller of the account's and the key's credits. If
 * more than `capacity` callers are remembered, the oldest one is forgotten.
 */
export const makeKnownCredits = (capacity: number) => {
  const entries = new Map<string, KnownCredits>()
  return {
    remember: ({ account, actor }: Pick<Principal, "account" | "actor">, left: number, month: Month, times: Times) => {
      entries.set(idOf(account, actor), { account, left, month, readAt: times.monotonicTimeNanosUnsafe() })
      if (entries.size > capacity) entries.delete(entries.keys().next().value!)
    },
    /** Returns the credits left of a caller, or null if they are unknown or too few to run a call before its charge. */
    enough: ({ account, actor, requestsPerMinute }: Spender, times: Times): number | null => {
      const known = entries.get(idOf(account, actor))
      return known !== undefined && known.left >= creditsPerRequest * requestsPerMinute &&
          times.monotonicTimeNanosUnsafe() - known.readAt < trustNs &&
          known.month === monthOf(times.currentTimeMillisUnsafe())
        ? known.left
        : null
    },
    /** Forgets the credits of an account, or of all accounts if `account` is null. */
    forget: (account: number | null): void => {
      if (account === null) return entries.clear()
      for (const [id, known] of entries) if (known.account === account) entries.delete(id)
    }
  }
}

export type KnownCreditsCache = ReturnType<typeof makeKnownCredits>
