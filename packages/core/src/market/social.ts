/**
 * Social posts about coins, and the accounts that wrote them.
 */
import type { Series } from "./series.ts"

export interface SocialAccount {
  readonly handle: string
  /** When the account was opened: young ones are a sign of manufactured attention. */
  readonly createdAt: number
  readonly followers: number
  readonly following: number
  /** Posts written in its life, about anything. */
  readonly postCount: number
}

export interface SocialPost {
  readonly id: string
  readonly time: number
  readonly platform: string
  readonly account: SocialAccount
  /** Coins that it is about; never empty. */
  readonly coins: ReadonlyArray<string>
  readonly text: string
  /** BCP 47 language: `en`, `ko`, `ru`. */
  readonly language: string
  readonly likes: number
  readonly reposts: number
  /** Tone from -1 to 1. */
  readonly sentiment: number
}

/** Posts about one coin counted in one bucket `[time, time + stepMs)`. */
export interface SocialActivity {
  readonly time: number
  readonly mentions: number
  /** Distinct accounts. */
  readonly authors: number
  /** Mean tone from -1 to 1; null in a bucket without posts. */
  readonly sentiment: number | null
}

/** The posts about one of all coins. */
export interface CoinActivity extends Series<SocialActivity> {
  readonly coin: string
}
